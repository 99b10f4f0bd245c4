//! Training the classifier, in candle: Adam on the cross entropy of shifted pictures, grey and binarized.

use crate::classifier::{CLASSES, Classifier, FEATURES, Layer, PIXELS, SIDE};
use crate::{BINARIZED_ABOVE, ScoreError};
use candle_core::{Device, Tensor, Var};
use candle_nn::{AdamW, Optimizer, ParamsAdamW, loss};
use dbm_core::rng::{Purpose, Stream, Streams};

/// How a classifier is trained. The same recipe, data and machine give the same classifier.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Recipe {
    /// Number of times that every picture is seen.
    pub epochs: u32,
    /// Pictures per step.
    pub batch: usize,
    /// Adam's learning rate at the first step; it falls to zero along a quarter of a cosine wave.
    pub learning_rate: f64,
    /// Share of the features that each step drops.
    pub dropout: f64,
    /// Pictures are shifted by up to this many pixels in each direction.
    pub shift: usize,
    /// Seed of the initial weights, the order, the shifts, the binarized pictures and the dropped features.
    pub seed: u64,
}

impl Default for Recipe {
    /// The recipe of the shipped classifier.
    fn default() -> Self {
        Self { epochs: 12, batch: 100, learning_rate: 2e-3, dropout: 0.3, shift: 2, seed: 0 }
    }
}

/// The progress of training.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrainingProgress {
    /// Number of steps taken so far.
    pub step: u64,
    /// Total number of steps.
    pub steps: u64,
    /// The mean cross entropy of the last step's pictures, in nats.
    pub loss: f64,
}

/// Trains a classifier on pictures `[N, 784]` with grey levels `0..=255`. In each step a fair coin per picture decides whether it is seen
/// in grey or binarized (above 127), so that the classifier reads both. The weights are rounded to half precision, as they are shipped.
///
/// # Errors
/// [`ScoreError::Shape`], [`ScoreError::TooFew`] and [`ScoreError::Label`] for data that are not digits; [`ScoreError::Setting`] for an
/// invalid recipe; [`ScoreError::Training`] if candle fails.
pub fn train(
    pictures: &[u8],
    labels: &[u8],
    recipe: &Recipe,
    watch: &mut dyn FnMut(&TrainingProgress),
) -> Result<Classifier, ScoreError> {
    check(pictures, labels, recipe)?;
    let net = Net::new(recipe.seed)?;
    let adam = ParamsAdamW { lr: recipe.learning_rate, weight_decay: 0.0, ..ParamsAdamW::default() };
    let mut optimizer = AdamW::new(net.variables(), adam)?;
    let count = labels.len();
    let a_epoch = count.div_ceil(recipe.batch) as u64;
    let steps = u64::from(recipe.epochs) * a_epoch;
    let streams = Streams::new(recipe.seed);
    for epoch in 0..u64::from(recipe.epochs) {
        let order = streams.at(Purpose::Order, epoch, 0).permutation(count);
        for (at, rows) in order.chunks(recipe.batch).enumerate() {
            let step = epoch * a_epoch + at as u64;
            let mut stream = streams.at(Purpose::Mask, step, 0);
            let mut seen = vec![0.0; rows.len() * PIXELS];
            for (into, &row) in seen.chunks_exact_mut(PIXELS).zip(rows) {
                look(&pictures[row as usize * PIXELS..][..PIXELS], recipe.shift, &mut stream, into);
            }
            let kept = dropout(rows.len() * FEATURES, recipe.dropout, &mut stream);
            let seen = Tensor::from_vec(seen, (rows.len(), SIDE, SIDE, 1), &Device::Cpu)?;
            let kept = Tensor::from_vec(kept, (rows.len(), FEATURES), &Device::Cpu)?;
            let digits: Vec<u32> = rows.iter().map(|&row| u32::from(labels[row as usize])).collect();
            let digits = Tensor::from_vec(digits, rows.len(), &Device::Cpu)?;
            let loss = loss::cross_entropy(&net.forward(&seen, &kept)?, &digits)?;
            let progress = step as f64 / steps as f64;
            optimizer.set_learning_rate(recipe.learning_rate * libm::cos(std::f64::consts::FRAC_PI_2 * progress));
            optimizer.backward_step(&loss)?;
            watch(&TrainingProgress { step: step + 1, steps, loss: f64::from(loss.to_scalar::<f32>()?) });
        }
    }
    net.classifier()
}

