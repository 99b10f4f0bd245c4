//! Downloads: pictures, films, arrays, tables and logs, as bytes.

use dbm_data::npy;
use dbm_data::picture::{self, Tile};
use dbm_data::raw::Visible;
use dbm_protocol::{BitsFormat, Grid, LogFormat, LogRow, NamedBytes, Product};

/// Pictures per row, and pixels per value.
const COLUMNS: usize = 8;
const SCALE: usize = 4;

/// Makes the file.
///
/// # Errors
/// If the bits are not a whole number of pictures, or more than PNG can hold; in words.
pub fn write(product: Product) -> Result<NamedBytes, String> {
    match product {
        Product::Bits { name, format, grid, visible } => bits(&name, format, &grid, visible.as_ref()),
        Product::Film { name, frames, visible } => film(&name, &frames, visible.as_ref()),
        Product::Log { format, rows } => log(format, &rows),
    }
}

/// Pictures, checked.
struct Pictures<'g> {
    count: usize,
    bits: &'g [u8],
    /// Bits per picture.
    units: usize,
    /// Rows and columns of values; several bits may make one value.
    shape: (usize, usize),
    /// Values of several bits each; bits themselves otherwise.
    grey: Option<Vec<u8>>,
}

impl<'g> Pictures<'g> {
    fn new(name: &str, grid: &'g Grid, visible: Option<&Visible>) -> Result<Self, String> {
        let (rows, columns, depth) = (grid.image.0 as usize, grid.image.1 as usize, usize::from(grid.greys.bits.max(1)));
        let (units, count) = (rows.saturating_mul(columns), grid.count as usize);
        if units == 0 || count == 0 || units.checked_mul(count) != Some(grid.bits.len()) {
            let got = grid.bits.len();
            return Err(format!(
                "{name}: {count} pictures of {rows} x {columns} bits were expected, but got {got} bits; make them again"
            ));
        }
        let values = |visible: &Visible| grid.bits.chunks_exact(units).flat_map(|one| visible.grey(one)).collect();
        let grey = visible.filter(|_| depth > 1).map(values);
        Ok(Self { count, bits: &grid.bits, units, shape: (rows, columns / depth), grey })
    }

    fn tiles(&self) -> Vec<Tile> {
        let (rows, columns) = self.shape;
        match &self.grey {
            Some(grey) => grey.chunks_exact(rows * columns).map(|one| Tile::levels(Some(self.shape), one)).collect(),
            None => self.bits.chunks_exact(self.units).map(|one| Tile::bits(Some(self.shape), one)).collect(),
        }
    }

    /// One number per value.
    fn values(&self) -> &[u8] {
        self.grey.as_deref().unwrap_or(self.bits)
    }
}

/// One frame per grid; the steps are in the file's description.
fn film(name: &str, grids: &[Grid], visible: Option<&Visible>) -> Result<NamedBytes, String> {
    let tiles = |grid| Pictures::new(name, grid, visible).map(|pictures| pictures.tiles());
    let mut frames = grids.iter().map(tiles).collect::<Result<Vec<_>, _>>()?;
    // Frames have one size: if there are fewer pictures, places stay empty.
    let most = frames.iter().map(Vec::len).max().unwrap_or(0);
    frames.iter_mut().for_each(|tiles| tiles.resize(most, Tile::default()));
    let steps = grids.iter().map(|grid| grid.step.to_string()).collect::<Vec<_>>().join(", ");
    let about = format!("Samples of a deep Boltzmann machine in training, at steps {steps}");
    let bytes = picture::film(&frames, COLUMNS, &about).map_err(|error| error.to_string())?;
    Ok(NamedBytes { name: format!("{name}.png"), bytes })
}

fn bits(name: &str, format: BitsFormat, grid: &Grid, visible: Option<&Visible>) -> Result<NamedBytes, String> {
    let pictures = Pictures::new(name, grid, visible)?;
    let (rows, columns) = pictures.shape;
    let (ending, bytes) = match format {
        BitsFormat::Png => ("png", picture::grid(&pictures.tiles(), COLUMNS, SCALE).map_err(|error| error.to_string())?),
        BitsFormat::Npy => {
            // A row of bits that is no picture has no rows.
            let whole = [pictures.count, rows, columns];
            let shape = if rows > 1 { &whole[..] } else { &[pictures.count, columns] };
            ("npy", npy::write_u8(shape, pictures.values()))
        }
        BitsFormat::Csv => {
            let bytes = match visible {
                Some(Visible::Table(table)) if table.n_units() == pictures.units => {
                    table.decode(pictures.bits, &[], |_| Vec::new())
                }
                _ => lines(pictures.values(), rows * columns),
            };
            ("csv", bytes)
        }
    };
    Ok(NamedBytes { name: format!("{name}.{ending}"), bytes })
}

/// Numbers, one line per example.
fn lines(values: &[u8], width: usize) -> Vec<u8> {
    let line = |row: &[u8]| row.iter().map(u8::to_string).collect::<Vec<_>>().join(",") + "\n";
    values.chunks_exact(width.max(1)).map(line).collect::<String>().into_bytes()
}

fn log(format: LogFormat, rows: &[LogRow]) -> Result<NamedBytes, String> {
    if rows.is_empty() {
        return Err("there is no log yet: train first".into());
    }
    Ok(match format {
        LogFormat::Json => {
            let bytes = serde_json::to_vec_pretty(rows).map_err(|error| error.to_string())?;
            NamedBytes { name: "training-log.json".into(), bytes }
        }
        LogFormat::Csv => NamedBytes { name: "training-log.csv".into(), bytes: csv(rows).into_bytes() },
    })
}

