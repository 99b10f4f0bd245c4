//! A checkpoint from bytes that may hold anything.

use super::{Checkpoint, FORMAT, RESERVED, VERSION};
use crate::DataError;
use crate::error::check_length;
use crate::reading::names::line;
use dbm_core::{Parameters, Units};
use half::f16;
use safetensors::Dtype;
use safetensors::tensor::Metadata;
use std::collections::{BTreeMap, BTreeSet, HashMap};

impl Checkpoint {
    /// Reads a file of [`Checkpoint::to_bytes`], or one that another program wrote with the same tensor names and at least
    /// the metadata entry `units`.
    ///
    /// # Errors
    /// [`DataError::Truncated`], [`DataError::Trailing`] and [`DataError::Format`] where it is no intact safetensors file,
    /// [`DataError::Part`] where a tensor or metadata entry is not that of a model of this program,
    /// [`DataError::Refused`] for sizes or settings that `dbm-core` refuses.
    pub fn read(name: &str, bytes: &[u8]) -> Result<Self, DataError> {
        let file = File::open(name, bytes)?;
        let entries = file.entries()?;
        let count = entries.moments.unwrap_or(0);
        let layers = file.header.tensors().keys().filter(|tensor| tensor.starts_with("bias.")).count();
        let has_average = file.header.tensors().keys().any(|tensor| tensor.starts_with("average."));
        // So many tensors cannot be there: refuse the number before counting up to it.
        let total = layers.max(1).saturating_mul(count);
        if total > file.header.tensors().len() {
            return Err(file.missing(&format!("optimizer.{}.bias.0", count - 1)));
        }
        let mut expected = BTreeSet::new();
        let mut set = |prefix: String| file.set(&prefix, layers, &mut expected);
        let parameters = set(String::new())?;
        let average = if has_average { Some(set("average.".into())?) } else { None };
        let moments = (0..count).map(|k| set(format!("optimizer.{k}."))).collect::<Result<Vec<_>, _>>()?;
        let batch = entries.settings.as_ref().map(|settings| settings.batch);
        let mut extra = |kind: &str, rows: Option<usize>| -> Result<Option<Vec<Vec<f32>>>, DataError> {
            let there = file.header.tensors().keys().any(|tensor| tensor.starts_with(&format!("{kind}.")));
            let layer = |(l, bias): (usize, &Vec<f32>)| {
                let tensor = format!("{kind}.{l}");
                let shape: Vec<Option<usize>> = rows.into_iter().chain([bias.len()]).map(Some).collect();
                let values = file.values(&tensor, &shape);
                expected.insert(tensor);
                values
            };
            if there { parameters.biases.iter().enumerate().map(layer).collect::<Result<_, _>>().map(Some) } else { Ok(None) }
        };
        let (persistent, offsets) = (extra("persistent", Some(batch.unwrap_or(0)))?, extra("offset", None)?);
        if let Some(tensor) = file.header.tensors().into_keys().filter(|tensor| !expected.contains(tensor)).min() {
            return Err(file.tensor(&tensor, "no tensor of this name".into(), "it is there".into()));
        }
        let checkpoint = Self {
            units: entries.units,
            parameters,
            average,
            step: entries.step,
            settings: entries.settings,
            image: entries.image,
            moments: entries.moments.map(|_| moments),
            persistent,
            offsets,
            notes: entries.notes,
        };
        checkpoint.view().check(name)?;
        Ok(checkpoint)
    }
}

/// What to do about a file that is another program's, or broken.
const OTHER: &str = "choose a checkpoint written by this program";

/// What the metadata says.
struct Entries {
    units: Units,
    step: u64,
    settings: Option<dbm_core::Settings>,
    image: Option<(usize, usize)>,
    moments: Option<usize>,
    notes: BTreeMap<String, String>,
}

struct File<'a> {
    name: &'a str,
    header: Metadata,
    data: &'a [u8],
}

impl<'a> File<'a> {
    /// Checks that header and data fit each other.
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

