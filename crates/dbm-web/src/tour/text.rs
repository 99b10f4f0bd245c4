//! The tour's text: `docs/tour.md`, parsed for the page.
//!
//! A step is a numbered heading of the second level, a comment that readers of the file do not see, and paragraphs. The comment
//! gives `view`; `at`, names of `data-tour` on the page; and, if something is to be pressed, `press`, its CSS selector within the
//! first of those names, which changes the last of them. A paragraph that begins with `**Try it:**` asks for the action.

use crate::ui::address::View;

const TEXT: &str = include_str!("../../../../docs/tour.md");
const ASKS: &str = "**Try it:** ";

/// One step.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Its heading, without its number.
    pub title: &'static str,
    /// The view that it points into.
    pub view: View,
    /// The elements it points at, by names of `data-tour`.
    pub at: &'static [&'static str],
    /// What is pressed within the first of these, which changes the last: a CSS selector.
    pub press: Option<&'static str>,
    /// What is shown, and why.
    pub paragraphs: Vec<&'static str>,
    /// What the visitor is asked to do.
    pub asks: Option<&'static str>,
}

impl Step {
    /// Selector on the page of what is to be pressed.
    pub fn selector(&self) -> Option<String> {
        self.press.map(|press| format!("[data-tour={}] {press}", self.at[0]))
    }
}

/// All steps, in order.
pub fn steps() -> Vec<Step> {
    TEXT.split("\n## ").skip(1).filter_map(step).collect()
}

/// The step of a section; `None` if the section has another form.
fn step(section: &'static str) -> Option<Step> {
    let (heading, body) = section.split_once('\n')?;
    let (_, title) = heading.split_once(". ")?;
    let (comment, body) = body.trim_start().strip_prefix("<!--")?.split_once("-->")?;
    let entry = |key: &str| {
        comment
            .split(';')
            .filter_map(|entry| entry.split_once(':'))
            .find(|(name, _)| name.trim() == key)
            .map(|(_, value)| value.trim())
    };
    let (asking, paragraphs): (Vec<_>, Vec<_>) =
        body.split("\n\n").map(str::trim).filter(|text| !text.is_empty()).partition(|text| text.starts_with(ASKS));
    Some(Step {
        title,
        view: View::named(entry("view")?)?,
        // For as long as the page is open.
        at: entry("at")?.split(", ").collect::<Vec<_>>().leak(),
        press: entry("press"),
        paragraphs,
        asks: asking.first().and_then(|text| text.strip_prefix(ASKS)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_section_of_the_file_is_a_step() {
        let steps = steps();
        assert_eq!(steps.len(), TEXT.matches("\n## ").count(), "a section has another form");
        assert!((8..=12).contains(&steps.len()));
        for (place, step) in steps.iter().enumerate() {
            assert!(TEXT.contains(&format!("\n## {}. {}\n", place + 1, step.title)), "{}: its number", step.title);
            assert_eq!(step.paragraphs.len(), 1, "{}: two sentences", step.title);
            assert_eq!(step.press.is_some(), step.asks.is_some(), "{}: what is asked for can be pressed", step.title);
            // Text is shown literally, so it contains no Markdown.
            let texts = || step.paragraphs.iter().chain(&step.asks);
            assert!(texts().all(|text| !text.contains(['*', '`', '[', '<', '\n'])), "{}", step.title);
        }
        // The three questions, each with the step that answers it.
        for question in ["What is this?", "Why are there several answers?", "Why should I care that it is unbiased?"] {
            assert_eq!(steps.iter().filter(|step| step.title == question).count(), 1, "{question}");
        }
    }
}
