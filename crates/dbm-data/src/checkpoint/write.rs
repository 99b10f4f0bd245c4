//! Writes a checkpoint: equal checkpoints give equal bytes.

use super::{Checkpoint, CheckpointView, FORMAT, List, UNNAMED, VERSION};
use crate::DataError;
use dbm_core::{LadderSnapshot, Units};
use half::f16;
use safetensors::Dtype;
use safetensors::tensor::TensorInfo;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// Number of values written at a time.
const PIECE: usize = 1 << 14;

/// Precision of the weights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    /// F32: the values are read back to the bit.
    #[default]
    Full,
    /// F16, for shipping: half the size, weights rounded to 11 bits. Omits the optimizer's state, because a run from rounded numbers could
    /// not be resumed exactly.
    Half,
}

/// The header, with sorted entries. The library's own writer keeps metadata in a hash map, so its order is random.
#[derive(Serialize)]
struct Header {
    #[serde(rename = "__metadata__")]
    metadata: BTreeMap<String, String>,
    #[serde(flatten)]
    tensors: BTreeMap<String, TensorInfo>,
}

/// A file that is fully laid out and checked; only the writing remains.
#[derive(Clone, Debug)]
pub struct Layout<'a> {
    precision: Precision,
    /// Including the length before it and the padding after it.
    header: Vec<u8>,
    tensors: Vec<&'a [f32]>,
}

impl<'a> CheckpointView<'a> {
    /// Lays out the file: its header, and the position of each tensor.
    ///
    /// # Errors
    /// [`DataError::Format`] or [`DataError::Refused`] if its parts do not fit together or are not finite, which with [`Precision::Half`]
    /// includes values beyond 65504.
    pub fn lay_out(&self, precision: Precision) -> Result<Layout<'a>, DataError> {
        self.settle(precision, |values| values)
    }
}

impl<T: AsRef<[f32]>> Checkpoint<T> {
    /// The checkpoint as a safetensors file in memory: one copy of the data.
    ///
    /// # Errors
    /// Those of [`CheckpointView::lay_out`], and [`DataError::Format`] if there is no room.
    pub fn to_bytes(&self, precision: Precision) -> Result<Vec<u8>, DataError> {
        let layout = self.settle(precision, T::as_ref)?;
        let (mut bytes, needed) = (Vec::new(), layout.size());
        let full = || DataError::memory(UNNAMED, needed);
        bytes.try_reserve_exact(needed).map_err(|_| full())?;
        layout.write_to(&mut bytes).map_err(|_| full())?;
        Ok(bytes)
    }

    /// [`CheckpointView::lay_out`] for any tensors.
    fn settle<'s, 'v>(&'s self, precision: Precision, view: impl Fn(&'s T) -> &'v [f32]) -> Result<Layout<'v>, DataError> {
        let sizes = self.check(UNNAMED)?;
        let half = precision == Precision::Half;
        let mut lists = self.lists(&sizes);
        let mut metadata = self.metadata();
        if half && metadata.remove("moments").is_some() {
            // The model, its average and its ladder, two lists each, come first.
            lists.truncate(
                2 + 2 * usize::from(self.average.is_some()) + 2 * self.ladder.as_ref().map_or(0, |ladder| ladder.rungs.len()),
            );
        }
        // Maps are filled one by one: collecting them would sort first, which costs kilobytes of the page.
        let mut tensors: BTreeMap<String, (Vec<usize>, &'v [f32])> = BTreeMap::new();
        for List { name, shapes, tensors: values } in lists {
            let shaped = shapes.into_iter().zip(values.iter().map(&view)).enumerate();
            tensors.extend(shaped.map(|(layer, tensor)| (format!("{name}.{layer}"), tensor)));
        }
        let (dtype, size) = if half { (Dtype::F16, 2) } else { (Dtype::F32, 4) };
        let mut end = 0;
        let mut placed = BTreeMap::new();
        for (name, (shape, values)) in &tensors {
            if half {
                check_half(name, values)?;
            }
            let start = end;
            end += values.len() * size;
            placed.insert(name.clone(), TensorInfo { dtype, shape: shape.clone(), data_offsets: (start, end) });
        }
        let text = json(&Header { metadata, tensors: placed }).into_bytes();
        let length = text.len().next_multiple_of(8);
        let mut header = Vec::with_capacity(8 + length);
        header.extend((length as u64).to_le_bytes());
        header.extend(text);
        header.resize(8 + length, b' ');
        Ok(Layout { precision, header, tensors: tensors.into_values().map(|(_, values)| values).collect() })
    }

    fn metadata(&self) -> BTreeMap<String, String> {
        let units = match self.units {
            Units::Signs => "signs",
            Units::Bits => "bits",
        };
        let mut metadata = self.notes.clone();
        let mut put = |key: &str, value: String| metadata.insert(key.into(), value);
        put("format", FORMAT.into());
        put("version", VERSION.into());
        put("units", units.into());
        put("step", self.step.to_string());
        if let Some((rows, columns)) = self.image {
            put("image", format!("{rows},{columns}"));
        }
        if let Some(settings) = &self.settings {
            put("settings", json(settings));
        }
        if let Some(LadderSnapshot { rate, accepted, temperatures, .. }) = &self.ladder {
            put("ladder", json(&(rate, accepted)));
            if let Some(temperatures) = temperatures {
                put("temperatures", json(temperatures));
            }
        }
        if let Some(moments) = &self.optimizer_state {
            put("moments", moments.len().to_string());
        }
        metadata
    }
}

impl Layout<'_> {
    /// Size of the file in bytes.
    pub fn size(&self) -> usize {
        let each = if self.precision == Precision::Half { 2 } else { 4 };
        self.header.len() + each * self.tensors.iter().map(|values| values.len()).sum::<usize>()
    }

    /// Writes it in pieces, without a copy in memory.
    ///
    /// # Errors
    /// Those of `into`.
    pub fn write_to(&self, into: &mut impl Write) -> io::Result<()> {
        into.write_all(&self.header)?;
        let mut piece = Vec::with_capacity(4 * PIECE);
        for values in self.tensors.iter().flat_map(|values| values.chunks(PIECE)) {
            piece.clear();
            match self.precision {
                Precision::Full => piece.extend(values.iter().flat_map(|value| value.to_le_bytes())),
                Precision::Half => piece.extend(values.iter().flat_map(|&value| f16::from_f32(value).to_le_bytes())),
            }
            into.write_all(&piece)?;
        }
        Ok(())
    }
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("strings and numbers have a JSON form")
}

/// Accepts values that half precision can hold.
fn check_half(tensor: &str, values: &[f32]) -> Result<(), DataError> {
    let Some(at) = values.iter().position(|&value| !f16::from_f32(value).is_finite()) else { return Ok(()) };
    let expected = "values of at most 65504, which half precision can hold";
    let got = format!("value {at} is {}", values[at]);
    Err(DataError::part(UNNAMED, &format!("tensor {tensor}"), expected, got, "save it in full precision"))
}
