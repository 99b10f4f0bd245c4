//! Pictures side by side, as SVG: samples, completions, and what a row or a column of them is.

use super::letters::{Type, document, escaped, lines, widest, width};
use super::refused;
use crate::Error;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use dbm_data::picture::{Tile, light_grid};
use std::fmt::Write;

/// A grid of pictures with its title.
#[derive(Clone, Debug, Default)]
pub struct Gallery {
    pub title: String,
    /// In smaller letters below the title.
    pub subtitle: Option<String>,
    /// In reading order; a default one is an empty place.
    pub tiles: Vec<Tile>,
    /// Pictures in a row.
    pub columns: usize,
    /// Left of the rows, one a row; or empty.
    pub row_labels: Vec<String>,
    /// Above the columns, one a column; or empty. One followed by empty ones stands over all of these.
    pub column_labels: Vec<String>,
}

/// Pixels that the longer side of a picture has, or less where the next scale would have more.
const SIDE: usize = 56;
/// Pixels around the figure, and between panels.
const MARGIN: f64 = 14.0;
const BETWEEN: f64 = 28.0;
/// Titles are broken into lines no shorter than this.
const LEAST_WIDTH: f64 = 240.0;
const TITLE: f64 = 17.0;
const SUBTITLE: f64 = 14.0;
const LABEL: f64 = 14.0;
/// Letters of labels are made no smaller to fit.
const LEAST_LABEL: f64 = 8.0;
/// A line's height for its letters' height.
const LINE: f64 = 1.3;

/// The panels as an SVG picture on white, so many in a row. The pictures of a panel are one PNG inside it, drawn pixel by pixel.
///
/// # Errors
/// [`Error::Input`] where there is no panel or none in a row, a panel has no pictures or no columns, or labels are not as many as what they
/// label; [`Error::Data`] where a panel would have more than 100 million pixels.
pub fn gallery(panels: &[Gallery], panels_a_row: usize) -> Result<String, Error> {
    if panels.is_empty() || panels_a_row == 0 {
        return refused(&format!("expected at least one panel, and one in a row, but {} and {panels_a_row} came", panels.len()));
    }
    let panels = panels.iter().map(Panel::new).collect::<Result<Vec<_>, Error>>()?;
    let (mut inside, mut top, mut widest) = (String::new(), MARGIN, 0.0_f64);
    let columns = panels_a_row.min(panels.len());
    let wide = |column: usize| panels.iter().skip(column).step_by(columns).map(|panel| panel.width).fold(0.0, f64::max);
    for row in panels.chunks(columns) {
        let mut left = MARGIN;
        // The grids of a row begin at one height.
        let head = row.iter().map(Panel::head).fold(0.0, f64::max);
        for (column, panel) in row.iter().enumerate() {
            panel.draw(&mut inside, (left + (wide(column) - panel.width) / 2.0, top + head - panel.head()));
            left += wide(column) + BETWEEN;
        }
        widest = widest.max(left - BETWEEN + MARGIN);
        top += head + row.iter().map(|panel| panel.grid.1).fold(0.0, f64::max) + BETWEEN;
    }
    Ok(document(widest, top - BETWEEN + MARGIN, &inside))
}

/// A panel with its measures.
struct Panel<'g> {
    its: &'g Gallery,
    png: Vec<u8>,
    rows: usize,
    columns: usize,
    /// Width and height of the grid.
    grid: (f64, f64),
    title: Vec<String>,
    subtitle: Vec<String>,
    /// Above each column where a label begins: how many it stands over, its lines, and the height of its letters.
    over: Vec<(usize, Span)>,
    /// Left of the grid.
    labels: f64,
    width: f64,
}

struct Span {
    columns: usize,
    lines: Vec<String>,
    size: f64,
}

