//! The digit classifier: its structure, inference, and file.
//!
//! Two convolutions of 3 x 3 (16 and 32 channels, each with ReLU and a pooling of 2 x 2), 64 features (ReLU), ten classes. Inference is
//! plain code in a fixed order, so that the same picture has the same features, to the bit, on every machine and with any number of
//! threads.

use crate::ScoreError;
use crate::error::whole_rows;
use dbm_core::Host;
use half::f16;
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use std::array;

/// Rows, and columns, of a picture.
pub const SIDE: usize = 28;

/// Pixels in a picture.
pub const PIXELS: usize = SIDE * SIDE;

/// Features of a picture: the last hidden layer, after ReLU.
pub const FEATURES: usize = 64;

/// Classes: the digits.
pub const CLASSES: usize = 10;

const FIRST: usize = 16;
const SECOND: usize = 32;
const HALF: usize = SIDE / 2;
const QUARTER: usize = SIDE / 4;
/// Number of pictures per task.
const TASK: usize = 100;

/// A layer's weights, as named and shaped in the file: `[outputs, inputs, 3, 3]` for a convolution, `[outputs, inputs]` otherwise.
pub(crate) struct Layer {
    name: &'static str,
    pub(crate) outputs: usize,
    inputs: usize,
    convolves: bool,
}

impl Layer {
    pub(crate) const ALL: [Self; 4] = [
        Self { name: "conv1", outputs: FIRST, inputs: 1, convolves: true },
        Self { name: "conv2", outputs: SECOND, inputs: FIRST, convolves: true },
        Self { name: "features", outputs: FEATURES, inputs: SECOND * QUARTER * QUARTER, convolves: false },
        Self { name: "classes", outputs: CLASSES, inputs: FEATURES, convolves: false },
    ];

    pub(crate) fn shape(&self) -> Vec<usize> {
        if self.convolves { vec![self.outputs, self.inputs, 3, 3] } else { vec![self.outputs, self.inputs] }
    }
}

/// A layer with the outputs innermost, so that each input adds one row to the outputs.
#[derive(Clone, Debug, PartialEq)]
struct Rows<const OUT: usize> {
    weights: Vec<[f32; OUT]>,
    bias: [f32; OUT],
}

impl<const OUT: usize> Rows<OUT> {
    /// From `[OUT, inputs]` and `[OUT]`.
    fn new([weights, bias]: &[Vec<f32>; 2]) -> Self {
        let inputs = weights.len() / OUT;
        let rows = (0..inputs).map(|input| array::from_fn(|output| weights[output * inputs + input]));
        Self { weights: rows.collect(), bias: array::from_fn(|output| bias[output]) }
    }

    fn tensors(&self) -> [Vec<f32>; 2] {
        let weights = (0..OUT).flat_map(|output| self.weights.iter().map(move |row| row[output]));
        [weights.collect(), self.bias.to_vec()]
    }

    fn add(&self, input: usize, value: f32, to: &mut [f32; OUT]) {
        to.iter_mut().zip(&self.weights[input]).for_each(|(sum, weight)| *sum += weight * value);
    }

    /// Bias plus weights times inputs.
    fn apply(&self, inputs: impl Iterator<Item = f32>) -> [f32; OUT] {
        let mut sums = self.bias;
        // After ReLU about half of the inputs are zero.
        inputs.enumerate().filter(|&(_, value)| value != 0.0).for_each(|(input, value)| self.add(input, value, &mut sums));
        sums
    }
}

/// A classifier of pictures of digits, 28 x 28.
#[derive(Clone, Debug, PartialEq)]
pub struct Classifier {
    first: Rows<FIRST>,
    second: Rows<SECOND>,
    features: Rows<FEATURES>,
    classes: Rows<CLASSES>,
}

/// The classifier's readings of pictures, one entry each.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// `[N, 64]`: the last hidden layer, after ReLU.
    pub features: Vec<f32>,
    /// The most probable digit; the smallest if several are equal.
    pub digits: Vec<u8>,
    /// The probability of that digit, 0 to 1.
    pub confidence: Vec<f32>,
}

