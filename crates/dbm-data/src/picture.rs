//! Writing pictures: grids of examples as PNG, and several grids as a film (animated PNG).
//!
//! A grid of samples is `grid(&tiles, 10, 2)`. A page of completions has one row of tiles per example (truth, known part, each answer,
//! agreement of the answers), with `columns` set to the tiles per row. A single picture, pixel by pixel, is `grey`.

use crate::DataError;
use crate::visible::Visible;

type Colour = [u8; 3];
const BETWEEN: Colour = [52, 56, 64];
const UNKNOWN: Colour = [84, 76, 120];
const HAIRLINE: Colour = [198, 200, 206];
const PAPER: Colour = [255; 3];
/// More pixels than this are refused: 100 million.
const MAX_PIXELS: u128 = 100_000_000;
/// How long a frame of a film is shown, and the last one, in hundredths of a second.
const FRAME: u16 = 10;
const HOLD: u16 = 200;
/// Approximate width in pixels of a film's row of tiles: small pictures are enlarged.
const FILM_WIDTH: usize = 480;

/// One example as a small picture, high bits white. The default is an empty place.
///
/// The constructors take `image`, the rows and columns of an example; if it is absent or does not fit, the picture is one row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tile {
    rows: usize,
    columns: usize,
    pixels: Vec<Colour>,
}

impl Tile {
    /// Bits: 0 black, anything else white.
    pub fn bits(image: Option<(usize, usize)>, bits: &[u8]) -> Self {
        Self::new(image, bits.iter().map(|&bit| black_or_white(bit)).collect())
    }

    /// Grey levels, 0 black and 255 white: an image before binarization, or the mean of several answers.
    pub fn levels(image: Option<(usize, usize)>, levels: &[u8]) -> Self {
        Self::new(image, levels.iter().map(|&level| [level; 3]).collect())
    }

    /// A visible layer, decoded: in grey if several units stand for a value ([`Visible::Planes`]), as bits otherwise. `image` is the rows
    /// and columns of units.
    pub fn of_units(image: Option<(usize, usize)>, visible: Option<&Visible>, units: &[u8]) -> Self {
        match visible {
            Some(planes @ Visible::Planes { .. }) => {
                let depth = planes.depth().max(1);
                Self::levels(image.map(|(rows, columns)| (rows, columns / depth)), &planes.grey(units))
            }
            _ => Self::bits(image, units),
        }
    }

    /// The same picture with every value violet that has an unknown unit; `[units]`, nonzero if unknown.
    #[must_use]
    pub fn hiding(mut self, unknown: &[u8]) -> Self {
        let depth = (unknown.len() / self.pixels.len().max(1)).max(1);
        let hidden = unknown.chunks(depth).map(|units| units.iter().any(|&unknown| unknown != 0));
        self.pixels.iter_mut().zip(hidden).filter(|(_, hidden)| *hidden).for_each(|(pixel, _)| *pixel = UNKNOWN);
        self
    }

    /// Rows and columns.
    pub fn shape(&self) -> (usize, usize) {
        (self.rows, self.columns)
    }

    fn new(image: Option<(usize, usize)>, pixels: Vec<Colour>) -> Self {
        let whole = (1, pixels.len());
        let (rows, columns) = image.filter(|(rows, columns)| rows.checked_mul(*columns) == Some(pixels.len())).unwrap_or(whole);
        Self { rows, columns, pixels }
    }
}

fn black_or_white(bit: u8) -> Colour {
    if bit == 0 { [0; 3] } else { [255; 3] }
}

/// Tiles in reading order, `columns` per row, each pixel drawn `scale` wide and high, with lines one pixel (so `scale`) wide between and
/// around them. A place is as large as the largest tile. Returns a PNG file.
///
/// ```
/// use dbm_data::picture::{Tile, grid};
/// let tile = Tile::bits(Some((2, 2)), &[0, 1, 1, 0]);
/// let png = grid(&[tile.clone(), tile], 2, 4)?;
/// assert!(png.starts_with(b"\x89PNG"));
/// # Ok::<(), dbm_data::DataError>(())
/// ```
///
/// # Errors
/// [`DataError::OutOfRange`] for no tiles, no columns, scale 0, or more than 100 million pixels.
pub fn grid(tiles: &[Tile], columns: usize, scale: usize) -> Result<Vec<u8>, DataError> {
    Grid { tiles, columns, scale, line: scale, between: BETWEEN, empty: BETWEEN }.file()
}

