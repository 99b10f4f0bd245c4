//! A checkpoint's bytes, the same for the same checkpoint.

use super::{Checkpoint, FORMAT, UNNAMED, VERSION};
use crate::DataError;
use dbm_core::{Parameters, Units};
use half::f16;
use safetensors::Dtype;
use safetensors::tensor::TensorInfo;
use serde::Serialize;
use std::collections::BTreeMap;

/// How weights are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    /// F32: what is read is what was written, to the bit.
    #[default]
    Full,
    /// F16, for shipping: half the size, weights rounded to 11 bits. Leaves the optimizer's state out, since a run of
    /// rounded numbers could not go on exactly.
    Half,
}

/// The header, its entries sorted. The library's own writer keeps metadata in a hash map, and so in an order of chance.
#[derive(Serialize)]
struct Header {
    #[serde(rename = "__metadata__")]
    metadata: BTreeMap<String, String>,
    #[serde(flatten)]
    tensors: BTreeMap<String, TensorInfo>,
}

impl Checkpoint {
    /// The checkpoint as a safetensors file.
    ///
    /// # Errors
    /// [`DataError::Tensor`], [`DataError::Metadata`] or [`DataError::Refused`] where its parts do not fit together or are
    /// not finite, which with [`Precision::Half`] includes values beyond 65504.
    pub fn to_bytes(&self, precision: Precision) -> Result<Vec<u8>, DataError> {
        self.check(UNNAMED)?;
        if precision == Precision::Half && self.moments.is_some() {
            return Self { moments: None, persistent: None, offsets: None, ..self.clone() }.to_bytes(precision);
        }
        let (dtype, size) = match precision {
            Precision::Full => (Dtype::F32, 4),
            Precision::Half => (Dtype::F16, 2),
        };
        let sets: Vec<(String, &Parameters)> = self.sets().collect();
        let mut tensors: BTreeMap<String, (Vec<usize>, &[f32])> =
            sets.iter().flat_map(|(prefix, set)| named(prefix, set)).collect();
        for (kind, layers, rows) in self.extras() {
            for (l, values) in layers.iter().enumerate() {
                let width = self.parameters.biases[l].len();
                let shape = rows.into_iter().chain([width]).collect();
                tensors.insert(format!("{kind}.{l}"), (shape, values));
            }
        }
        let mut end = 0;
        let mut place = |shape: &[usize], values: &[f32]| {
            let start = end;
            end += values.len() * size;
            TensorInfo { dtype, shape: shape.to_vec(), data_offsets: (start, end) }
        };
        let placed = tensors.iter().map(|(name, (shape, values))| (name.clone(), place(shape, values))).collect();
        let header = Header { metadata: self.metadata(), tensors: placed };
        let mut text = json(&header).into_bytes();
        text.resize(text.len().next_multiple_of(8), b' ');
        let mut bytes = Vec::with_capacity(8 + text.len() + end);
        bytes.extend((text.len() as u64).to_le_bytes());
        bytes.extend(text);
        for (name, (_, values)) in &tensors {
            match precision {
                Precision::Full => bytes.extend(values.iter().flat_map(|value| value.to_le_bytes())),
                Precision::Half => write_half(name, values, &mut bytes)?,
            }
        }
        Ok(bytes)
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
        if let Some(moments) = &self.moments {
            put("moments", moments.len().to_string());
        }
        metadata
    }
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("strings and numbers have a JSON form")
}

/// The tensors of a checked set, with their names and shapes.
fn named<'a>(prefix: &str, set: &'a Parameters) -> impl Iterator<Item = (String, (Vec<usize>, &'a [f32]))> {
    let sizes: Vec<usize> = set.biases.iter().map(Vec::len).collect();
    let shapes = sizes.windows(2).map(<[usize]>::to_vec).collect::<Vec<_>>();
    let weights = set.weights.iter().zip(shapes).enumerate().map(|(l, (w, shape))| (format!("weight.{l}"), (shape, &w[..])));
    let biases = set.biases.iter().enumerate().map(|(l, b)| (format!("bias.{l}"), (vec![b.len()], &b[..])));
    weights.chain(biases).map(move |(name, tensor)| (format!("{prefix}{name}"), tensor))
}

fn write_half(tensor: &str, values: &[f32], into: &mut Vec<u8>) -> Result<(), DataError> {
    for (at, &value) in values.iter().enumerate() {
        let rounded = f16::from_f32(value);
        if !rounded.is_finite() {
            return Err(DataError::Tensor {
                name: UNNAMED.into(),
                tensor: tensor.into(),
                expected: "values of at most 65504, which half precision can hold".into(),
                got: format!("value {at} is {value}"),
                advice: "save it in full precision",
            });
        }
        into.extend(rounded.to_le_bytes());
    }
    Ok(())
}
