//! Pictures side by side, as SVG: samples, completions, and labels of their rows.

use super::{Drawn, LINE, NAME, TITLE, figure, refused, width, wrapped};
use crate::Error;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use dbm_data::picture::{Tile, light_grid};
use minijinja::context;

/// A grid of pictures with its title.
#[derive(Clone, Debug, Default)]
pub struct Gallery {
    pub title: String,
    /// In smaller letters below the title.
    pub subtitle: Option<String>,
    /// In reading order; a default one is an empty place.
    pub tiles: Vec<Tile>,
    /// Pictures per row.
    pub columns: usize,
    /// Labels left of the rows, one per row; or empty.
    pub row_labels: Vec<String>,
}

/// Pixels of the longer side of a picture, or fewer if the next scale would have more.
const SIDE: usize = 56;
/// Titles are broken into lines no shorter than this.
const LEAST_WIDTH: f64 = 240.0;

/// The panels as an SVG picture on white, this many per row. The pictures of a panel are one embedded PNG, drawn pixel by pixel.
///
/// # Errors
/// [`Error::Input`] if there are no panels or none per row, if a panel has no pictures or no columns, or if the number of labels differs
/// from that of its rows; [`Error::Data`] if a panel would have more than 100 million pixels.
pub fn gallery(panels: &[Gallery], panels_a_row: usize) -> Result<String, Error> {
    figure(&panels.iter().map(Gallery::draw).collect::<Result<Vec<_>, Error>>()?, panels_a_row, &[])
}

impl Gallery {
    fn draw(&self) -> Result<Drawn, Error> {
        let Self { title, tiles, columns, row_labels, .. } = self;
        if tiles.is_empty() || *columns == 0 {
            let got = tiles.len();
            return refused(&format!(
                "panel {title:?}: expected at least one picture and one column, but got {got} and {columns}"
            ));
        }
        let columns = (*columns).min(tiles.len());
        let rows = tiles.len().div_ceil(columns);
        if !row_labels.is_empty() && row_labels.len() != rows {
            let got = row_labels.len();
            return refused(&format!("panel {title:?}: expected no labels of rows or {rows}, but got {got}"));
        }
        let (high, wide) = tiles.iter().map(Tile::shape).fold((0, 0), |a, b| (a.0.max(b.0), a.1.max(b.1)));
        let scale = (SIDE / high.max(wide).max(1)).max(1);
        let png = STANDARD.encode(light_grid(tiles, columns, scale)?);
        let side = |count: usize, size: usize| (count * (size * scale + 1) + 1) as f64;
        let (breadth, height) = (side(columns, wide), side(rows, high));
        let heads = [(Some(title), TITLE, true), (self.subtitle.as_ref(), NAME, false)].map(|(text, size, bold)| {
            let lines = wrapped(text.map_or("", String::as_str), size, breadth.max(LEAST_WIDTH));
            lines.into_iter().map(|words| (words, size, bold)).collect::<Vec<_>>()
        });
        let heads = heads.concat();
        let above = heads.iter().map(|(_, size, _)| size * LINE).sum::<f64>() + 8.0;
        let mut y = -above;
        let lines = heads.iter().map(|(words, size, bold)| {
            y += size * LINE;
            context! { words, size, bold, y => y - 0.3 * size }
        });
        // The heads are centred above the grid, and may extend beyond it on both sides.
        let widest = heads.iter().map(|(words, size, _)| width(words, *size)).fold(0.0, f64::max);
        let beyond = ((widest - breadth) / 2.0).max(0.0);
        let left = row_labels.iter().map(|label| width(label, NAME) + 10.0).fold(beyond, f64::max);
        let row = |at: usize| (at as f64 + 0.5) * (height - 1.0) / rows as f64 + 0.35 * NAME;
        let labels = row_labels.iter().enumerate().map(|(at, label)| (row(at), label));
        let its = context! {
            title, png, height,
            width => breadth,
            heads => lines.collect::<Vec<_>>(),
            labels => labels.collect::<Vec<_>>(),
        };
        Ok(Drawn { width: left + breadth + beyond, above, below: height, left, its })
    }
}

#[cfg(test)]
mod tests {
    use super::super::raster::{png, tests::pixels};
    use super::*;

    fn tile(bit: u8) -> Tile {
        Tile::bits(Some((8, 8)), &[bit; 64])
    }

    fn panel(tiles: Vec<Tile>, columns: usize) -> Gallery {
        Gallery { title: "Title".into(), tiles, columns, ..Gallery::default() }
    }

    #[test]
    fn every_pixel_of_a_picture_covers_as_many_of_the_figure() {
        let svg = gallery(&[panel(vec![tile(1), tile(0), tile(0)], 2)], 1).unwrap();
        let (_, pixels) = pixels(&png(&svg).unwrap());
        // Two black pictures of 8 pixels, 7 high each, at twice the size; letters add more black.
        let black = pixels.iter().filter(|&&pixel| pixel == [0; 3]).count();
        assert_eq!(black, 2 * (8 * 7 * 2) * (8 * 7 * 2));
        // Light lines around four places with widths and heights of 56: three lines across and three down.
        let line = pixels.iter().filter(|&&pixel| pixel == [198, 200, 206]).count();
        assert_eq!(line, (115 * 115 - 4 * 56 * 56) * 4);
    }

    #[test]
    fn labels_and_titles_are_drawn_and_hostile_ones_are_text() {
        let mut labelled = panel(vec![tile(1); 8], 4);
        labelled.title = "a < b & \"c\"".into();
        labelled.subtitle = Some("</text><script>".into());
        labelled.row_labels = vec!["<row>".into(), "other".into()];
        let svg = gallery(&[labelled.clone(), panel(vec![tile(0)], 10), panel(vec![tile(0)], 1)], 2).unwrap();
        for text in ["a &lt; b &amp; &quot;c&quot;", "&lt;&#x2f;text&gt;&lt;script&gt;", "&lt;row&gt;", ">other<"] {
            assert!(svg.contains(text), "{text}: {svg}");
        }
        assert!(!svg.contains("<script") && svg.matches("<image").count() == 3);
        let (_, with) = pixels(&png(&svg).unwrap());
        assert!(with.iter().filter(|[red, ..]| (20..60).contains(red)).count() > 1000, "letters");
    }

    #[test]
    fn what_cannot_be_shown_is_refused() {
        let refusal = |panels: &[Gallery], a_row| gallery(panels, a_row).expect_err("should be refused").to_string();
        let good = panel(vec![tile(1); 3], 2);
        assert!(refusal(&[], 1).contains("got 0 and 1"));
        assert!(refusal(std::slice::from_ref(&good), 0).contains("got 1 and 0"));
        assert!(refusal(&[panel(vec![], 2)], 1).contains("got 0 and 2"));
        assert!(refusal(&[panel(vec![tile(1)], 0)], 1).contains("got 1 and 0"));
        let labelled = Gallery { row_labels: vec!["one".into()], ..good };
        assert!(refusal(&[labelled], 1).contains("rows or 2, but got 1"));
        let huge = Tile::levels(Some((1, 20_000)), &vec![0; 20_000]);
        assert!(refusal(&[panel(vec![huge; 6000], 1)], 1).contains("100 million"));
        assert!(gallery(&[panel(vec![Tile::default()], 1)], 1).is_ok());
    }
}