/// The same for white paper: light lines, one pixel wide at any scale, and white where there is no tile.
///
/// ```
/// use dbm_data::picture::{Tile, light_grid};
/// let tile = Tile::bits(Some((2, 2)), &[0, 1, 1, 0]);
/// let png = light_grid(&[tile.clone(), tile], 2, 4)?;
/// assert_eq!(png[19], 2 * (2 * 4 + 1) + 1); // its width
/// # Ok::<(), dbm_data::DataError>(())
/// ```
///
/// # Errors
/// Those of [`grid`].
pub fn light_grid(tiles: &[Tile], columns: usize, scale: usize) -> Result<Vec<u8>, DataError> {
    Grid { tiles, columns, scale, line: 1, between: HAIRLINE, empty: PAPER }.file()
}

/// Tiles with lines between and around them.
struct Grid<'t> {
    tiles: &'t [Tile],
    columns: usize,
    scale: usize,
    /// Width of a line in pixels.
    line: usize,
    between: Colour,
    /// Colour of a place without a tile, and of the rest of a place with a small one.
    empty: Colour,
}

/// A film, as animated PNG: grids with equally many tiles of one shape, shown in turn in an endless loop; the last one is shown for two
/// seconds. It is in grey levels, enlarged as far as about 480 pixels of width allow. `about` is stored in the file as its description.
///
/// ```
/// use dbm_data::picture::{Tile, film};
/// let frame = |bits| vec![Tile::bits(Some((2, 2)), bits)];
/// let png = film(&[frame(&[0, 1, 1, 0]), frame(&[1, 1, 1, 0])], 8, "steps 1, 2")?;
/// assert!(png.starts_with(b"\x89PNG"));
/// # Ok::<(), dbm_data::DataError>(())
/// ```
///
/// # Errors
/// [`DataError::OutOfRange`] for no frames, frames of different sizes, more than 100 million pixels in all, and those of [`grid`].
pub fn film(frames: &[Vec<Tile>], columns: usize, about: &str) -> Result<Vec<u8>, DataError> {
    let asked = |expected, got: String| DataError::out_of_range("a film", expected, &got);
    let widest = frames.iter().flatten().map(|tile| tile.columns).max().unwrap_or(0).max(1);
    let scale = (FILM_WIDTH / columns.max(1).saturating_mul(widest)).max(1);
    let pixels = |tiles| Grid { tiles, columns, scale, line: 1, between: BETWEEN, empty: BETWEEN }.pixels();
    let first = frames.first().ok_or_else(|| asked("at least one frame", "none".into()))?;
    let (size, first) = pixels(first)?;
    let all = first.len() as u128 * frames.len() as u128;
    if all > MAX_PIXELS {
        return Err(asked("at most 100 million pixels", format!("{all} in {} frames", frames.len())));
    }
    let refused = |error: png::EncodingError| asked("frames that PNG can hold", error.to_string());
    let mut file = Vec::new();
    let mut writer = film_header(&mut file, size, frames.len() as u32, about).map_err(refused)?;
    for (at, tiles) in frames.iter().enumerate() {
        let (other, pixels) = pixels(tiles)?;
        if other != size {
            return Err(asked("frames of one size", format!("{} x {} and {} x {}", size.0, size.1, other.0, other.1)));
        }
        let hold = if at + 1 == frames.len() { HOLD } else { FRAME };
        let grey: Vec<u8> = pixels.into_iter().map(|[_, green, _]| green).collect();
        writer.set_frame_delay(hold, 100).and_then(|()| writer.write_image_data(&grey)).map_err(refused)?;
    }
    writer.finish().map_err(refused)?;
    Ok(file)
}

fn film_header<'f>(
    file: &'f mut Vec<u8>,
    (width, height): (u32, u32),
    frames: u32,
    about: &str,
) -> Result<png::Writer<&'f mut Vec<u8>>, png::EncodingError> {
    let mut encoder = png::Encoder::new(file, width, height);
    encoder.set_color(png::ColorType::Grayscale);
    // A third larger in half the time: a user waits for it.
    encoder.set_compression(png::Compression::Fast);
    encoder.set_animated(frames, 0)?;
    encoder.add_text_chunk("Description".into(), about.into())?;
    encoder.write_header()
}

