//! What transparent pixels are laid on: white or black.

use super::blank;
use super::session::ReadingState;
use crate::DataError;
use crate::interpretation::{Background, Change, Doubt};

/// Lays pictures of `size` pixels on their background. `pixels` come as they are on white; `opacity` is 255 where they are opaque.
///
/// # Errors
/// Those of [`choose`].
pub(super) fn lay(
    name: &str,
    pixels: &mut [u8],
    opacity: &[u8],
    size: usize,
    session: &mut ReadingState,
) -> Result<(), DataError> {
    // On white a pixel is lighter by what its background shows of it.
    let on_black = |(pixel, opacity): (&u8, &u8)| pixel.saturating_sub(255 - opacity);
    let shows = |background| match background {
        Background::White => pixels.chunks_exact(size).any(|picture| blank::shows(picture.iter())),
        Background::Black => {
            let mut pictures = pixels.chunks_exact(size).zip(opacity.chunks_exact(size));
            pictures.any(|(picture, opacity)| blank::shows(picture.iter().zip(opacity).map(on_black)))
        }
    };
    if choose(name, session, shows)? == Background::Black {
        pixels.iter_mut().zip(opacity).for_each(|(pixel, opacity)| *pixel = on_black((pixel, opacity)));
    }
    Ok(())
}

/// The background of all pictures of a set. `shows` says whether any picture has something in it on a background. White is taken, as
/// viewers do, unless that leaves every picture of one value all over and black does not: white strokes on transparency.
///
/// # Errors
/// [`DataError::Format`] if nothing shows on the background that was asked for, or on either.
pub(super) fn choose(
    name: &str,
    session: &mut ReadingState,
    shows: impl Fn(Background) -> bool,
) -> Result<Background, DataError> {
    use Background::{Black, White};
    let refuse = |got, advice| Err(DataError::format(name, "pictures with something in them", got, advice));
    let (chosen, note) = match session.asked.background {
        Some(background) if !shows(background) => {
            let got = match background {
                White => "on white each is of one value all over",
                Black => "on black each is of one value all over",
            };
            return refuse(got, "lay transparent pixels on the other background");
        }
        Some(White) => (White, "Transparent pixels were laid on white."),
        Some(Black) => (Black, "Transparent pixels were laid on black."),
        None if shows(White) => (White, "Transparent pixels were laid on white, as viewers show them."),
        None if shows(Black) => (Black, "Transparent pixels were laid on black, as nothing shows on white."),
        None => return refuse("each is of one value all over, on white and on black", "choose other pictures"),
    };
    session.notes.push(note.into());
    session.reading.background = Some(chosen);
    if session.asked.background.is_none() && chosen == White && shows(Black) {
        session.doubts.push(Doubt {
            text: "Transparent pixels were laid on white; they may have been meant as black.".into(),
            label: "Lay on black".into(),
            change: Change::Background(Black),
        });
    }
    Ok(chosen)
}
