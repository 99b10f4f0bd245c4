//! PNG and JPEG files as grey pictures.

use super::limits::{MAX_EXPANSION, MAX_JPEG_EXPANSION, MAX_PIXELS};
use crate::DataError;
use crate::error::zeros;
use crate::names::line;
use png::Transformations;
use std::fmt::Display;
use std::io::Cursor;
use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

/// A single-channel picture, 0 black and 255 white.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Grey {
    pub rows: usize,
    pub columns: usize,
    /// Row by row.
    pub pixels: Vec<u8>,
    /// Whether colours were converted to grey.
    pub coloured: bool,
    /// Whether some pixels were not opaque.
    pub transparent: bool,
}

/// Notes for the visitor if any picture was [`Grey::coloured`] or [`Grey::transparent`].
pub(crate) fn notes(coloured: bool, transparent: bool) -> impl Iterator<Item = String> {
    let coloured = coloured.then_some("Colours were converted to grey: 0.299 red + 0.587 green + 0.114 blue.");
    let transparent = transparent.then_some("Grey values were multiplied by their opacity: what is transparent is black.");
    coloured.into_iter().chain(transparent).map(String::from)
}

/// Rows and columns that a file announces.
///
/// # Errors
/// As [`decode`].
pub(crate) fn size(name: &str, bytes: &[u8]) -> Result<(usize, usize), DataError> {
    if is_png(bytes) {
        png_reader(name, bytes).map(|reader| sides(&reader))
    } else {
        jpeg_reader(name, bytes).map(|(_, size)| size)
    }
}

/// The picture. Colours become grey with the weights of ITU-R BT.601, opacity multiplies, 16 bits become 8.
///
/// # Errors
/// [`DataError::Format`] if the file is damaged; also, before memory is allocated, if it announces more than the limit or more than it can
/// contain.
pub(crate) fn decode(name: &str, bytes: &[u8]) -> Result<Grey, DataError> {
    let DecodedPixels { rows, columns, channels, bytes } =
        if is_png(bytes) { decode_png(name, bytes)? } else { decode_jpeg(name, bytes)? };
    let (mut coloured, mut transparent) = (false, false);
    let grey = |pixel: &[u8]| {
        let grey = match *pixel {
            [r, g, b] | [r, g, b, _] => {
                coloured |= r != g || g != b;
                luma([r, g, b])
            }
            _ => pixel[0],
        };
        let opacity = if channels % 2 == 0 { pixel[channels - 1] } else { 255 };
        transparent |= opacity != 255;
        ((u16::from(grey) * u16::from(opacity) + 127) / 255) as u8
    };
    let pixels = if channels == 1 { bytes } else { bytes.chunks_exact(channels).map(grey).collect() };
    Ok(Grey { rows, columns, pixels, coloured, transparent })
}

/// Pixels as a decoder returns them.
struct DecodedPixels {
    rows: usize,
    columns: usize,
    /// Channels per pixel: grey or three colours, plus opacity if their number is even.
    channels: usize,
    bytes: Vec<u8>,
}

fn is_png(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\x89PNG")
}

fn damaged(name: &str, expected: &str, reason: &dyn Display) -> DataError {
    // The text after "while" is only useful to the decoder's authors.
    let reason = reason.to_string();
    let got = format!("it fails ({})", line(reason.split(" while ").next().unwrap_or("").trim(), 160));
    DataError::format(name, expected, got, "the file is cut short or damaged, save it again")
}

/// Checks that the size is within the limits, and that the file is long enough for it.
fn check(name: &str, (rows, columns): (usize, usize), packed: u128, got: usize) -> Result<(), DataError> {
    let pixels = rows as u128 * columns as u128;
    if pixels == 0 {
        return Err(DataError::empty(name));
    }
    if pixels > MAX_PIXELS as u128 {
        return Err(DataError::format(
            name,
            format!("at most {MAX_PIXELS} pixels"),
            format!("it announces {rows} x {columns}"),
            "cut it into smaller pictures",
        ));
    }
    if packed > got as u128 {
        let what = "a picture of the size it announces";
        return Err(DataError::truncated(name, what, packed, got));
    }
    Ok(())
}

type PngReader<'a> = png::Reader<Cursor<&'a [u8]>>;

fn sides(reader: &PngReader) -> (usize, usize) {
    let (width, height) = reader.info().size();
    (height as usize, width as usize)
}

