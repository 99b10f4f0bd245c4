//! What a run needs in addition to its checkpoints, as bytes: a line of JSON, then the bytes of its data.

use dbm_core::settings::RunPlan;
use dbm_protocol::{DataSource, EncodedData};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The data of a run, the plan with which it began, and its description.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunDescription {
    /// Name of its data, to show as text.
    pub data: String,
    /// Layer sizes, the visible one first.
    pub sizes: Vec<u32>,
    /// The source of its data, or the data themselves.
    pub source: DataSource,
    /// The settings and the start with which it began.
    pub plan: RunPlan,
}

/// The line of JSON: the description without the bytes of the data, which follow it.
#[derive(Serialize, Deserialize)]
struct Line {
    #[serde(rename = "head")] // as in the files of earlier visits
    description: RunDescription,
    /// Number of bytes of each field that follow.
    follow: Vec<usize>,
}

/// The byte fields of a source: megabytes, which do not belong in JSON.
fn fields(source: &mut DataSource) -> Vec<&mut Vec<u8>> {
    match source {
        DataSource::Digits { .. } | DataSource::Bars => Vec::new(),
        // Every field is named, so that a new one is not forgotten here.
        DataSource::Examples(EncodedData {
            name: _,
            width: _,
            reading: _,
            sha256: _,
            packed,
            known,
            greys,
            grey_top: _,
            image: _,
            depth: _,
            held_back,
            visible: _,
            table,
        }) => {
            vec![packed, known, held_back, table, greys]
        }
    }
}

impl RunDescription {
    /// Its bytes, in parts.
    ///
    /// # Errors
    ///
    /// If the plan contains something that JSON cannot express.
    pub fn into_parts(mut self) -> Result<Vec<Vec<u8>>, String> {
        let data: Vec<Vec<u8>> = fields(&mut self.source).into_iter().map(std::mem::take).collect();
        let line = Line { description: self, follow: data.iter().map(Vec::len).collect() };
        let mut line = serde_json::to_vec(&line).map_err(|problem| problem.to_string())?;
        line.push(b'\n'); // compact JSON contains none
        Ok(std::iter::once(line).chain(data).collect())
    }

    /// From those bytes, joined; `None` if a build with other data or settings wrote them.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let end = bytes.iter().position(|&byte| byte == b'\n')?;
        let (line, mut rest) = (&bytes[..end], &bytes[end + 1..]);
        let mut line: Value = serde_json::from_slice(line).ok()?;
        // Earlier builds stored what the bits stand for as JSON inside a string.
        if let Some(visible) = line.pointer_mut("/head/source/Examples/visible")
            && let Some(text) = visible.as_str()
        {
            *visible = serde_json::from_str(text).unwrap_or_default();
        }
        let Line { mut description, follow } = serde_json::from_value(line).ok()?;
        // Earlier builds stored fewer.
        let fields = fields(&mut description.source);
        if fields.len() < follow.len() {
            return None;
        }
        for (field, length) in fields.into_iter().zip(follow) {
            let (mine, others) = rest.split_at_checked(length)?;
            *field = mine.to_vec();
            rest = others;
        }
        rest.is_empty().then_some(description)
    }
}
