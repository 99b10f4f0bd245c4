//! Reads a checkpoint from untrusted bytes.

use super::{Checkpoint, FORMAT, RESERVED, VERSION};
use crate::DataError;
use crate::error::check_length;
use crate::names::line;
use dbm_core::{LadderSnapshot, Parameters, Units};
use half::f16;
use safetensors::Dtype;
use safetensors::tensor::{Metadata, TensorInfo};
use std::collections::{BTreeMap, BTreeSet, HashMap};

impl Checkpoint {
    /// Reads a file written by [`Checkpoint::to_bytes`], or by another program that uses the same tensor names and at least the metadata
    /// entry `units`.
    ///
    /// # Errors
    /// [`DataError::Format`] if it is not an intact safetensors file, or if a tensor or metadata entry does not fit a model of this
    /// program; [`DataError::Refused`] for sizes or settings that `dbm-core` refuses.
    pub fn read(name: &str, bytes: &[u8]) -> Result<Self, DataError> {
        let file = File::open(name, bytes)?;
        let mut checkpoint = file.without_tensors()?;
        let sizes = file.sizes()?;
        let lists: Vec<_> = checkpoint.lists(&sizes).into_iter().map(|list| (list.name, list.shapes)).collect();
        let mut expected = BTreeSet::new();
        for ((list, shapes), tensors) in lists.iter().zip(checkpoint.lists_mut()) {
            for (layer, shape) in shapes.iter().enumerate() {
                let tensor = format!("{list}.{layer}");
                tensors.push(file.values(&tensor, shape)?);
                expected.insert(tensor);
            }
        }
        if let Some(tensor) = file.header.tensors().into_keys().filter(|tensor| !expected.contains(tensor)).min() {
            return Err(file.tensor(&tensor, "no tensor of this name".into(), "it is there".into()));
        }
        checkpoint.check(name)?;
        Ok(checkpoint)
    }
}

/// Advice for a file that is broken or from another program.
const OTHER: &str = "choose a checkpoint written by this program";

struct File<'a> {
    name: &'a str,
    header: Metadata,
    data: &'a [u8],
}

impl<'a> File<'a> {
    /// Checks that the header and the data fit each other.
    fn open(name: &'a str, bytes: &'a [u8]) -> Result<Self, DataError> {
        let format = |got: String| DataError::format(name, "a safetensors file", got, OTHER);
        let Some((length, rest)) = bytes.split_first_chunk() else {
            return Err(DataError::truncated(name, "a safetensors file's header length", 8, bytes.len()));
        };
        if rest.first().is_some_and(|&byte| byte != b'{') {
            return Err(format("no JSON header follows the first eight bytes".into()));
        }
        let length = u64::from_le_bytes(*length);
        let Some((text, data)) = usize::try_from(length).ok().and_then(|length| rest.split_at_checked(length)) else {
            return Err(DataError::truncated(name, "its header", length.into(), rest.len()));
        };
        let header: Metadata = serde_json::from_slice(text)
            .map_err(|error| format(format!("its header does not parse ({})", line(&error.to_string(), 200))))?;
        check_length(name, "the tensors its header lists", header.data_len() as u128, data.len())?;
        Ok(Self { name, header, data })
    }

