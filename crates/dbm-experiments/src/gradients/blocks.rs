//! Means of many noisy vectors, and the angle between two of them, corrected for the noise.

use dbm_core::Parameters;

/// Number of blocks in which independent vectors are summed; the angle and its error are computed from them.
const BLOCKS: usize = 10;

/// Independent vectors with a common mean, summed in blocks: vector r is in block r modulo [`BLOCKS`].
///
/// For the blocks' means `m_i`, `<m_i, m_j>` of two different blocks has the mean `|E g|^2`, whereas `|m|^2` of the overall mean would have
/// that plus the variance of the mean.
pub struct Blocks {
    sums: Vec<Vec<f64>>,
    /// Number of vectors in each.
    counts: Vec<f64>,
    /// The sum of all squares.
    squares: f64,
}

impl Blocks {
    /// Empty, with this many numbers per vector.
    pub fn new(length: usize) -> Self {
        Self { sums: vec![vec![0.0; length]; BLOCKS], counts: vec![0.0; BLOCKS], squares: 0.0 }
    }

    /// Adds the r-th vector.
    pub fn push(&mut self, r: usize, vector: &[f32]) {
        let block = r % BLOCKS;
        self.counts[block] += 1.0;
        self.sums[block].iter_mut().zip(vector).for_each(|(sum, &x)| *sum += f64::from(x));
        self.squares += vector.iter().map(|&x| f64::from(x).powi(2)).sum::<f64>();
    }

    /// The sum over all components of the variance of one vector, `sum_i Var(g_i)`, unbiased.
    pub fn variance(&self) -> f64 {
        let n: f64 = self.counts.iter().sum();
        let length = self.sums[0].len();
        let of_mean: f64 = (0..length).map(|i| (self.sums.iter().map(|sum| sum[i]).sum::<f64>() / n).powi(2)).sum();
        (self.squares - n * of_mean) / (n - 1.0)
    }

    /// Both combined, block by block.
    pub fn and(mut self, other: &Self) -> Self {
        for (sum, more) in self.sums.iter_mut().zip(&other.sums) {
            sum.iter_mut().zip(more).for_each(|(sum, x)| *sum += x);
        }
        self.counts.iter_mut().zip(&other.counts).for_each(|(count, more)| *count += more);
        Self { squares: self.squares + other.squares, ..self }
    }

    /// `|constant - E g|`, corrected for the noise; `None` if nothing remains.
    pub fn norm_from(&self, constant: &[f64]) -> Option<f64> {
        let means = self.means_from(constant);
        let square = mean(&products(&means, &means), |i, j| j < i);
        (square > 0.0).then(|| square.sqrt())
    }

    /// `constant - mean` for each block that has a vector.
    fn means_from(&self, constant: &[f64]) -> Vec<Vec<f64>> {
        let blocks = self.sums.iter().zip(&self.counts).filter(|(_, count)| **count > 0.0);
        blocks.map(|(sum, count)| constant.iter().zip(sum).map(|(c, x)| c - x / count).collect()).collect()
    }
}

/// How the mean of one estimate compares with another's, each a constant minus the mean of noisy vectors. Upper ends are two standard
/// errors above, by a jackknife over the blocks, taken before the cosine and the square are transformed into the reported values.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Comparison {
    /// The angle between the two means, in degrees; `None` if one of them cannot be distinguished from zero.
    pub angle: Option<f64>,
    /// Its upper end.
    pub angle_at_most: Option<f64>,
    /// `|E g - E r| / |E r|`; zero if the noise alone explains the difference; `None` if `|E r|` cannot be distinguished from zero.
    pub difference: Option<f64>,
    /// Its upper end.
    pub difference_at_most: Option<f64>,
}

