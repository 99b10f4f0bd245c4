//! PNG and JPEG files as grey pictures.

use super::exif;
use super::limits::{MAX_EXPANSION, MAX_JPEG_EXPANSION, MAX_PIXELS};
use super::orientation::Orientation;
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
    /// Row by row; what is transparent is laid on white.
    pub pixels: Vec<u8>,
    /// 255 where a pixel is opaque; `None` if all are.
    pub opacity: Option<Vec<u8>>,
    /// Whether colours were converted to grey.
    pub coloured: bool,
    /// Whether it was turned as its EXIF data say.
    pub turned: bool,
}

/// The note on pictures of which some were [`Grey::coloured`].
pub(crate) const COLOURED: &str = "Colours were converted to grey: 0.299 red + 0.587 green + 0.114 blue.";

/// The picture, upright. Colours become grey with the weights of ITU-R BT.601, 16 bits become 8, and what EXIF says of its orientation is
/// done.
///
/// # Errors
/// [`DataError::Format`] if the file is damaged; also, before memory is allocated, if it announces more than the limit or more than it can
/// contain.
pub(crate) fn decode(name: &str, bytes: &[u8]) -> Result<Grey, DataError> {
    let DecodedPixels { rows, columns, channels, bytes, orientation } =
        if is_png(bytes) { decode_png(name, bytes)? } else { decode_jpeg(name, bytes)? };
    let has_opacity = channels % 2 == 0;
    let opacity = || bytes.chunks_exact(channels).map(|pixel| pixel[channels - 1]);
    let mut opacity: Option<Vec<u8>> = (has_opacity && opacity().any(|opacity| opacity != 255)).then(|| opacity().collect());
    let mut coloured = false;
    let grey = |pixel: &[u8]| {
        let grey = match *pixel {
            [r, g, b] | [r, g, b, _] => {
                coloured |= r != g || g != b;
                luma([r, g, b])
            }
            _ => pixel[0],
        };
        let opacity = if has_opacity { pixel[channels - 1] } else { 255 };
        255 - opacity + ((u16::from(grey) * u16::from(opacity) + 127) / 255) as u8
    };
    let mut pixels = if channels == 1 { bytes } else { bytes.chunks_exact(channels).map(grey).collect() };
    if let Some(opacity) = &mut opacity {
        orientation.apply(opacity, (rows, columns));
    }
    let (rows, columns) = orientation.apply(&mut pixels, (rows, columns));
    Ok(Grey { rows, columns, pixels, opacity, coloured, turned: !orientation.is_upright() })
}

/// Pixels as a decoder returns them.
struct DecodedPixels {
    rows: usize,
    columns: usize,
    /// Channels per pixel: grey or three colours, plus opacity if their number is even.
    channels: usize,
    bytes: Vec<u8>,
    /// What brings it upright.
    orientation: Orientation,
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
    // EXIF data may follow the pixels; what is damaged there does no harm to them.
    let _ = reader.finish();
    let orientation = reader.info().exif_metadata.as_deref().and_then(exif::orientation).unwrap_or_default();
    Ok(DecodedPixels { rows, columns, channels, bytes, orientation })
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
    let orientation = decoder.exif().and_then(|exif| exif::orientation(exif)).unwrap_or_default();
    Ok(DecodedPixels { rows, columns, channels, bytes, orientation })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::exif::tests::exif;
    use crate::test_support::png;
    use png::{BitDepth, ColorType};