    /// The content of the metadata, with every list of tensors in the file still empty.
    fn without_tensors(&self) -> Result<Checkpoint, DataError> {
        let none = HashMap::new();
        let metadata = self.header.metadata().as_ref().unwrap_or(&none);
        let get = |key: &str| metadata.get(key).map(String::as_str);
        let refuse = |key: &str, expected: &str, advice| {
            let got = get(key).map_or("it is missing".into(), |value| format!("it is {:?}", line(value, 80)));
            DataError::part(self.name, &format!("metadata entry `{key}`"), expected, got, advice)
        };
        if get("format").is_some_and(|format| format != FORMAT) {
            return Err(refuse("format", "`dbm-lab`", OTHER));
        }
        if get("version").is_some_and(|version| version != VERSION) {
            return Err(refuse("version", "1, the only one this program knows", "open it with a newer program"));
        }
        let units = match get("units") {
            Some("signs") => Units::Signs,
            Some("bits") => Units::Bits,
            _ => {
                return Err(refuse(
                    "units",
                    "`signs` (-1 and 1) or `bits` (0 and 1)",
                    "add it: in Python, safetensors.torch.save_file(tensors, path, metadata={\"units\": \"bits\"})",
                ));
            }
        };
        let number = |key: &str| get(key).map(str::parse::<u64>).transpose().map_err(|_| refuse(key, "a whole number", OTHER));
        let image = match get("image").map(shape) {
            Some(None) => return Err(refuse("image", "rows and columns, as in `28,28`", "correct it, or leave it out")),
            image => image.flatten(),
        };
        let settings = get("settings").map(serde_json::from_str).transpose();
        let settings = settings.map_err(|_| refuse("settings", "a run's settings in JSON", OTHER))?;
        let moments = number("moments")?.map(|count| usize::try_from(count).unwrap_or(usize::MAX));
        let ladder: Option<(f64, Vec<f64>)> = get("ladder")
            .map(serde_json::from_str)
            .transpose()
            .map_err(|_| refuse("ladder", "its rate and accepted shares in JSON", OTHER))?;
        let temperatures: Option<Vec<f64>> = get("temperatures")
            .map(serde_json::from_str)
            .transpose()
            .map_err(|_| refuse("temperatures", "inverse temperatures in JSON", OTHER))?;
        if let Some((_, accepted)) = &ladder
            && self.count_layers().saturating_mul(accepted.len()) > self.header.tensors().len()
        {
            return Err(self.missing(&format!("rung.{}.bias.0", accepted.len() - 1)));
        }
        // There cannot be that many tensors: refuse the number before allocating for it.
        if let Some(count) = moments
            && self.count_layers().saturating_mul(count) > self.header.tensors().len()
        {
            return Err(self.missing(&format!("optimizer.{}.bias.0", count - 1)));
        }
        let there = |prefix: &str| self.header.tensors().keys().any(|tensor| tensor.starts_with(prefix));
        let notes = metadata.iter().filter(|(key, _)| !RESERVED.contains(&key.as_str()));
        Ok(Checkpoint {
            step: number("step")?.unwrap_or(0),
            settings,
            image,
            average: there("average.").then(Parameters::default),
            optimizer_state: moments.map(|count| vec![Parameters::default(); count]),
            persistent: there("persistent.").then(Vec::new),
            ladder: ladder.map(|(rate, accepted)| LadderSnapshot {
                rungs: vec![Parameters::default(); accepted.len()],
                rate,
                accepted,
                temperatures,
            }),
            offsets: there("offset.").then(Vec::new),
            notes: notes.fold(BTreeMap::new(), |mut notes, (key, value)| {
                notes.insert(key.clone(), value.clone());
                notes
            }),
            ..Checkpoint::new(units, Parameters::default())
        })
    }

    /// At least two, whatever the file has.
    fn count_layers(&self) -> usize {
        self.header.tensors().keys().filter(|tensor| tensor.starts_with("bias.")).count().max(2)
    }

    /// The layer sizes, from the biases.
    fn sizes(&self) -> Result<Vec<usize>, DataError> {
        let size = |layer: usize| {
            let tensor = format!("bias.{layer}");
            match self.info(&tensor)?.shape[..] {
                [size] => Ok(size),
                ref shape => Err(self.misshapen(&tensor, "[n]", shape)),
            }
        };
        (0..self.count_layers()).map(size).collect()
    }

    /// The values of one tensor, which must have this shape.
    fn values(&self, tensor: &str, shape: &[usize]) -> Result<Vec<f32>, DataError> {
        let info = self.info(tensor)?;
        if info.shape != shape {
            return Err(self.misshapen(tensor, &format!("{shape:?}"), &info.shape));
        }
        let (start, end) = info.data_offsets;
        let data = self.data.get(start..end).ok_or_else(|| self.missing(tensor))?;
        match info.dtype {
            Dtype::F32 => Ok(data.as_chunks().0.iter().map(|&value| f32::from_le_bytes(value)).collect()),
            Dtype::F16 => Ok(data.as_chunks().0.iter().map(|&value| f16::from_le_bytes(value).to_f32()).collect()),
            other => Err(self.tensor(tensor, "type F32 or F16".into(), format!("it is {other:?}"))),
        }
    }

    fn info(&self, tensor: &str) -> Result<&TensorInfo, DataError> {
        self.header.info(tensor).ok_or_else(|| self.missing(tensor))
    }

    fn misshapen(&self, tensor: &str, expected: &str, shape: &[usize]) -> DataError {
        self.tensor(tensor, format!("shape {expected}"), line(&format!("it is {shape:?}"), 120))
    }

    fn missing(&self, tensor: &str) -> DataError {
        self.tensor(tensor, "it in the file".into(), "it is missing".into())
    }

    fn tensor(&self, tensor: &str, expected: String, got: String) -> DataError {
        DataError::part(self.name, &format!("tensor {}", line(tensor, 80)), expected, got, OTHER)
    }
}

/// `28,28` as rows and columns.
fn shape(text: &str) -> Option<(usize, usize)> {
    let (rows, columns) = text.split_once(',')?;
    Some((rows.trim().parse().ok()?, columns.trim().parse().ok()?))
}