impl Comparison {
    /// Compares the means of `g` and `r`, both subtracted from the same constant vector.
    ///
    /// # Panics
    /// If one of them has vectors in fewer than three blocks.
    pub fn of(constant: &[f64], g: &Blocks, r: &Blocks) -> Self {
        let (g, r) = (g.means_from(constant), r.means_from(constant));
        assert!(g.len() > 2 && r.len() > 2, "vectors in three blocks");
        let (gg, gr, rr) = (products(&g, &g), products(&g, &r), products(&r, &r));
        // The cosine of the angle and the square of the relative difference, omitting one block of either; noise can push them above one
        // and below zero.
        let without = |of_g: Option<usize>, of_r: Option<usize>| {
            let of_one =
                |products: &[Vec<f64>], out: Option<usize>| mean(products, |i, j| i != j && Some(i) != out && Some(j) != out);
            let (gg, rr) = (of_one(&gg, of_g), of_one(&rr, of_r));
            let gr = mean(&gr, |i, j| Some(i) != of_g && Some(j) != of_r);
            let cosine = (gg > 0.0 && rr > 0.0).then(|| gr / (gg * rr).sqrt());
            (cosine, (gg + rr - 2.0 * gr) / rr.max(f64::MIN_POSITIVE))
        };
        let (cosine, square) = without(None, None);
        // Each jackknife contributes its own part of the variance.
        let left_out = [
            (0..g.len()).map(|block| without(Some(block), None)).collect::<Vec<_>>(),
            (0..r.len()).map(|block| without(None, Some(block))).collect(),
        ];
        let error = |of: fn(&(Option<f64>, f64)) -> Option<f64>| -> Option<f64> {
            let parts = left_out.iter().map(|left| {
                let values: Vec<f64> = left.iter().map(of).collect::<Option<_>>()?;
                let n = values.len() as f64;
                let mean = values.iter().sum::<f64>() / n;
                Some((n - 1.0) / n * values.iter().map(|x| (x - mean).powi(2)).sum::<f64>())
            });
            parts.sum::<Option<f64>>().map(f64::sqrt)
        };
        let degrees = |cosine: f64| cosine.clamp(-1.0, 1.0).acos().to_degrees();
        let cosine = cosine.zip(error(|left| left.0));
        let is_known = mean(&rr, |i, j| i != j) > 0.0;
        let of_square = error(|left| Some(left.1)).unwrap_or(f64::INFINITY);
        Self {
            angle: cosine.map(|(cosine, _)| degrees(cosine)),
            angle_at_most: cosine.map(|(cosine, error)| degrees(cosine - 2.0 * error)),
            difference: is_known.then(|| square.max(0.0).sqrt()),
            difference_at_most: is_known.then(|| (square + 2.0 * of_square).max(0.0).sqrt()),
        }
    }
}

/// Inner products of two sets of block means.
fn products(a: &[Vec<f64>], b: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum();
    a.iter().map(|a| b.iter().map(|b| dot(a, b)).collect()).collect()
}

/// The mean over the selected pairs of blocks.
fn mean(products: &[Vec<f64>], counts: impl Fn(usize, usize) -> bool) -> f64 {
    let of_row = |(i, row): (usize, &Vec<f64>)| (0..row.len()).filter(|&j| counts(i, j)).map(|j| row[j]).collect::<Vec<f64>>();
    let counted: Vec<f64> = products.iter().enumerate().flat_map(of_row).collect();
    counted.iter().sum::<f64>() / counted.len() as f64
}

/// All components of a gradient, one after another.
pub fn flat(gradient: &Parameters) -> Vec<f32> {
    gradient.weights.iter().chain(&gradient.biases).flatten().copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbm_core::rng::{Purpose, Streams};

    /// Gaussian vectors around a mean, with standard deviation 3 in each of 40 directions.
    fn noisy(mean: [f64; 2], seed: u64) -> Blocks {
        let mut stream = Streams::new(seed).at(Purpose::Negative, 0, 0);
        let mut blocks = Blocks::new(40);
        for r in 0..4000 {
            let vector: Vec<f32> =
                (0..40).map(|i| (mean.get(i).copied().unwrap_or(0.0) + 3.0 * stream.gaussian()) as f32).collect();
            blocks.push(r, &vector);
        }
        blocks
    }

    #[test]
    fn noise_adds_nothing_to_an_angle() {
        let (along, aslant) = (noisy([1.0, 0.0], 1), noisy([1.0, 1.0], 2));
        assert!((along.variance() / 360.0 - 1.0).abs() < 0.02, "{}", along.variance());
        let zero = vec![0.0; 40];
        let far = Comparison::of(&zero, &aslant, &along);
        assert!((far.angle.unwrap() - 45.0).abs() < 15.0 && far.angle_at_most.unwrap() < 70.0, "{far:?}");
        assert!((far.difference.unwrap() - 1.0).abs() < 0.3 && far.difference_at_most.unwrap() < 1.6, "{far:?}");
        let same = Comparison::of(&zero, &noisy([1.0, 0.0], 3), &along);
        assert!(
            same.angle.unwrap() < 25.0 && same.difference.unwrap() < 0.4 && same.difference_at_most.unwrap() < 0.7,
            "{same:?}"
        );
        // If the constant equals the mean, nothing remains that has a direction.
        let mut mean = vec![0.0; 40];
        mean[0] = 1.0;
        let none = Comparison::of(&mean, &noisy([1.0, 0.0], 4), &along);
        assert!(none.angle_at_most.is_none_or(|angle| angle > 60.0), "{none:?}");
    }
}
