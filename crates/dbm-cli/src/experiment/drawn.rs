//! A figure in an experiment's folder: the same picture as SVG and as PNG.

use super::workshop::Workshop;
use crate::error::CliError;
use crate::plot::raster;

/// Writes `name.svg` and `name.png`.
///
/// # Errors
/// [`CliError::Input`] for what is no SVG, [`CliError::Write`].
pub fn figure(workshop: &Workshop, name: &str, svg: &str) -> Result<(), CliError> {
    workshop.write(&format!("{name}.svg"), svg.as_bytes())?;
    workshop.write(&format!("{name}.png"), &raster::png(svg)?)
}
