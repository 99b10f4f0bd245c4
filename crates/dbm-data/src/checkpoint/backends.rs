//! Which backends computed a run: the note `backends` of a checkpoint.

use crate::DataError;
use crate::names::line;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;

/// Number of characters of a name that are kept.
const MAX_NAME: usize = 120;

/// Which backend computed a run from which step on; empty if unknown, as in files older than this note.
///
/// Backends agree up to rounding and random numbers, not to the bit, so a run records which of them computed it.
///
/// ```
/// use dbm_data::Backends;
/// let mut backends = Backends::default();
/// backends.computed_by(0, "fast");
/// backends.computed_by(120, "gpu: llvmpipe");
/// assert_eq!(backends.to_string(), "fast until step 120, then gpu: llvmpipe");
/// let notes = [(Backends::NOTE.to_string(), backends.to_json())].into();
/// assert_eq!(Backends::from_notes("run.safetensors", &notes)?, backends);
/// # Ok::<(), dbm_data::DataError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Backends(Vec<(u64, String)>);

impl Backends {
    /// The note's key in [`crate::Checkpoint::notes`].
    pub const NOTE: &'static str = "backends";

    /// Reads the note of the file with this name; empty if there is none.
    ///
    /// # Errors
    /// [`DataError::Format`] if the note is not a list of ascending steps and names.
    pub fn from_notes(name: &str, notes: &BTreeMap<String, String>) -> Result<Self, DataError> {
        let Some(note) = notes.get(Self::NOTE) else {
            return Ok(Self::default());
        };
        let steps: Option<Vec<(u64, String)>> = serde_json::from_str(note).ok();
        let steps = steps.filter(|steps| steps.is_sorted_by(|(before, _), (after, _)| before < after));
        let steps = steps.filter(|steps| steps.iter().all(|(_, name)| !name.is_empty()));
        let Some(steps) = steps else {
            let part = format!("metadata entry `{}`", Self::NOTE);
            let expected = "ascending steps and names in JSON, as in `[[0,\"fast\"]]`";
            let got = format!("it is {:?}", line(note, 80));
            return Err(DataError::part(name, &part, expected, got, "correct it, or leave it out"));
        };
        Ok(Self(steps.into_iter().map(|(step, name)| (step, line(&name, MAX_NAME))).collect()))
    }

    /// The form of the note: `[[0,"fast"],[120,"plain"]]`.
    pub fn to_json(&self) -> String {
        serde_json::json!(self).to_string()
    }

    /// Records this backend from this step on. Entries for later steps are removed: a run can be resumed from before its end.
    pub fn computed_by(&mut self, from_step: u64, name: &str) {
        let name = line(name, MAX_NAME);
        self.0.retain(|&(step, _)| step < from_step);
        if self.last() != Some(&name) {
            self.0.push((from_step, name));
        }
    }

    /// What computed the last steps, if known.
    pub fn last(&self) -> Option<&str> {
        self.0.last().map(|(_, name)| name.as_str())
    }

    /// All of them in one sentence, with each name in these words: `fast until step 120, then plain`.
    pub fn in_words(&self, of: impl Fn(&str) -> String) -> String {
        let unknown = (0, "not known".to_string());
        let known_from = self.0.first().map_or(u64::MAX, |&(step, _)| step);
        let all = Some(&unknown).filter(|_| known_from > 0).into_iter().chain(&self.0);
        let parts = all.enumerate().map(|(i, (step, name))| match i {
            0 => of(name),
            _ => format!(" until step {step}, then {}", of(name)),
        });
        parts.collect()
    }
}

/// `fast until step 120, then plain`.
impl fmt::Display for Backends {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.in_words(str::to_string))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn backends(steps: &[(u64, &str)]) -> Backends {
        let mut backends = Backends::default();
        steps.iter().for_each(|&(step, name)| backends.computed_by(step, name));
        backends
    }

    fn read(note: &str) -> Result<Backends, DataError> {
        Backends::from_notes("run.safetensors", &BTreeMap::from([(Backends::NOTE.to_string(), note.to_string())]))
    }

    #[test]
    fn what_was_written_is_read() {
        for all in [backends(&[]), backends(&[(0, "fast")]), backends(&[(7, "plain"), (120, "gpu: \"A\" (B)"), (130, "fast")])] {
            assert_eq!(read(&all.to_json()).unwrap(), all);
        }
        assert_eq!(Backends::from_notes("run.safetensors", &BTreeMap::new()).unwrap(), Backends::default());
    }

    #[test]
    fn only_another_name_is_appended_and_what_no_longer_holds_is_replaced() {
        assert_eq!(backends(&[(0, "fast"), (120, "fast")]).to_json(), "[[0,\"fast\"]]");
        assert_eq!(backends(&[(0, "fast"), (120, "plain"), (120, "gpu")]).to_json(), "[[0,\"fast\"],[120,\"gpu\"]]");
        assert_eq!(backends(&[(0, "fast"), (120, "plain"), (60, "gpu")]).to_json(), "[[0,\"fast\"],[60,\"gpu\"]]");
        assert_eq!(backends(&[(0, "fast"), (120, "plain"), (60, "fast")]).to_json(), "[[0,\"fast\"]]");
        assert_eq!(backends(&[(0, "fast"), (120, "plain")]).last(), Some("plain"));
        assert_eq!(Backends::default().last(), None);
    }

    #[test]
    fn people_can_read_it() {
        assert_eq!(Backends::default().to_string(), "not known");
        assert_eq!(backends(&[(0, "fast")]).to_string(), "fast");
        assert_eq!(
            backends(&[(50, "gpu: A"), (120, "fast")]).to_string(),
            "not known until step 50, then gpu: A until step 120, then fast"
        );
    }

    #[test]
    fn nothing_else_is_taken_for_one() {
        for note in [
            "",
            "fast",
            "{}",
            "[[0]]",
            "[[-1,\"fast\"]]",
            "[[0,\"\"]]",
            "[[5,\"fast\"],[5,\"plain\"]]",
            "[[5,\"fast\"],[0,\"plain\"]]",
        ] {
            let said = read(note).unwrap_err().to_string();
            assert!(said.contains("run.safetensors") && said.contains("expected ascending steps"), "{said}");
        }
        // A foreign name cannot write over a terminal's lines.
        assert_eq!(read("[[0,\"a\\u001b[2Kb\"]]").unwrap().to_string(), "a\u{fffd}[2Kb");
    }
}
