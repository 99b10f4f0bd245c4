//! Precision and recall (Kynkaanniemi et al. 2019), density and coverage (Naeem et al. 2020): how two sets of features overlap, measured by
//! neighbourhoods.
//!
//! The neighbourhood of a point is the closed ball up to its k-th nearest other point in its own set. Every distance is computed as the
//! same sum in the same order, so that no result depends on the number of threads, and ties are exact: a point at exactly the radius is
//! inside.

use crate::ScoreError;
use crate::error::whole_rows;
use dbm_core::Host;
use serde::{Deserialize, Serialize};

/// Which nearest other point bounds a neighbourhood.
pub const NEIGHBOURS: usize = 5;

/// Number of points that one task compares.
const TASK: usize = 100;
/// Number of points compared with those of a task at a time, so that they stay in the cache.
const BLOCK: usize = 256;
/// Number of partial sums of a distance.
const LANES: usize = 16;

/// Features, and the radii of their neighbourhoods.
#[derive(Clone, Debug, PartialEq)]
pub struct Manifold {
    width: usize,
    features: Vec<f32>,
    /// Squared distance of each point to its k-th nearest other point.
    radii: Vec<f32>,
}

/// How samples lie among real pictures, and vice versa.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Overlap {
    /// Share of samples within the neighbourhood of any real picture.
    pub precision: f64,
    /// Share of real pictures within the neighbourhood of any sample.
    pub recall: f64,
    /// Mean number of real pictures' neighbourhoods that contain a sample, divided by k: 1 if both sets have the same distribution, and
    /// more if samples crowd in dense places.
    pub density: f64,
    /// Share of real pictures with any sample in their neighbourhood.
    pub coverage: f64,
}

impl Manifold {
    /// From features `[N, width]`, with k = [`NEIGHBOURS`].
    ///
    /// # Errors
    /// [`ScoreError::Shape`] if these are not rows of `width`, [`ScoreError::TooFew`] for no more than k rows.
    pub fn new(host: &impl Host, features: Vec<f32>, width: usize) -> Result<Self, ScoreError> {
        Self::with_neighbours(host, features, width, NEIGHBOURS)
    }

    fn with_neighbours(host: &impl Host, features: Vec<f32>, width: usize, k: usize) -> Result<Self, ScoreError> {
        let count = whole_rows(("features", features.len()), width, ("pictures with 5 neighbours each", k + 1))?;
        let tasks: Vec<usize> = (0..count).step_by(TASK).collect();
        let radii = host.map(tasks, |start| {
            let rows = start..(start + TASK).min(count);
            let mut nearest = vec![vec![f32::INFINITY; k]; rows.len()];
            each_pair(&features[rows.start * width..rows.end * width], &features, width, |own, other, distance| {
                if rows.start + own != other {
                    insert(&mut nearest[own], distance);
                }
            });
            nearest.into_iter().map(|nearest| nearest[k - 1]).collect::<Vec<f32>>()
        });
        Ok(Self { width, features, radii: radii.concat() })
    }

    /// Number of points.
    pub fn count(&self) -> usize {
        self.radii.len()
    }

    /// Compares samples with `self`, the real pictures.
    ///
    /// # Panics
    /// If the widths differ.
    pub fn overlap(&self, host: &impl Host, samples: &Self) -> Overlap {
        self.overlap_with(host, samples, NEIGHBOURS)
    }

    fn overlap_with(&self, host: &impl Host, samples: &Self, k: usize) -> Overlap {
        assert_eq!(self.width, samples.width, "features of one classifier");
        let (real, width) = (self, self.width);
        let tasks: Vec<usize> = (0..samples.count()).step_by(TASK).collect();
        let parts = host.map(tasks, |start| {
            let rows = start..(start + TASK).min(samples.count());
            let mut part = NeighbourCounts {
                within: vec![0; rows.len()],
                recalled: vec![false; real.count()],
                covered: vec![false; real.count()],
            };
            each_pair(
                &samples.features[rows.start * width..rows.end * width],
                &real.features,
                width,
                |sample, picture, distance| {
                    if distance <= real.radii[picture] {
                        part.within[sample] += 1;
                        part.covered[picture] = true;
                    }
                    if distance <= samples.radii[rows.start + sample] {
                        part.recalled[picture] = true;
                    }
                },
            );
            part
        });
        let within = || parts.iter().flat_map(|part| &part.within);
        let any = |marks: fn(&NeighbourCounts) -> &[bool]| {
            (0..real.count()).filter(|&picture| parts.iter().any(|part| marks(part)[picture])).count() as f64
                / real.count() as f64
        };
        Overlap {
            precision: within().filter(|&&balls| balls > 0).count() as f64 / samples.count() as f64,
            recall: any(|part| &part.recalled),
            density: within().map(|&balls| u64::from(balls)).sum::<u64>() as f64 / (k * samples.count()) as f64,
            coverage: any(|part| &part.covered),
        }
    }
}

/// The findings of a task about its samples, and about all real pictures.
struct NeighbourCounts {
    /// Number of real pictures' neighbourhoods that contain each sample.
    within: Vec<u32>,
    /// Whether each real picture is within a neighbourhood of any of the samples.
    recalled: Vec<bool>,
    /// Whether any of the samples is within each real picture's neighbourhood.
    covered: Vec<bool>,
}

/// Calls back for each pair of rows, by their numbers, with their squared distance.
fn each_pair(own: &[f32], others: &[f32], width: usize, mut show: impl FnMut(usize, usize, f32)) {
    for (block, rows) in others.chunks(BLOCK * width).enumerate() {
        for (i, a) in own.chunks_exact(width).enumerate() {
            for (j, b) in rows.chunks_exact(width).enumerate() {
                show(i, block * BLOCK + j, squared_distance(a, b));
            }
        }
    }
}

