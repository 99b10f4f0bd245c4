//! The picture: a panel a mask, a column a class.

use super::questions::{Asked, METHODS, QuestionSet};
use crate::Error;
use crate::plot::gallery::{Gallery, gallery};
use crate::score::pictures;
use dbm_data::picture::Tile;
use dbm_score::{PIXELS, SIDE};

/// Answers shown of each method, besides the consensus.
const SHOWN: usize = 2;

/// As SVG.
///
/// # Errors
/// Those of [`gallery`].
pub fn draw(questions: &QuestionSet, all: &[Asked], seed: u64) -> Result<String, Error> {
    let panels = all.iter().map(|asked| panel(questions, asked, seed)).collect::<Result<Vec<_>, Error>>()?;
    gallery(&panels, 3)
}

fn panel(questions: &QuestionSet, asked: &Asked, seed: u64) -> Result<Gallery, Error> {
    let image = Some((SIDE, SIDE));
    let grey = |levels: &[u8]| Tile::levels(image, levels);
    let truths: Vec<Vec<u8>> = questions.pictured.iter().map(|&row| pictures(questions.data, row..row + 1)).collect();
    let unknown = questions.unknown(asked.mask, seed)?;
    let mut tiles: Vec<Tile> = truths.iter().map(|truth| grey(truth)).collect();
    let mut labels = vec!["truth".to_string(), "known".to_string()];
    let masked = questions.pictured.iter().zip(&truths);
    tiles.extend(masked.map(|(&row, truth)| Tile::bits(image, truth).hiding(&unknown[row * PIXELS..(row + 1) * PIXELS])));
    for (method, answered) in METHODS.iter().zip(&asked.answered) {
        for at in 0..SHOWN.min(questions.answers) {
            tiles.extend(answered.pictured.iter().map(|(_, bits, _)| grey(&bits[at * PIXELS..(at + 1) * PIXELS])));
            labels.push(if at == 0 { method.label.to_string() } else { String::new() });
        }
        tiles.extend(answered.pictured.iter().map(|(_, bits, at)| grey(&bits[at * PIXELS..(at + 1) * PIXELS])));
        labels.push("their consensus".into());
    }
    tiles.extend(asked.rivals.pictured.iter().map(|(_, levels)| grey(levels)));
    labels.push("nearest digit".into());
    Ok(Gallery {
        title: format!("Hidden: {}", asked.mask.words),
        tiles,
        columns: questions.pictured.len(),
        row_labels: labels,
        ..Gallery::default()
    })
}