fn png_reader<'a>(name: &str, bytes: &'a [u8]) -> Result<PngReader<'a>, DataError> {
    let refuse = |error: png::DecodingError| damaged(name, "an intact PNG image", &error);
    let mut decoder = png::Decoder::new(Cursor::new(bytes));
    decoder.set_transformations(Transformations::EXPAND | Transformations::STRIP_16);
    decoder.set_ignore_text_chunk(true);
    decoder.set_ignore_iccp_chunk(true);
    // The decoder allocates lines of the announced width before it reaches the pixels, so the size is checked first.
    let (width, height) = decoder.read_header_info().map_err(refuse)?.size();
    let info = decoder.read_header_info().map_err(refuse)?;
    let raw = (info.raw_row_length() as u128) * u128::from(height);
    let least = raw.div_ceil(MAX_EXPANSION as u128);
    check(name, (height as usize, width as usize), least, bytes.len())?;
    decoder.read_info().map_err(refuse)
}

fn decode_png(name: &str, bytes: &[u8]) -> Result<DecodedPixels, DataError> {
    let mut reader = png_reader(name, bytes)?;
    let (rows, columns) = sides(&reader);
    // Palettes are expanded.
    let channels = reader.output_color_type().0.samples();
    let mut bytes = zeros(name, reader.output_buffer_size().unwrap_or(usize::MAX))?;
    reader.next_frame(&mut bytes).map_err(|error| damaged(name, "an intact PNG image", &error))?;
    Ok(DecodedPixels { rows, columns, channels, bytes })
}

/// Rec. 601, rounded; equal channels are unchanged.
fn luma([r, g, b]: [u8; 3]) -> u8 {
    ((299 * u32::from(r) + 587 * u32::from(g) + 114 * u32::from(b) + 500) / 1000) as u8
}

type JpegReader<'a> = JpegDecoder<ZCursor<&'a [u8]>>;

fn jpeg_reader<'a>(name: &str, bytes: &'a [u8]) -> Result<(JpegReader<'a>, (usize, usize)), DataError> {
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), DecoderOptions::default());
    decoder.decode_headers().map_err(|error| damaged(name, "an intact JPEG image", &error))?;
    let size = decoder.info().map_or((0, 0), |info| (usize::from(info.height), usize::from(info.width)));
    let least = (size.0 * size.1).div_ceil(MAX_JPEG_EXPANSION);
    check(name, size, least as u128, bytes.len())?;
    // The decoder fills missing parts with grey.
    let last = |marker: u8| bytes.windows(2).rposition(|pair| pair == [0xff, marker]);
    if last(0xd9) < last(0xda) {
        return Err(damaged(name, "a JPEG image up to its end marker", &"the marker is not there"));
    }
    Ok((decoder, size))
}

fn decode_jpeg(name: &str, bytes: &[u8]) -> Result<DecodedPixels, DataError> {
    let (mut decoder, (rows, columns)) = jpeg_reader(name, bytes)?;
    let is_grey = decoder.input_colorspace() == Some(ColorSpace::Luma);
    let (wanted, channels) = if is_grey { (ColorSpace::Luma, 1) } else { (ColorSpace::RGB, 3) };
    decoder.set_options(DecoderOptions::default().jpeg_set_out_colorspace(wanted));
    let bytes = decoder.decode().map_err(|error| damaged(name, "an intact JPEG image", &error))?;
    if bytes.len() != channels * rows * columns {
        return Err(damaged(name, "a JPEG image of one or three channels", &"it has others"));
    }
    Ok(DecodedPixels { rows, columns, channels, bytes })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::png;
    use png::{BitDepth, ColorType};

    #[test]
    fn every_kind_of_png_becomes_grey() {
        let read = |color, depth, bytes: &[u8]| decode("x", &png(2, 1, color, depth, bytes)).unwrap();
        assert_eq!(read(ColorType::Grayscale, BitDepth::Eight, &[7, 200]).pixels, [7, 200]);
        assert_eq!(read(ColorType::Grayscale, BitDepth::One, &[0b0100_0000]).pixels, [0, 255]);
        assert_eq!(read(ColorType::Grayscale, BitDepth::Sixteen, &[7, 1, 200, 2]).pixels, [7, 200]);
        let faded = read(ColorType::GrayscaleAlpha, BitDepth::Eight, &[200, 255, 200, 128]);
        assert_eq!((faded.pixels, faded.transparent, faded.coloured), (vec![200, 100], true, false));
        let rgb = read(ColorType::Rgb, BitDepth::Eight, &[9, 9, 9, 255, 0, 0]);
        assert_eq!((rgb.pixels, rgb.coloured, rgb.transparent), (vec![9, 76], true, false));
        let rgba = read(ColorType::Rgba, BitDepth::Eight, &[255, 255, 255, 0, 0, 255, 0, 255]);
        assert_eq!((rgba.pixels, rgba.transparent), (vec![0, 150], true));
    }
}
