//! Text in a picture that is written by hand: escaped, measured, broken into lines.

use std::fmt::Write;

/// Pixels of a letter's width for each of its height, on average and a little more: of sans-serif fonts, DejaVu Sans is a wide one.
const WIDTH: f64 = 0.6;

/// At most about so many pixels.
pub(super) fn width(text: &str, size: f64) -> f64 {
    text.chars().count() as f64 * size * WIDTH
}

/// What XML reads as this text. Characters that it cannot hold become the mark for such.
pub(super) fn escaped(text: &str) -> String {
    text.chars().fold(String::new(), |mut done, letter| {
        match letter {
            '&' => done.push_str("&amp;"),
            '<' => done.push_str("&lt;"),
            '>' => done.push_str("&gt;"),
            '"' => done.push_str("&quot;"),
            '\'' => done.push_str("&apos;"),
            letter if letter.is_control() || matches!(letter, '\u{fffe}' | '\u{ffff}') => done.push('\u{fffd}'),
            letter => done.push(letter),
        }
        done
    })
}

/// Lines of at most so many pixels, broken between words; a word longer than that has a line of its own.
pub(super) fn lines(text: &str, size: f64, most: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if width(line, size) + width(word, size) + width(" ", size) <= most => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Pixels of the longest line.
pub(super) fn widest(lines: &[String], size: f64) -> f64 {
    lines.iter().map(|line| width(line, size)).fold(0.0, f64::max)
}

/// How text is set: where its anchor is, its height in pixels, its colour.
#[derive(Clone, Copy)]
pub(super) struct Type {
    pub size: f64,
    pub anchor: &'static str,
    pub bold: bool,
}

impl Type {
    pub(super) const fn new(size: f64, anchor: &'static str) -> Self {
        Self { size, anchor, bold: false }
    }

    /// Writes a line whose letters stand at `y`.
    pub(super) fn write(self, svg: &mut String, (x, y): (f64, f64), text: &str) {
        let Self { size, anchor, bold } = self;
        let weight = if bold { r#" font-weight="bold""# } else { "" };
        let text = escaped(text);
        let _ = writeln!(
            svg,
            r##"<text x="{x:.1}" y="{y:.1}" font-family="sans-serif" font-size="{size}" fill="#222222" text-anchor="{anchor}"{weight}>{text}</text>"##
        );
    }
}

/// The picture around what was drawn, on white.
pub(super) fn document(width: f64, height: f64, inside: &str) -> String {
    let (width, height) = (width.ceil(), height.ceil());
    format!(
        r##"<svg width="{width}" height="{height}" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<rect x="0" y="0" width="{width}" height="{height}" fill="#ffffff"/>
{inside}</svg>
"##
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_text_is_text() {
        assert_eq!(escaped("a<b> & \"c\" 'd'\u{0}"), "a&lt;b&gt; &amp; &quot;c&quot; &apos;d&apos;\u{fffd}");
    }

    #[test]
    fn lines_break_between_words() {
        assert_eq!(lines("one two  three", 10.0, 6.0 * 7.0), ["one two", "three"]);
        assert_eq!(lines("endlessly long", 10.0, 12.0), ["endlessly", "long"]);
        assert!(lines("  ", 10.0, 12.0).is_empty());
    }
}