impl<'g> Panel<'g> {
    fn new(its: &'g Gallery) -> Result<Self, Error> {
        let Gallery { title, tiles, columns, row_labels, column_labels, .. } = its;
        if tiles.is_empty() || *columns == 0 {
            let got = tiles.len();
            return refused(&format!(
                "panel {title:?}: expected at least one picture and one column, but {got} and {columns} came"
            ));
        }
        let columns = (*columns).min(tiles.len());
        let rows = tiles.len().div_ceil(columns);
        for (labels, places, what) in [(row_labels, rows, "rows"), (column_labels, columns, "columns")] {
            if !labels.is_empty() && labels.len() != places {
                let got = labels.len();
                return refused(&format!("panel {title:?}: expected no labels of {what} or {places}, but {got} came"));
            }
        }
        let (high, wide) = tiles.iter().map(Tile::shape).fold((0, 0), |a, b| (a.0.max(b.0), a.1.max(b.1)));
        let scale = (SIDE / high.max(wide).max(1)).max(1);
        let png = light_grid(tiles, columns, scale)?;
        let side = |count: usize, size: usize| (count * (size * scale + 1) + 1) as f64;
        let grid = (side(columns, wide), side(rows, high));
        let breadth = grid.0.max(LEAST_WIDTH);
        let title = lines(title, TITLE, breadth);
        let subtitle = lines(its.subtitle.as_deref().unwrap_or_default(), SUBTITLE, breadth);
        let place = (wide * scale + 1) as f64;
        let over = (0..).zip(column_labels).filter(|(at, label)| *at == 0 || !label.is_empty()).map(|(at, label)| {
            let columns = 1 + column_labels[at + 1..].iter().take_while(|label| label.is_empty()).count();
            (at, Span::new(label, columns, place))
        });
        let labels = row_labels.iter().map(|label| width(label, LABEL) + 10.0).fold(0.0, f64::max);
        let heads = widest(&title, TITLE).max(widest(&subtitle, SUBTITLE));
        // The heads are centered above the grid, and may reach beyond it on both sides.
        let beyond = ((heads - grid.0) / 2.0).max(0.0);
        let width = labels.max(beyond) + grid.0 + beyond;
        Ok(Self { its, png, rows, columns, grid, title, subtitle, over: over.collect(), labels: labels.max(beyond), width })
    }

    /// Pixels above the grid.
    fn head(&self) -> f64 {
        let labels = self.over.iter().map(|(_, span)| span.lines.len() as f64 * span.size * LINE).fold(0.0, f64::max);
        self.title.len() as f64 * TITLE * LINE + self.subtitle.len() as f64 * SUBTITLE * LINE + labels + 8.0
    }

    fn draw(&self, svg: &mut String, (left, mut y): (f64, f64)) {
        let (wide, high) = self.grid;
        let bottom = y + self.head();
        let left = (left + self.labels).round();
        let middle = left + wide / 2.0;
        for (lines, style) in
            [(&self.title, Type { bold: true, ..Type::new(TITLE, "middle") }), (&self.subtitle, Type::new(SUBTITLE, "middle"))]
        {
            for line in lines {
                y += style.size * LINE;
                style.write(svg, (middle, y - 0.3 * style.size), line);
            }
        }
        let column = (wide - 1.0) / self.columns as f64;
        for (at, span) in &self.over {
            let x = left + (*at as f64 + span.columns as f64 / 2.0) * column;
            for (from_below, line) in span.lines.iter().rev().enumerate() {
                let y = bottom - 6.0 - from_below as f64 * span.size * LINE;
                Type::new(span.size, "middle").write(svg, (x, y), line);
            }
        }
        let row = (high - 1.0) / self.rows as f64;
        for (at, label) in self.its.row_labels.iter().enumerate() {
            let y = bottom + (at as f64 + 0.5) * row + 0.35 * LABEL;
            Type::new(LABEL, "end").write(svg, (left - 8.0, y), label);
        }
        // On whole pixels, so that each of the picture's covers as many.
        let (y, title) = (bottom.round(), escaped(&self.its.title));
        let data = STANDARD.encode(&self.png);
        let _ = writeln!(
            svg,
            r#"<image x="{left}" y="{y}" width="{wide}" height="{high}" image-rendering="pixelated" style="image-rendering: pixelated" href="data:image/png;base64,{data}"><title>{title}</title></image>"#
        );
    }
}