/// A header and one line per row.
fn csv(rows: &[LogRow]) -> String {
    let line = |cells: Vec<String>| cells.join(",") + "\n";
    let header = rows.iter().take(1).map(|row| line(cells(row).into_iter().map(|(name, _)| name).collect()));
    header.chain(rows.iter().map(|row| line(cells(row).into_iter().map(|(_, value)| value).collect()))).collect()
}

/// The name of each column and a row's value in it; absent values are empty.
fn cells(row: &LogRow) -> Vec<(String, String)> {
    let option = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
    let mut cells: Vec<(String, String)> = Vec::new();
    let mut add = |prefix: &str, name: &str, value: String| cells.push((format!("{prefix}{name}"), value));
    add("", "step", row.step.to_string());
    add("", "seconds", row.seconds.to_string());
    add("", "workers", row.workers.to_string());
    add("", "steps_per_second", row.steps_per_second.to_string());
    add("", "reconstruction_error", option(row.reconstruction_error));
    add("", "pseudo_log_likelihood", option(row.pseudo_log_likelihood));
    add("", "free_energy_data", option(row.free_energy_data));
    add("", "free_energy_samples", option(row.free_energy_samples));
    add("", "log_likelihood", option(row.log_likelihood));
    for (prefix, phase) in [("positive_", row.positive), ("negative_", row.negative)] {
        add(prefix, "mean_meeting_time", option(phase.mean_meeting_time));
        add(prefix, "longest_meeting_time", option(phase.longest_meeting_time.map(f64::from)));
        add(prefix, "couplings_capped", phase.couplings_capped.to_string());
        add(prefix, "mean_search_sweeps", option(phase.mean_search_sweeps));
        add(prefix, "energy", option(phase.energy));
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbm_data::coding::{Coding, Greys};
    use dbm_data::raw::PictureReading;
    use dbm_protocol::ModelChoice;

    fn pictures(bits: Vec<u8>, image: (u32, u32), depth: u8) -> Grid {
        let count = bits.len() as u32 / (image.0 * image.1);
        Grid { model: ModelChoice::Training, step: 0, count, image, greys: Greys::binary(depth), bits }
    }

    #[test]
    fn bits_become_pictures_arrays_and_lines() {
        let two = || pictures(vec![1, 0, 0, 1, 0, 1, 1, 0], (2, 2), 1);
        let png = bits("samples", BitsFormat::Png, &two(), None).unwrap();
        assert!(png.name == "samples.png" && png.bytes.starts_with(b"\x89PNG"));
        let npy = bits("samples", BitsFormat::Npy, &two(), None).unwrap();
        assert_eq!(npy::read_u8("x", &npy.bytes).unwrap(), (vec![2, 2, 2], two().bits));
        assert_eq!(bits("samples", BitsFormat::Csv, &two(), None).unwrap().bytes, b"1,0,0,1\n0,1,1,0\n");
        let short = Grid { count: 3, ..two() };
        assert!(bits("samples", BitsFormat::Csv, &short, None).unwrap_err().contains("got 8 bits"));
    }

    #[test]
    fn values_of_several_bits_become_whole_again() {
        let visible = Visible::Planes { bits: 8, coding: Coding::Binary, low: 0.0, high: 255.0, read: PictureReading::PLAIN };
        let grid = pictures(vec![1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 1, 1], (1, 16), 8);
        let csv = bits("x", BitsFormat::Csv, &grid, Some(&visible)).unwrap();
        assert_eq!(csv.bytes, b"129,7\n");
        assert_eq!(npy::read_u8("x", &bits("x", BitsFormat::Npy, &grid, Some(&visible)).unwrap().bytes).unwrap().0, [1, 2]);
    }

    #[test]
    fn grids_become_a_film() {
        let frame = |step, bits| Grid { step, ..pictures(bits, (1, 16), 8) };
        let visible = Visible::Planes { bits: 8, coding: Coding::Binary, low: 0.0, high: 255.0, read: PictureReading::PLAIN };
        let frames = [frame(3, vec![0; 16]), frame(70, vec![1; 32])];
        let made = film("samples-film", &frames, Some(&visible)).unwrap();
        let said = b"steps 3, 70";
        assert!(made.name == "samples-film.png" && made.bytes.windows(said.len()).any(|part| part == said));
        assert_eq!(made.bytes.windows(4).filter(|part| part == b"fcTL").count(), 2);
        assert!(film("x", &[], None).unwrap_err().contains("at least one frame"));
        let short = Grid { count: 3, ..frame(3, vec![0; 32]) };
        assert!(film("x", &[short], None).unwrap_err().contains("got 32 bits"));
    }

    #[test]
    fn the_log_has_a_column_for_everything() {
        let row = LogRow { step: 3, seconds: 0.5, reconstruction_error: Some(0.25), ..LogRow::default() };
        let text = String::from_utf8(log(LogFormat::Csv, &[row]).unwrap().bytes).unwrap();
        let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
        assert!(lines.len() == 2 && lines[0].len() == 19 && lines[1].len() == 19, "{text}");
        assert_eq!((lines[1][0], lines[1][4], lines[1][5]), ("3", "0.25", ""));
        let json: serde_json::Value = serde_json::from_slice(&log(LogFormat::Json, &[row]).unwrap().bytes).unwrap();
        assert_eq!(json[0]["reconstruction_error"], 0.25);
        assert!(log(LogFormat::Csv, &[]).unwrap_err().contains("train first"));
    }
}