    fn entries(&self) -> Result<Entries, DataError> {
        let none = HashMap::new();
        let metadata = self.header.metadata().as_ref().unwrap_or(&none);
        let get = |key: &str| metadata.get(key).map(String::as_str);
        let refuse = |key: &str, expected: &str, advice| {
            let got = get(key).map_or("it is missing".into(), |value| format!("it is {:?}", line(value, 80)));
            DataError::part(self.name, format!("metadata entry `{key}`"), expected, got, advice)
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
        let number = |key: &str| match get(key).map(str::parse::<u64>) {
            Some(Err(_)) => Err(refuse(key, "a whole number", OTHER)),
            Some(Ok(number)) => Ok(Some(number)),
            None => Ok(None),
        };
        let image = match get("image").map(shape) {
            Some(None) => return Err(refuse("image", "rows and columns, as in `28,28`", "correct it, or leave it out")),
            image => image.flatten(),
        };
        let settings = match get("settings").map(serde_json::from_str) {
            Some(Err(_)) => return Err(refuse("settings", "a run's settings in JSON", OTHER)),
            Some(Ok(settings)) => Some(settings),
            None => None,
        };
        let notes = metadata.iter().filter(|(key, _)| !RESERVED.contains(&key.as_str()));
        Ok(Entries {
            units,
            step: number("step")?.unwrap_or(0),
            settings,
            image,
            moments: number("moments")?.map(|count| usize::try_from(count).unwrap_or(usize::MAX)),
            notes: notes.fold(BTreeMap::new(), |mut notes, (key, value)| {
                notes.insert(key.clone(), value.clone());
                notes
            }),
        })
    }

    /// One set of parameters for `layers` layers; adds the names it takes to `expected`.
    fn set(&self, prefix: &str, layers: usize, expected: &mut BTreeSet<String>) -> Result<Parameters, DataError> {
        let mut set = Parameters::default();
        let mut take = |kind: &str, layer: usize, shape: &[Option<usize>]| {
            let tensor = format!("{prefix}{kind}.{layer}");
            let values = self.values(&tensor, shape)?;
            expected.insert(tensor);
            Ok::<_, DataError>(values)
        };
        for layer in 0..layers.max(2) {
            set.biases.push(take("bias", layer, &[None])?);
        }
        for (layer, pair) in set.biases.windows(2).enumerate() {
            set.weights.push(take("weight", layer, &[Some(pair[0].len()), Some(pair[1].len())])?);
        }
        Ok(set)
    }

    /// The values of one tensor, whose sizes must be those of `shape` where it says any.
    fn values(&self, tensor: &str, shape: &[Option<usize>]) -> Result<Vec<f32>, DataError> {
        let info = self.header.info(tensor).ok_or_else(|| self.missing(tensor))?;
        let fits = shape.iter().zip(&info.shape).all(|(size, &got)| size.is_none_or(|size| size == got));
        if info.shape.len() != shape.len() || !fits {
            let sizes: Vec<String> = shape.iter().map(|size| size.map_or("n".into(), |size| size.to_string())).collect();
            return Err(self.tensor(
                tensor,
                format!("shape [{}]", sizes.join(", ")),
                line(&format!("it is {:?}", info.shape), 120),
            ));
        }
        let (start, end) = info.data_offsets;
        let data = self.data.get(start..end).ok_or_else(|| self.missing(tensor))?;
        match info.dtype {
            Dtype::F32 => Ok(data.as_chunks().0.iter().map(|&value| f32::from_le_bytes(value)).collect()),
            Dtype::F16 => Ok(data.as_chunks().0.iter().map(|&value| f16::from_le_bytes(value).to_f32()).collect()),
            other => Err(self.tensor(tensor, "type F32 or F16".into(), format!("it is {other:?}"))),
        }
    }

    fn missing(&self, tensor: &str) -> DataError {
        self.tensor(tensor, "it in the file".into(), "it is missing".into())
    }

    fn tensor(&self, tensor: &str, expected: String, got: String) -> DataError {
        DataError::part(self.name, format!("tensor {}", line(tensor, 80)), expected, got, OTHER)
    }
}

/// `28,28` as rows and columns.
fn shape(text: &str) -> Option<(usize, usize)> {
    let (rows, columns) = text.split_once(',')?;
    Some((rows.trim().parse().ok()?, columns.trim().parse().ok()?))
}