impl Grid<'_> {
    fn file(self) -> Result<Vec<u8>, DataError> {
        let (size, pixels) = self.pixels()?;
        encode(png::ColorType::Rgb, size, pixels.as_flattened())
            .map_err(|error| DataError::out_of_range("a grid", "a picture PNG can hold", &error.to_string()))
    }

    /// Width and height, and all pixels.
    fn pixels(self) -> Result<((u32, u32), Vec<Colour>), DataError> {
        let asked = |what, expected, got: String| DataError::out_of_range(what, expected, &got);
        let Self { tiles, columns, scale, line, .. } = self;
        if tiles.is_empty() || columns == 0 || scale == 0 {
            let got = format!("{} tiles, {columns} columns, scale {scale}", tiles.len());
            return Err(asked("a grid", "at least one tile, one column and scale 1", got));
        }
        let columns = columns.min(tiles.len());
        let rows = tiles.len().div_ceil(columns);
        let cell = |size: fn(&Tile) -> usize| {
            let largest = tiles.iter().map(size).max().unwrap_or(0);
            (largest as u128 * scale as u128).saturating_add(line as u128)
        };
        let (high, wide) = (cell(|tile| tile.rows), cell(|tile| tile.columns));
        let side = |count: usize, cell: u128| cell.saturating_mul(count as u128).saturating_add(line as u128);
        let (height, width) = (side(rows, high), side(columns, wide));
        if height.saturating_mul(width) > MAX_PIXELS {
            return Err(asked("a grid", "at most 100 million pixels", format!("{width} x {height}")));
        }
        let (height, width) = (height as usize, width as usize);
        let grid = Self { columns, ..self };
        let colour = |at| grid.colour((at / width, at % width), (high as usize, wide as usize));
        Ok(((width as u32, height as u32), (0..height * width).map(colour).collect()))
    }

    /// The colour at `(y, x)`; places, including the line above and left of them, have this height and width.
    fn colour(&self, (y, x): (usize, usize), (high, wide): (usize, usize)) -> Colour {
        let inside = |at: usize, size: usize| Some((at % size).checked_sub(self.line)? / self.scale);
        let (Some(row), Some(column)) = (inside(y, high), inside(x, wide)) else { return self.between };
        match self.tiles.get(y / high * self.columns + x / wide) {
            Some(tile) if row < tile.rows && column < tile.columns => tile.pixels[row * tile.columns + column],
            _ => self.empty,
        }
    }
}

/// One picture of 8-bit grey levels as a PNG file, one pixel per level.
///
/// ```
/// let png = dbm_data::picture::grey((2, 3), &[0, 50, 100, 150, 200, 255])?;
/// assert!(png.starts_with(b"\x89PNG"));
/// # Ok::<(), dbm_data::DataError>(())
/// ```
///
/// # Errors
/// [`DataError::OutOfRange`] if the number of levels is not `rows * columns`, or there are none.
pub fn grey((rows, columns): (usize, usize), levels: &[u8]) -> Result<Vec<u8>, DataError> {
    let asked = |got| DataError::out_of_range("a picture", "a grey level for each of its pixels", &got);
    match (u32::try_from(rows), u32::try_from(columns)) {
        (Ok(height), Ok(width)) if rows.checked_mul(columns) == Some(levels.len()) && !levels.is_empty() => {
            encode(png::ColorType::Grayscale, (width, height), levels).map_err(|error| asked(error.to_string()))
        }
        _ => Err(asked(format!("{} levels for {rows} x {columns}", levels.len()))),
    }
}

