//! All scores of a set of pictures compared with real ones.

use crate::ScoreError;
use crate::classes::{Classes, distinct};
use crate::classifier::{Classifier, FEATURES, Reading};
use crate::frechet::Gaussian;
use crate::manifold::{Manifold, NEIGHBOURS, Overlap};
use dbm_core::Host;
use serde::{Deserialize, Serialize};

/// The real pictures that others are compared with, as the classifier sees them.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference {
    classifier: Classifier,
    gaussian: Gaussian,
    manifold: Manifold,
}

/// The scores of a set of pictures.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scores {
    /// Number of pictures scored.
    pub count: usize,
    /// The scores that need no neighbours.
    #[serde(flatten)]
    pub quality: Quality,
    /// Precision, recall, density and coverage in the same features.
    #[serde(flatten)]
    pub overlap: Overlap,
    /// The k of the k-th nearest neighbours that bound the neighbourhoods.
    pub neighbours: usize,
}

/// The scores that need no neighbours: cheap enough to follow the same chains over time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Quality {
    /// The Frechet distance to the reference in the features of this project's classifier. It is not FID, and cannot be compared with it.
    pub digit_frechet_distance: f64,
    /// Share of pictures that differ from all before them.
    pub distinct: f64,
    /// How they are spread over the digits.
    #[serde(flatten)]
    pub classes: Classes,
    /// Mean probability that the classifier gives to the digit it reads.
    pub confidence: f64,
}

impl Reference {
    /// From real pictures `[N, 784]`, grey levels.
    ///
    /// ```
    /// use dbm_core::SingleThread;
    /// use dbm_data::digits;
    /// use dbm_score::{Classifier, Reference};
    /// let drawn = |seed| (0..50).flat_map(|index| digits::image(seed, index).0).collect::<Vec<u8>>();
    /// let reference = Reference::new(&SingleThread, Classifier::shipped()?, &drawn(1))?;
    /// let (others, same) = (reference.scores(&SingleThread, &drawn(2))?, reference.scores(&SingleThread, &drawn(1))?);
    /// assert!(others.quality.digit_frechet_distance > same.quality.digit_frechet_distance);
    /// # Ok::<(), dbm_score::ScoreError>(())
    /// ```
    ///
    /// # Errors
    /// [`ScoreError::Shape`] if these are not whole pictures, [`ScoreError::TooFew`] for fewer than six.
    pub fn new(host: &impl Host, classifier: Classifier, pictures: &[u8]) -> Result<Self, ScoreError> {
        let Reading { features, .. } = classifier.read(host, pictures)?;
        let gaussian = Gaussian::of(&features, FEATURES)?;
        Ok(Self { classifier, gaussian, manifold: Manifold::new(host, features, FEATURES)? })
    }

    /// The classifier that the scores are measured with.
    pub fn classifier(&self) -> &Classifier {
        &self.classifier
    }

    /// Number of real pictures.
    pub fn count(&self) -> usize {
        self.manifold.count()
    }

    /// Scores pictures `[N, 784]`, grey levels; bits are 0 and 255.
    ///
    /// # Errors
    /// As [`Reference::new`].
    pub fn scores(&self, host: &impl Host, pictures: &[u8]) -> Result<Scores, ScoreError> {
        let reading = self.classifier.read(host, pictures)?;
        let (quality, count) = (self.judge(&reading, pictures)?, reading.digits.len());
        let manifold = Manifold::new(host, reading.features, FEATURES)?;
        Ok(Scores { count, quality, overlap: self.manifold.overlap(host, &manifold), neighbours: NEIGHBOURS })
    }

    /// The scores of pictures `[N, 784]`, grey levels, that need no neighbours; and the digit that each is read as.
    ///
    /// # Errors
    /// [`ScoreError::Shape`] if these are not whole pictures, [`ScoreError::TooFew`] for fewer than two.
    pub fn quality(&self, host: &impl Host, pictures: &[u8]) -> Result<(Quality, Vec<u8>), ScoreError> {
        let reading = self.classifier.read(host, pictures)?;
        Ok((self.judge(&reading, pictures)?, reading.digits))
    }

    fn judge(&self, Reading { features, digits, confidence }: &Reading, pictures: &[u8]) -> Result<Quality, ScoreError> {
        let count = digits.len() as f64;
        Ok(Quality {
            digit_frechet_distance: self.gaussian.distance(&Gaussian::of(features, FEATURES)?),
            distinct: distinct(pictures) as f64 / count,
            classes: Classes::of(digits)?,
            confidence: confidence.iter().map(|&chance| f64::from(chance)).sum::<f64>() / count,
        })
    }
}