    #[test]
    fn every_kind_of_png_becomes_grey() {
        let read = |color, depth, bytes: &[u8]| decode("x", &png(2, 1, color, depth, bytes)).unwrap();
        assert_eq!(read(ColorType::Grayscale, BitDepth::Eight, &[7, 200]).pixels, [7, 200]);
        assert_eq!(read(ColorType::Grayscale, BitDepth::One, &[0b0100_0000]).pixels, [0, 255]);
        assert_eq!(read(ColorType::Grayscale, BitDepth::Sixteen, &[7, 1, 200, 2]).pixels, [7, 200]);
        let faded = read(ColorType::GrayscaleAlpha, BitDepth::Eight, &[200, 255, 200, 128]);
        assert_eq!((faded.pixels, faded.opacity, faded.coloured), (vec![200, 227], Some(vec![255, 128]), false));
        let rgb = read(ColorType::Rgb, BitDepth::Eight, &[9, 9, 9, 255, 0, 0]);
        assert_eq!((rgb.pixels, rgb.coloured, rgb.opacity), (vec![9, 76], true, None));
        let rgba = read(ColorType::Rgba, BitDepth::Eight, &[0, 0, 0, 0, 0, 255, 0, 255]);
        assert_eq!((rgba.pixels, rgba.opacity), (vec![255, 150], Some(vec![0, 255])));
        let opaque = read(ColorType::Rgba, BitDepth::Eight, &[7, 7, 7, 255, 8, 8, 8, 255]);
        assert_eq!((opaque.pixels, opaque.opacity), (vec![7, 8], None));
    }

    /// A PNG file with EXIF data before or behind its pixels.
    fn png_with(exif: &[u8], behind: bool) -> Vec<u8> {
        let plain = png(3, 2, ColorType::GrayscaleAlpha, BitDepth::Eight, &[1, 255, 2, 255, 3, 255, 4, 255, 5, 255, 6, 0]);
        let mut sum = flate2::Crc::new();
        sum.update(b"eXIf");
        sum.update(exif);
        let chunk = [&(exif.len() as u32).to_be_bytes()[..], b"eXIf", exif, &sum.sum().to_be_bytes()].concat();
        let at = if behind { plain.len() - 12 } else { 33 };
        [&plain[..at], &chunk, &plain[at..]].concat()
    }

    #[test]
    fn what_exif_says_is_done() {
        for behind in [false, true] {
            let turned = decode("x", &png_with(&exif(6, true), behind)).unwrap();
            assert_eq!((turned.rows, turned.columns, turned.turned), (3, 2, true));
            assert_eq!(turned.pixels, [4, 1, 5, 2, 255, 3]);
            assert_eq!(turned.opacity, Some(vec![255, 255, 255, 255, 0, 255]));
            for nothing in [exif(1, false), exif(77, false), b"II".to_vec()] {
                let upright = decode("x", &png_with(&nothing, behind)).unwrap();
                assert_eq!((upright.rows, upright.turned), (2, false));
            }
        }
    }

    /// A JPEG file with a segment behind its beginning.
    fn jpeg_with(plain: &[u8], marker: u8, segment: &[u8]) -> Vec<u8> {
        let length = (segment.len() as u16 + 2).to_be_bytes();
        [&plain[..2], &[0xff, marker], &length, segment, &plain[2..]].concat()
    }

    #[test]
    fn a_jpeg_is_turned_too() {
        let plain = include_bytes!("../../../../tests/fixtures/grey.jpg");
        let upright = decode("x", plain).unwrap();
        let exif = [b"Exif\0\0", &exif(6, false)[..]].concat();
        let mut turned = decode("x", &jpeg_with(plain, 0xe1, &exif)).unwrap();
        assert_eq!((turned.rows, turned.columns, turned.turned, upright.turned), (upright.columns, upright.rows, true, false));
        Orientation::of_exif(8).unwrap().apply(&mut turned.pixels, (turned.rows, turned.columns));
        assert_eq!(turned.pixels, upright.pixels);
    }

    #[test]
    fn four_inks_become_grey() {
        let picture = decode("x", include_bytes!("../../../../fuzz/corpus/jpeg/cmyk")).unwrap();
        // As Pillow reads them.
        assert_eq!((picture.rows, picture.columns, &picture.pixels[..6]), (4, 6, &[250, 249, 228, 25, 18, 122][..]));
    }
}