fn encode(colour: png::ColorType, (width, height): (u32, u32), bytes: &[u8]) -> Result<Vec<u8>, png::EncodingError> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(colour);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(bytes)?;
    writer.finish()?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::refusal;
    use proptest::prelude::*;

    fn decode(file: &[u8]) -> (usize, Vec<Colour>) {
        let mut reader = png::Decoder::new(std::io::Cursor::new(file)).read_info().unwrap();
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut bytes).unwrap();
        (info.width as usize, bytes.as_chunks().0.to_vec())
    }

    #[test]
    fn every_pixel_is_where_it_belongs() {
        let black = [0; 3];
        let white = [255; 3];
        let tiles = [
            Tile::bits(Some((2, 1)), &[1, 0]),
            Tile::bits(Some((2, 1)), &[1, 1]).hiding(&[0, 1]),
            Tile::levels(Some((2, 1)), &[7, 8]),
        ];
        let b = BETWEEN;
        let expected = [
            [b, b, b, b, b],
            [b, white, b, white, b],
            [b, black, b, UNKNOWN, b],
            [b, b, b, b, b],
            [b, [7; 3], b, b, b],
            [b, [8; 3], b, b, b],
            [b, b, b, b, b],
        ];
        assert_eq!(decode(&grid(&tiles, 2, 1).unwrap()), (5, expected.concat()));
        let (width, large) = decode(&grid(&tiles, 2, 3).unwrap());
        assert_eq!(width, 15);
        for (at, colour) in large.iter().enumerate() {
            assert_eq!(*colour, expected[at / 15 / 3][at % 15 / 3]);
        }
    }

    #[test]
    fn on_paper_lines_are_one_pixel_wide_and_empty_places_white() {
        let tiles = [Tile::bits(Some((1, 2)), &[1, 0]), Tile::levels(Some((1, 1)), &[7]), Tile::default()];
        let (h, black, white, grey) = (HAIRLINE, [0; 3], PAPER, [7; 3]);
        let line = vec![h; 11];
        let first = vec![h, white, white, black, black, h, grey, grey, white, white, h];
        let second = vec![h, white, white, white, white, h, white, white, white, white, h];
        let expected = [&line, &first, &first, &line, &second, &second, &line].map(Vec::as_slice).concat();
        assert_eq!(decode(&light_grid(&tiles, 2, 2).unwrap()), (11, expected));
        assert!(refusal(light_grid(&tiles, 2, usize::MAX)).contains("at most 100 million"));
        assert!(refusal(light_grid(&[], 2, 1)).contains("at least one tile"));
    }

    #[test]
    fn a_grey_picture_keeps_every_level() {
        let levels = [0, 1, 127, 128, 254, 255];
        let picture = crate::reading::image::decode("x", &grey((2, 3), &levels).unwrap()).unwrap();
        assert_eq!((picture.rows, picture.columns, picture.pixels), (2, 3, levels.to_vec()));
        for (shape, levels) in [((2, 2), &levels[..]), ((0, 0), &[]), ((usize::MAX, 2), &levels)] {
            assert!(refusal(grey(shape, levels)).contains("a grey level for each"));
        }
    }

    #[test]
    fn a_film_has_every_frame_and_holds_the_last() {
        let frame = |bits: [u8; 4]| vec![Tile::bits(Some((2, 2)), &bits); 3];
        let frames = [frame([0, 1, 1, 0]), frame([1, 1, 1, 0]), frame([0, 0, 0, 1])];
        let file = film(&frames, 8, "steps 1, 5, 9").unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(file)).read_info().unwrap();
        let animation = reader.info().animation_control.unwrap();
        assert_eq!((animation.num_frames, animation.num_plays), (3, 0));
        assert_eq!(reader.info().uncompressed_latin1_text[0].text, "steps 1, 5, 9");
        let scale = FILM_WIDTH / 8 / 2;
        assert_eq!(reader.info().size(), (3 * (2 * scale as u32 + 1) + 1, 2 * scale as u32 + 1 + 1));
        for (at, tiles) in frames.iter().enumerate() {
            let mut levels = vec![0; reader.output_buffer_size().unwrap()];
            let info = reader.next_frame(&mut levels).unwrap();
            let delay = reader.info().frame_control.unwrap().delay_num;
            assert_eq!(delay, if at == 2 { HOLD } else { FRAME });
            for (pixel, [level, ..]) in tiles[0].pixels.iter().enumerate() {
                let (y, x) = (1 + pixel / 2 * scale, 1 + pixel % 2 * scale);
                assert_eq!(levels[y * info.line_size + x], *level);
            }
        }
        assert!(refusal(film(&[], 8, "")).contains("at least one frame"));
        let other = vec![Tile::bits(Some((1, 2)), &[1, 0])];
        assert!(refusal(film(&[frames[0].clone(), other], 8, "")).contains("frames of one size"));
        let large = vec![Tile::bits(Some((1000, 1000)), &vec![1; 1_000_000]); 64];
        assert!(refusal(film(&[large.clone(), large], 8, "")).contains("at most 100 million pixels"));
    }

    #[test]
    fn without_a_shape_a_tile_is_one_row() {
        for image in [None, Some((2, 2)), Some((usize::MAX, 2))] {
            let (width, pixels) = decode(&grid(&[Tile::bits(image, &[1, 0, 1])], 9, 1).unwrap());
            assert_eq!((width, pixels.len()), (5, 15));
        }
    }

    #[test]
    fn what_cannot_be_drawn_is_refused() {
        let tile = Tile::bits(None, &[1]);
        let one = std::slice::from_ref(&tile);
        for (tiles, columns, scale) in [(&[][..], 1, 1), (one, 0, 1), (one, 1, 0)] {
            assert!(refusal(grid(tiles, columns, scale)).contains("at least one tile"));
        }
        assert!(refusal(grid(one, 1, 1 << 20)).contains("at most 100 million"));
        assert!(refusal(grid(one, 1, usize::MAX)).contains("at most 100 million"));
        assert!(grid(&[Tile::default()], 1, 1).is_ok());
    }

    proptest! {
        #[test]
        fn no_grid_panics(sizes in prop::collection::vec((0_usize..4, 0_usize..4), 0..7), columns in 0_usize..5, scale in 0_usize..4) {
            let tiles: Vec<Tile> = sizes.iter().map(|&(r, c)| Tile::bits(Some((r, c)), &vec![1; r * c])).collect();
            prop_assert_eq!(grid(&tiles, columns, scale).is_ok(), !tiles.is_empty() && columns > 0 && scale > 0);
        }
    }
}