impl Classifier {
    /// The shipped classifier; CLASSIFIER.md in this crate has its recipe.
    ///
    /// ```
    /// use dbm_core::SingleThread;
    /// use dbm_score::Classifier;
    /// let reading = Classifier::shipped()?.read(&SingleThread, &[0; 2 * 784])?;
    /// assert_eq!((reading.features.len(), reading.digits.len()), (2 * 64, 2));
    /// # Ok::<(), dbm_score::ScoreError>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`Classifier::from_bytes`], if this program was built with another file.
    pub fn shipped() -> Result<Self, ScoreError> {
        Self::from_bytes("the shipped classifier", include_bytes!("../classifier.safetensors"))
    }

    /// Reads a file: safetensors in half precision, named and shaped as in `PyTorch`, `conv1.weight` to `classes.bias`.
    ///
    /// # Errors
    /// [`ScoreError::Weights`] naming what is missing, of another shape or kind, or not finite.
    pub fn from_bytes(name: &str, bytes: &[u8]) -> Result<Self, ScoreError> {
        let refuse = |what: String| ScoreError::Weights { name: name.into(), what };
        let file = SafeTensors::deserialize(bytes).map_err(|error| refuse(error.to_string()))?;
        let read = |name: String, shape: &[usize]| {
            let tensor = file.tensor(&name).map_err(|error| refuse(error.to_string()))?;
            if tensor.dtype() != Dtype::F16 || tensor.shape() != shape {
                let (dtype, got) = (tensor.dtype(), tensor.shape());
                return Err(refuse(format!("{name} should be F16 of shape {shape:?}, but is {dtype:?} of shape {got:?}")));
            }
            let values = tensor.data().as_chunks().0.iter().map(|&bytes| f16::from_le_bytes(bytes).to_f32());
            let values: Vec<f32> = values.collect();
            if values.iter().all(|value| value.is_finite()) {
                Ok(values)
            } else {
                Err(refuse(format!("{name} holds a value that is not finite")))
            }
        };
        let tensors = Layer::ALL.iter().map(|layer| {
            Ok([read(format!("{}.weight", layer.name), &layer.shape())?, read(format!("{}.bias", layer.name), &[layer.outputs])?])
        });
        Ok(Self::from_tensors(&tensors.collect::<Result<Vec<_>, ScoreError>>()?))
    }