fn check(pictures: &[u8], labels: &[u8], recipe: &Recipe) -> Result<(), ScoreError> {
    if labels.is_empty() {
        return Err(ScoreError::TooFew { what: "pictures to train on", least: 1, got: 0 });
    }
    if pictures.len() != labels.len() * PIXELS {
        let expected = labels.len() * PIXELS;
        return Err(ScoreError::Shape { what: "pictures with these labels", expected, got: pictures.len() });
    }
    if let Some(&label) = labels.iter().find(|&&label| usize::from(label) >= CLASSES) {
        return Err(ScoreError::Label(label));
    }
    let Recipe { epochs, batch, learning_rate, dropout, shift, .. } = *recipe;
    let rate = learning_rate > 0.0 && learning_rate.is_finite();
    let settings = [
        (epochs > 0 && batch > 0, "epochs and batch", "at least 1", format!("{epochs} and {batch}")),
        (rate, "the learning rate", "a positive number", learning_rate.to_string()),
        ((0.0..1.0).contains(&dropout), "dropout", "from 0 to below 1", dropout.to_string()),
        (shift < SIDE, "the shift", "below 28 pixels", shift.to_string()),
    ];
    match settings.into_iter().find(|(right, ..)| !right) {
        Some((_, name, expected, got)) => Err(ScoreError::Setting { name, expected, got }),
        None => Ok(()),
    }
}

/// One picture as a step sees it: shifted, and in grey or binarized.
fn look(picture: &[u8], shift: usize, stream: &mut Stream, into: &mut [f32]) {
    let binarized = stream.coin();
    let mut moved = || stream.below(2 * shift as u64 + 1) as isize - shift as isize;
    let (down, right) = (moved(), moved());
    for row in 0..SIDE {
        let Some(from) = row.checked_add_signed(-down).filter(|&from| from < SIDE) else { continue };
        for column in 0..SIDE {
            let Some(at) = column.checked_add_signed(-right).filter(|&at| at < SIDE) else { continue };
            let level = picture[from * SIDE + at];
            let level = if binarized { u8::from(level > BINARIZED_ABOVE) * u8::MAX } else { level };
            into[row * SIDE + column] = f32::from(level) / 255.0;
        }
    }
}

/// Factors: 0 for dropped features, and 1 / (1 - share) for the others.
fn dropout(count: usize, share: f64, stream: &mut Stream) -> Vec<f32> {
    (0..count).map(|_| if stream.uniform() < share { 0.0 } else { (1.0 / (1.0 - share)) as f32 }).collect()
}

/// The classifier as variables: weight and bias of its layers, in order.
struct Net {
    layers: Vec<(Var, Var)>,
}

impl Net {
    /// He initialization: Gaussian weights of variance 2 / inputs, biases zero.
    fn new(seed: u64) -> Result<Self, ScoreError> {
        let streams = Streams::new(seed);
        let layer = |(at, layer): (usize, &Layer)| {
            let mut stream = streams.at(Purpose::Initialization, at as u64, 0);
            let shape = layer.shape();
            let count: usize = shape.iter().product();
            let deviation = (2.0 * layer.outputs as f64 / count as f64).sqrt();
            let weights: Vec<f32> = (0..count).map(|_| (deviation * stream.gaussian()) as f32).collect();
            let bias = vec![0.0_f32; layer.outputs];
            Ok((
                Var::from_tensor(&Tensor::from_vec(weights, shape, &Device::Cpu)?)?,
                Var::from_tensor(&Tensor::from_vec(bias, layer.outputs, &Device::Cpu)?)?,
            ))
        };
        Ok(Self { layers: Layer::ALL.iter().enumerate().map(layer).collect::<Result<_, ScoreError>>()? })
    }