impl Span {
    /// In letters as small as they must be for the longest word.
    fn new(label: &str, columns: usize, place: f64) -> Self {
        let room = columns as f64 * place - 4.0;
        let longest = label.split_whitespace().map(|word| width(word, LABEL)).fold(0.0, f64::max);
        let size = (LABEL * (room / longest).min(1.0)).max(LEAST_LABEL);
        Self { columns, lines: lines(label, size, room), size: (size * 10.0).floor() / 10.0 }
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
        // Two black pictures of 8 pixels, 7 high each, at twice the size; letters add some of their own.
        let black = pixels.iter().filter(|&&pixel| pixel == [0; 3]).count();
        assert_eq!(black, 2 * (8 * 7 * 2) * (8 * 7 * 2));
        // Light lines around four places, whose widths and heights are 56: three lines across and three down.
        let line = pixels.iter().filter(|&&pixel| pixel == [198, 200, 206]).count();
        assert_eq!(line, (115 * 115 - 4 * 56 * 56) * 4);
    }

    #[test]
    fn labels_and_titles_are_drawn_and_hostile_ones_are_text() {
        let mut labelled = panel(vec![tile(1); 8], 4);
        labelled.title = "a < b & \"c\"".into();
        labelled.subtitle = Some("</text><script>".into());
        labelled.row_labels = vec!["<row>".into(), "other".into()];
        labelled.column_labels = ["truth", "known & hidden", "", ""].map(Into::into).to_vec();
        let svg = gallery(&[labelled.clone(), panel(vec![tile(0)], 10), panel(vec![tile(0)], 1)], 2).unwrap();
        for text in ["a &lt; b &amp; &quot;c&quot;", "&lt;/text&gt;&lt;script&gt;", "&lt;row&gt;", ">known &amp; hidden<"] {
            assert!(svg.contains(text), "{text}: {svg}");
        }
        assert!(!svg.contains("<script") && svg.matches("<image").count() == 3);
        let (_, with) = pixels(&png(&svg).unwrap());
        assert!(with.iter().filter(|[red, ..]| (20..60).contains(red)).count() > 1000, "letters");
        // A label over three columns stands in the middle of them.
        let x = |text: &str| svg.split(&format!(">{text}<")).next().unwrap().rsplit_once("x=\"").unwrap().1;
        let x = |text: &str| x(text).split('"').next().unwrap().parse::<f64>().unwrap();
        assert!((x("known &amp; hidden") - x("truth") - 2.0 * 57.0).abs() < 0.2);
    }

    #[test]
    fn what_cannot_be_shown_is_refused() {
        let refusal = |panels: &[Gallery], a_row| gallery(panels, a_row).expect_err("should be refused").to_string();
        let good = panel(vec![tile(1); 3], 2);
        assert!(refusal(&[], 1).contains("0 and 1 came"));
        assert!(refusal(std::slice::from_ref(&good), 0).contains("1 and 0 came"));
        assert!(refusal(&[panel(vec![], 2)], 1).contains("0 and 2 came"));
        assert!(refusal(&[panel(vec![tile(1)], 0)], 1).contains("1 and 0 came"));
        let labelled = Gallery { row_labels: vec!["one".into()], ..good.clone() };
        assert!(refusal(&[labelled], 1).contains("rows or 2, but 1"));
        let labelled = Gallery { column_labels: vec!["one".into(); 3], ..good };
        assert!(refusal(&[labelled], 1).contains("columns or 2, but 3"));
        let huge = Tile::levels(Some((1, 20_000)), &vec![0; 20_000]);
        assert!(refusal(&[panel(vec![huge; 6000], 1)], 1).contains("100 million"));
        assert!(gallery(&[panel(vec![Tile::default()], 1)], 1).is_ok());
    }
}