    /// The file that [`Classifier::from_bytes`] reads.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut named = Vec::new();
        for (layer, [weights, bias]) in Layer::ALL.iter().zip(self.tensors()) {
            let bytes = |values: Vec<f32>| values.into_iter().flat_map(|x| f16::from_f32(x).to_le_bytes()).collect::<Vec<u8>>();
            named.push((format!("{}.weight", layer.name), layer.shape(), bytes(weights)));
            named.push((format!("{}.bias", layer.name), vec![layer.outputs], bytes(bias)));
        }
        let views = named.iter().filter_map(|(name, shape, bytes)| {
            // The bytes have the shape: both come from the layer.
            Some((name, TensorView::new(Dtype::F16, shape.clone(), bytes).ok()?))
        });
        safetensors::serialize(views, None).unwrap_or_default()
    }

    /// From the weights and biases of the four layers, rounded to half precision.
    pub(crate) fn from_tensors(tensors: &[[Vec<f32>; 2]]) -> Self {
        let rounded = |at: usize| {
            let [weights, bias]: &[Vec<f32>; 2] = &tensors[at];
            [weights, bias].map(|values| values.iter().map(|&x| f16::from_f32(x).to_f32()).collect())
        };
        Self {
            first: Rows::new(&rounded(0)),
            second: Rows::new(&rounded(1)),
            features: Rows::new(&rounded(2)),
            classes: Rows::new(&rounded(3)),
        }
    }

    pub(crate) fn tensors(&self) -> [[Vec<f32>; 2]; 4] {
        [self.first.tensors(), self.second.tensors(), self.features.tensors(), self.classes.tensors()]
    }

    /// Reads pictures `[N, 784]` with grey levels, 0 black and 255 white; bits are 0 and 255.
    ///
    /// # Errors
    /// [`ScoreError::Shape`] if these are not whole pictures.
    pub fn read(&self, host: &impl Host, pictures: &[u8]) -> Result<Reading, ScoreError> {
        let count = whole_rows(("pictures", pictures.len()), PIXELS, ("pictures", 0))?;
        let tasks: Vec<&[u8]> = pictures.chunks(TASK * PIXELS).collect();
        let parts = host.map(tasks, |part| part.chunks_exact(PIXELS).map(|picture| self.read_one(picture)).collect::<Vec<_>>());
        let mut reading = Reading {
            features: Vec::with_capacity(count * FEATURES),
            digits: Vec::with_capacity(count),
            confidence: Vec::with_capacity(count),
        };
        for (features, digit, confidence) in parts.into_iter().flatten() {
            reading.features.extend(features);
            reading.digits.push(digit);
            reading.confidence.push(confidence);
        }
        Ok(reading)
    }

    fn read_one(&self, picture: &[u8]) -> ([f32; FEATURES], u8, f32) {
        let input: Vec<[f32; 1]> = picture.iter().map(|&level| [f32::from(level) / 255.0]).collect();
        let first = pooled(&convolved(&input, SIDE, &self.first), SIDE);
        let second = pooled(&convolved(&first, HALF, &self.second), HALF);
        // The features' inputs are numbered channel by channel.
        let flat = (0..SECOND * QUARTER * QUARTER).map(|at| second[at % (QUARTER * QUARTER)][at / (QUARTER * QUARTER)]);
        let features = self.features.apply(flat).map(|sum| sum.max(0.0));
        let logits = self.classes.apply(features.into_iter());
        let mut best = 0;
        (1..CLASSES).for_each(|class| best = if logits[class] > logits[best] { class } else { best });
        let total: f32 = logits.iter().map(|logit| libm::expf(logit - logits[best])).sum();
        (features, best as u8, 1.0 / total)
    }
}

/// A convolution of 3 x 3 over a square of `side`, padded with zeros: `[side * side]` with `IN` channels to as many with `OUT`.
fn convolved<const IN: usize, const OUT: usize>(input: &[[f32; IN]], side: usize, layer: &Rows<OUT>) -> Vec<[f32; OUT]> {
    let mut sums = vec![layer.bias; side * side];
    for (at, channels) in input.iter().enumerate() {
        let (row, column) = (at / side, at % side);
        for (channel, &value) in channels.iter().enumerate().filter(|&(_, &value)| value != 0.0) {
            // Tap (ky, kx) of the output at (y, x) lies on the input at (y + ky - 1, x + kx - 1).
            for y in row.saturating_sub(1)..(row + 2).min(side) {
                for x in column.saturating_sub(1)..(column + 2).min(side) {
                    let tap = (row + 1 - y) * 3 + column + 1 - x;
                    layer.add(channel * 9 + tap, value, &mut sums[y * side + x]);
                }
            }
        }
    }
    sums
}

/// ReLU, and the maximum of each 2 x 2.
fn pooled<const CHANNELS: usize>(input: &[[f32; CHANNELS]], side: usize) -> Vec<[f32; CHANNELS]> {
    let half = side / 2;
    let corner = |at: usize| (at / half * 2) * side + at % half * 2;
    let four = |at: usize| [0, 1, side, side + 1].map(|more| &input[corner(at) + more]);
    let highest = |at: usize| {
        let four = four(at);
        array::from_fn(|channel| four.iter().fold(0.0_f32, |most, channels| most.max(channels[channel])))
    };
    (0..half * half).map(highest).collect()
}