    fn variables(&self) -> Vec<Var> {
        self.layers.iter().flat_map(|(weight, bias)| [weight.clone(), bias.clone()]).collect()
    }

    /// Logits `[N, 10]` of pictures `[N, 28, 28, 1]`; the features are multiplied by `kept`, `[N, 64]`.
    fn forward(&self, seen: &Tensor, kept: &Tensor) -> candle_core::Result<Tensor> {
        let linear = |x: &Tensor, (weight, bias): &(Var, Var)| x.matmul(&weight.t()?)?.broadcast_add(bias);
        let x = pooled(&convolved(seen, &self.layers[0])?)?;
        let x = pooled(&convolved(&x, &self.layers[1])?)?;
        let x = x.permute((0, 3, 1, 2))?.flatten_from(1)?;
        let features = linear(&x, &self.layers[2])?.relu()?;
        linear(&features.mul(kept)?, &self.layers[3])
    }

    fn classifier(&self) -> Result<Classifier, ScoreError> {
        let values = |tensor: &Tensor| tensor.flatten_all()?.to_vec1::<f32>();
        let tensors = self.layers.iter().map(|(weight, bias)| Ok([values(weight)?, values(bias)?]));
        Ok(Classifier::from_tensors(&tensors.collect::<Result<Vec<_>, ScoreError>>()?))
    }
}

/// Convolution of 3 x 3 with zero padding, channels last, as one product of patches and weights: candle's own takes several times as long.
fn convolved(x: &Tensor, (weight, bias): &(Var, Var)) -> candle_core::Result<Tensor> {
    let (count, rows, columns, channels) = x.dims4()?;
    let around = x.pad_with_zeros(1, 1, 1)?.pad_with_zeros(2, 1, 1)?;
    let taps = (0..9).map(|tap| around.narrow(1, tap / 3, rows)?.narrow(2, tap % 3, columns));
    let patches = Tensor::cat(&taps.collect::<candle_core::Result<Vec<_>>>()?, 3)?;
    let weights = weight.permute((2, 3, 1, 0))?.reshape((9 * channels, ()))?;
    let sums = patches.reshape(((), 9 * channels))?.matmul(&weights)?.broadcast_add(bias)?;
    sums.reshape((count, rows, columns, ()))
}

/// ReLU, and the maximum of each 2 x 2.
fn pooled(x: &Tensor) -> candle_core::Result<Tensor> {
    let (count, rows, columns, channels) = x.dims4()?;
    let pairs = x.reshape((count * rows / 2, 2, columns * channels))?;
    let highest = pairs.narrow(1, 0, 1)?.maximum(&pairs.narrow(1, 1, 1)?)?;
    let pairs = highest.reshape((count * rows / 2 * columns / 2, 2, channels))?;
    let highest = pairs.narrow(1, 0, 1)?.maximum(&pairs.narrow(1, 1, 1)?)?;
    highest.reshape((count, rows / 2, columns / 2, channels))?.relu()
}

#[cfg(test)]
mod tests {
    use super::*;
    use candle_core::D;
    use dbm_core::SingleThread;
    use dbm_data::digits;

    fn drawn(count: u64) -> (Vec<u8>, Vec<u8>) {
        let (images, labels): (Vec<_>, Vec<_>) = (0..count).map(|index| digits::image(1, index)).unzip();
        (images.concat(), labels)
    }

    const TOY: Recipe = Recipe { epochs: 4, batch: 20, learning_rate: 3e-3, dropout: 0.1, shift: 1, seed: 3 };