fn squared_distance(a: &[f32], b: &[f32]) -> f32 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
    let mut sums = [0.0_f32; LANES];
    for (a, b) in a.iter().zip(b) {
        for lane in 0..LANES {
            let difference = a[lane] - b[lane];
            sums[lane] += difference * difference;
        }
    }
    let rest: f32 = a_rest.iter().zip(b_rest).map(|(a, b)| (a - b) * (a - b)).sum();
    sums.iter().sum::<f32>() + rest
}

/// Keeps the lowest values, in order.
fn insert(lowest: &mut [f32], value: f32) {
    let k = lowest.len();
    if value < lowest[k - 1] {
        let at = lowest.partition_point(|&kept| kept <= value);
        lowest[at..].rotate_right(1);
        lowest[at] = value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbm_core::SingleThread;
    use proptest::prelude::*;

    fn manifold(features: &[f32], width: usize, k: usize) -> Manifold {
        Manifold::with_neighbours(&SingleThread, features.to_vec(), width, k).unwrap()
    }

    /// The definitions, literally.
    fn naive(real: &[Vec<f32>], samples: &[Vec<f32>], k: usize) -> Overlap {
        let distance = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| f64::from(a - b).powi(2)).sum::<f64>();
        let radii = |points: &[Vec<f32>]| -> Vec<f64> {
            let radius = |own: usize| {
                let others = (0..points.len()).filter(|&other| other != own);
                let mut all: Vec<f64> = others.map(|other| distance(&points[own], &points[other])).collect();
                all.sort_by(f64::total_cmp);
                all[k - 1]
            };
            (0..points.len()).map(radius).collect()
        };
        let (real_radii, sample_radii) = (radii(real), radii(samples));
        let in_real = |s: &Vec<f32>, r: usize| distance(s, &real[r]) <= real_radii[r];
        let share = |yes: usize, of: usize| yes as f64 / of as f64;
        let n = real.len();
        Overlap {
            precision: share(samples.iter().filter(|s| (0..n).any(|r| in_real(s, r))).count(), samples.len()),
            recall: share(
                real.iter().filter(|r| (0..samples.len()).any(|s| distance(r, &samples[s]) <= sample_radii[s])).count(),
                n,
            ),
            density: share(samples.iter().map(|s| (0..n).filter(|&r| in_real(s, r)).count()).sum(), k * samples.len()),
            coverage: share((0..n).filter(|&r| samples.iter().any(|s| in_real(s, r))).count(), n),
        }
    }

    proptest! {
        // Small integers, so that there are many ties and every sum is exact.
        #[test]
        fn blocks_agree_with_the_definitions(
            real in prop::collection::vec(prop::collection::vec(0_u8..4, 19), 6..30),
            samples in prop::collection::vec(prop::collection::vec(0_u8..4, 19), 6..30),
            k in 1_usize..6,
        ) {
            let rows = |points: &[Vec<u8>]| -> Vec<Vec<f32>> { points.iter().map(|row| row.iter().map(|&x| f32::from(x)).collect()).collect() };
            let (real, samples) = (rows(&real), rows(&samples));
            let found = manifold(&real.concat(), 19, k).overlap_with(&SingleThread, &manifold(&samples.concat(), 19, k), k);
            prop_assert_eq!(found, naive(&real, &samples, k));
        }
    }

    #[test]
    fn more_points_than_a_task_and_a_block_agree_as_well() {
        let points = |count: usize, step: usize| -> Vec<Vec<f32>> {
            (0..count).map(|i| vec![(i * step % 211) as f32, (i * 7 % 31) as f32]).collect()
        };
        let (real, samples) = (points(2 * BLOCK + 30, 13), points(3 * TASK + 5, 29));
        let found = manifold(&real.concat(), 2, 5).overlap(&SingleThread, &manifold(&samples.concat(), 2, 5));
        assert_eq!(found, naive(&real, &samples, 5));
        assert!(found.precision > 0.0 && found.density > 0.0, "{found:?}");
    }

    #[test]
    fn known_cases() {
        // The same points: all are inside, and each is within the neighbourhoods of at least k others on average.
        let line: Vec<f32> = (0..40).map(|i| i as f32).collect();
        let real = manifold(&line, 1, 5);
        let same = real.overlap(&SingleThread, &real);
        assert_eq!((same.precision, same.recall, same.coverage), (1.0, 1.0, 1.0));
        assert!(same.density >= 1.0);
        // Far away: nothing.
        let far: Vec<f32> = line.iter().map(|x| x + 1000.0).collect();
        let nothing = real.overlap(&SingleThread, &manifold(&far, 1, 5));
        assert_eq!(nothing, Overlap { precision: 0.0, recall: 0.0, density: 0.0, coverage: 0.0 });
        // One point of the 40, repeated: precise, but it recalls only itself. Its neighbours at distance 3 reach it, and it reaches them.
        let one = real.overlap(&SingleThread, &manifold(&[20.0; 40], 1, 5));
        assert_eq!((one.precision, one.recall), (1.0, 1.0 / 40.0));
        assert_eq!((one.density, one.coverage), (7.0 / 5.0, 7.0 / 40.0));
    }

    #[test]
    fn too_few_points_have_no_neighbourhoods() {
        assert!(
            Manifold::new(&SingleThread, vec![0.0; 5], 1).is_err_and(|error| error.to_string().contains("at least 6, but got 5"))
        );
        assert!(Manifold::new(&SingleThread, vec![0.0; 7], 2).is_err());
        assert!(Manifold::new(&SingleThread, vec![0.0; 6], 1).is_ok());
    }
}
