//! Renders an SVG picture as PNG with the program's own font, so that it is the same on every machine.

use super::refused;
use crate::Error;
use resvg::tiny_skia::{Color, Pixmap, Transform};
use resvg::usvg::fontdb::Database;
use resvg::usvg::{ImageHrefResolver, Options, Tree};
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// Pixels per SVG pixel.
const SCALE: f32 = 2.0;
/// Larger pictures are refused: 100 million pixels are 400 MB.
const MAX_PIXELS: u64 = 100_000_000;

/// The picture at twice its size, for sharp letters on high-resolution screens. Texts are set in DejaVu Sans, whatever font the SVG names,
/// and only pictures embedded as data are drawn: no file is read.
///
/// # Errors
/// [`Error::Input`] if it is not SVG, or has more than 100 million pixels at twice its size.
pub fn png(svg: &str) -> Result<Vec<u8>, Error> {
    let resolver = ImageHrefResolver { resolve_string: Box::new(|_, _| None), ..ImageHrefResolver::default() };
    let options = Options { font_family: FAMILY.into(), fontdb: fonts(), image_href_resolver: resolver, ..Options::default() };
    let tree = Tree::from_str(svg, &options).or_else(|error| refused(&format!("expected an SVG picture, but {error}")))?;
    let size = tree.size();
    let (width, height) = ((size.width() * SCALE).ceil() as u32, (size.height() * SCALE).ceil() as u32);
    if u64::from(width) * u64::from(height) > MAX_PIXELS {
        return refused(&format!(
            "expected at most 100 million pixels, but got {width} x {height}; spread it over several plots"
        ));
    }
    let Some(mut picture) = Pixmap::new(width, height) else {
        return refused(&format!("expected a picture of at least a pixel, but got {width} x {height}"));
    };
    picture.fill(Color::WHITE);
    resvg::render(&tree, Transform::from_scale(SCALE, SCALE), &mut picture.as_mut());
    encode(&picture).or_else(|error| refused(&format!("it cannot be written as PNG: {error}")))
}

/// Without transparency, on white, and as small as possible: such files are stored in documents.
fn encode(picture: &Pixmap) -> Result<Vec<u8>, png::EncodingError> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, picture.width(), picture.height());
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_compression(png::Compression::High);
    let mut writer = encoder.write_header()?;
    // Every pixel is opaque, so no colour is premultiplied.
    let bytes: Vec<u8> = picture.pixels().iter().flat_map(|pixel| [pixel.red(), pixel.green(), pixel.blue()]).collect();
    writer.write_image_data(&bytes)?;
    writer.finish()?;
    Ok(file)
}

/// As PNG if the file's name ends in .png, unchanged otherwise.
///
/// # Errors
/// Those of [`png()`].
pub fn by_name(path: &Path, svg: String) -> Result<Vec<u8>, Error> {
    let is_png = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("png"));
    if is_png { png(&svg) } else { Ok(svg.into_bytes()) }
}

const FAMILY: &str = "DejaVu Sans";

fn fonts() -> Arc<Database> {
    static FONTS: OnceLock<Arc<Database>> = OnceLock::new();
    let load = || {
        let mut fonts = Database::new();
        fonts.load_font_data(dejavu::sans::regular().to_vec());
        fonts.load_font_data(dejavu::sans::bold().to_vec());
        fonts.set_sans_serif_family(FAMILY);
        fonts.set_serif_family(FAMILY);
        fonts.set_monospace_family(FAMILY);
        Arc::new(fonts)
    };
    FONTS.get_or_init(load).clone()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A PNG's pixels: its width, and the red, green and blue of each pixel.
    pub fn pixels(png: &[u8]) -> (u32, Vec<[u8; 3]>) {
        let picture = Pixmap::decode_png(png).unwrap();
        (picture.width(), picture.pixels().iter().map(|pixel| [pixel.red(), pixel.green(), pixel.blue()]).collect())
    }

    fn drawn(inside: &str) -> (u32, Vec<[u8; 3]>) {
        let head =
            r##"<svg width="60" height="20" xmlns="http://www.w3.org/2000/svg"><rect width="60" height="20" fill="#fff"/>"##;
        pixels(&png(&format!("{head}{inside}</svg>")).unwrap())
    }

    fn count(pixels: &[[u8; 3]], colour: impl Fn([u8; 3]) -> bool) -> usize {
        pixels.iter().filter(|&&pixel| colour(pixel)).count()
    }

    const WHITE: [u8; 3] = [255; 3];

    #[test]
    fn it_is_twice_as_large_and_texts_come_out_in_any_font() {
        for font in ["sans-serif", "serif", "No Such Font"] {
            let (width, pixels) = drawn(&format!(r#"<text x="2" y="15" font-family="{font}" font-size="15">−8·10⁻³</text>"#));
            assert_eq!((width, pixels.len()), (120, 120 * 40));
            let dark = count(&pixels, |[red, ..]| red < 100);
            assert!((200..2400).contains(&dark), "{font}: {dark}");
        }
        assert_eq!(count(&drawn("").1, |pixel| pixel == WHITE), 120 * 40);
        // A different text gives a different picture: actual letters, not one symbol for every missing glyph.
        let text = |text: &str| drawn(&format!(r#"<text x="2" y="15" font-size="15">{text}</text>"#)).1;
        for (one, other) in [("⁵", "⁶"), ("τ", "T"), ("−", "·")] {
            assert_ne!(text(one), text(other));
        }
    }

    #[test]
    fn dashes_transparency_and_clipping_come_out() {
        let line = |dashes: &str| {
            let line =
                format!(r##"<line x1="0" y1="10" x2="60" y2="10" stroke="#000" stroke-width="2" stroke-dasharray="{dashes}"/>"##);
            count(&drawn(&line).1, |pixel| pixel == [0; 3])
        };
        assert_eq!((line("none"), line("5 5")), (120 * 4, 60 * 4));
        let (_, band) = drawn(r##"<polygon fill="#0072b2" fill-opacity="0.14" points="0,0 60,0 60,20 0,20"/>"##);
        assert_eq!(count(&band, |[red, green, blue]| red == 219 && (234..=236).contains(&green) && blue > green), 120 * 40);
        let (_, cut) = drawn(r##"<svg x="10" y="0" width="5" height="20"><rect width="60" height="60" fill="#000"/></svg>"##);
        assert_eq!(count(&cut, |pixel| pixel == [0; 3]), 10 * 40);
    }

    #[test]
    fn what_is_no_picture_is_refused() {
        for nonsense in ["", "no picture", "<svg", "<svg width=\"0\" height=\"0\" xmlns=\"http://www.w3.org/2000/svg\"/>"] {
            assert!(png(nonsense).is_err(), "{nonsense}");
        }
        let huge = png(r#"<svg width="90000" height="90000" xmlns="http://www.w3.org/2000/svg"/>"#).unwrap_err().to_string();
        assert!(huge.contains("180000 x 180000"), "{huge}");
    }

    #[test]
    fn no_file_is_read() {
        let (_, pixels) = drawn(r#"<image x="0" y="0" width="60" height="20" href="Cargo.toml"/>"#);
        assert_eq!(count(&pixels, |pixel| pixel == WHITE), 120 * 40);
    }
}