    /// Seed 3: the loss of ten classes begins near ln 10 = 2.3; 200 generated digits in four epochs reduce it below two thirds of that.
    #[test]
    fn training_lowers_the_loss_and_repeats_itself() {
        let (pictures, labels) = drawn(200);
        let mut losses = Vec::new();
        let trained = train(&pictures, &labels, &TOY, &mut |progress| losses.push(progress.loss)).unwrap();
        assert_eq!(losses.len(), 40);
        let mean = |losses: &[f64]| losses.iter().sum::<f64>() / losses.len() as f64;
        assert!(mean(&losses[..5]) > 1.8 && mean(&losses[35..]) < 1.5, "{losses:?}");
        let reading = trained.read(&SingleThread, &pictures).unwrap();
        let right = reading.digits.iter().zip(&labels).filter(|(read, label)| read == label).count();
        assert!(right > 120, "{right} of 200");

        let short = |seed| {
            let recipe = Recipe { epochs: 1, seed, ..TOY };
            train(&pictures[..60 * PIXELS], &labels[..60], &recipe, &mut |_| ()).unwrap().to_bytes()
        };
        assert_eq!(short(3), short(3));
        assert_ne!(short(3), short(4));
    }

    /// Inference in this crate and in candle agree on the same weights.
    #[test]
    fn what_candle_computes_is_what_is_read() {
        let (pictures, _) = drawn(30);
        let net = Net::new(5).unwrap();
        let classifier = net.classifier().unwrap();
        // The classifier's weights are rounded: candle gets the rounded ones as well.
        for ((weight, bias), [w, b]) in net.layers.iter().zip(classifier.tensors()) {
            weight.set(&Tensor::from_vec(w, weight.shape(), &Device::Cpu).unwrap()).unwrap();
            bias.set(&Tensor::from_vec(b, bias.shape(), &Device::Cpu).unwrap()).unwrap();
        }
        let seen: Vec<f32> = pictures.iter().map(|&level| f32::from(level) / 255.0).collect();
        let seen = Tensor::from_vec(seen, (30, SIDE, SIDE, 1), &Device::Cpu).unwrap();
        let all = Tensor::ones((30, FEATURES), candle_core::DType::F32, &Device::Cpu).unwrap();
        let logits = net.forward(&seen, &all).unwrap();
        let chances = candle_nn::ops::softmax(&logits, D::Minus1).unwrap().max(D::Minus1).unwrap().to_vec1::<f32>().unwrap();
        let digits = logits.argmax(D::Minus1).unwrap().to_vec1::<u32>().unwrap();
        let reading = classifier.read(&SingleThread, &pictures).unwrap();
        assert_eq!(reading.digits.iter().map(|&digit| u32::from(digit)).collect::<Vec<_>>(), digits);
        for (here, there) in reading.confidence.iter().zip(chances) {
            assert!((here - there).abs() < 1e-4, "{here} {there}");
        }
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let (pictures, labels) = drawn(10);
        let said = |pictures: &[u8], labels: &[u8], recipe| match train(pictures, labels, &recipe, &mut |_| ()) {
            Ok(_) => String::new(),
            Err(error) => error.to_string(),
        };
        assert!(said(&[], &[], TOY).contains("at least 1"));
        assert!(said(&pictures[1..], &labels, TOY).contains("7840 values, but got 7839"));
        assert!(said(&pictures[..PIXELS], &[10], TOY).contains("but got 10"));
        for recipe in [
            Recipe { epochs: 0, ..TOY },
            Recipe { batch: 0, ..TOY },
            Recipe { learning_rate: f64::NAN, ..TOY },
            Recipe { dropout: 1.0, ..TOY },
            Recipe { shift: 28, ..TOY },
        ] {
            assert!(said(&pictures, &labels, recipe).contains("should be"), "{recipe:?}");
        }
    }
}
