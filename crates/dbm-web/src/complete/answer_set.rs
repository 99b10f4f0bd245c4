//! The answers to one request: the request itself, the distinct pictures among the answers, and where they agree.

use super::settings::Order;
use crate::canvas::fixed;
use crate::canvas::shape::Shape;
use crate::worker::session::ShippedModel;
use dbm_core::complete::balanced;
use dbm_protocol::{CompletionRequest, Completions, ModelChoice};

/// A distinct picture among the answers, and how often it occurred.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DistinctAnswer {
    /// Index of the first answer that is this picture.
    pub place: usize,
    /// How many answers are this picture.
    pub count: usize,
    /// The lowest energy among these answers.
    pub energy: f64,
}

/// The answers together with their request.
#[derive(Clone, Debug, PartialEq)]
pub struct AnswerSet {
    /// The answers, as the worker gave them.
    pub completions: Completions,
    /// The request that they answer.
    pub request: CompletionRequest,
    /// What the unknown region hid, one byte per unit, if that is known.
    pub truth: Option<Vec<u8>>,
    /// Which model answered,
    pub whose: (ModelChoice, Option<String>, ShippedModel),
    /// and the step of the one in training at that time.
    pub step: u32,
}

impl AnswerSet {
    /// The answers, one by one.
    fn each(&self) -> std::slice::ChunksExact<'_, u8> {
        self.completions.bits.chunks_exact(self.request.values.len().max(1))
    }

    /// One answer; empty if there are not that many.
    pub fn answer(&self, place: usize) -> &[u8] {
        self.each().nth(place).unwrap_or(&[])
    }

    /// The distinct answers, in this order.
    pub fn distinct(&self, order: Order) -> Vec<DistinctAnswer> {
        let mut distinct: Vec<DistinctAnswer> = Vec::new();
        for ((place, bits), &energy) in self.each().enumerate().zip(&self.completions.energies) {
            if let Some(known) = distinct.iter_mut().find(|known| self.answer(known.place) == bits) {
                known.count += 1;
                known.energy = known.energy.min(energy);
            } else {
                distinct.push(DistinctAnswer { place, count: 1, energy });
            }
        }
        if order == Order::Energy {
            distinct.sort_by(|a, b| a.energy.total_cmp(&b.energy));
        }
        distinct
    }

    /// The share of answers in which each unit is high.
    pub fn shares(&self) -> Vec<f64> {
        let mut shares = vec![0.0; self.request.values.len()];
        let one = 1.0 / f64::from(self.completions.answers.max(1));
        for bits in self.each() {
            shares.iter_mut().zip(bits).for_each(|(share, &bit)| *share += f64::from(bit.min(1)) * one);
        }
        shares
    }

    /// How many answers have ink, half of it or more, in the cell that begins with this unit.
    pub fn inked(&self, shape: Shape, unit: usize) -> String {
        let inked = self.each().filter(|bits| shape.level(unit, |unit| f64::from(bits[unit].min(1))) >= 0.5).count();
        format!("{inked} of {} answers have ink here", self.completions.answers)
    }

    /// In how many of the filled pixels, of `depth` units each, all answers agree, and how many pixels are filled.
    pub fn agreed(&self, depth: usize) -> (usize, usize) {
        let (shares, filled) = (self.shares(), self.request.filled());
        let pixels = || shares.chunks(depth.max(1)).zip(filled.chunks(depth.max(1))).filter(|(_, filled)| filled.contains(&1));
        let agree = |shares: &[f64]| shares.iter().all(|&share| share.min(1.0 - share) < 1e-9);
        (pixels().filter(|(shares, _)| agree(shares)).count(), pixels().count())
    }

    /// How the model read the known part, likeliest class first; `None` if it read no class.
    pub fn read_as(&self) -> Option<String> {
        let mut classes: Vec<_> = self.completions.classes.iter().map(|p| 100.0 * p).enumerate().collect();
        classes.sort_by(|a, b| b.1.total_cmp(&a.1));
        let likely = classes.iter().take(3).filter(|(_, percent)| *percent >= 0.5);
        let likely: Vec<_> = likely.map(|(class, percent)| format!("{class} ({percent:.0} %)")).collect();
        (!likely.is_empty()).then(|| format!("Read as: {}", likely.join(", ")))
    }

    /// One picture made of all answers: the units that are high most often, as many as an answer has on average
    /// (`dbm_core::complete::balanced`). The model need never have drawn it.
    pub fn consensus(&self) -> Vec<u8> {
        let width = self.request.values.len();
        if width == 0 || self.completions.bits.is_empty() { Vec::new() } else { balanced(width, &self.completions.bits) }
    }

    /// The consensus in words.
    pub fn describe_consensus(&self) -> String {
        let like = self.likeness(&self.consensus());
        format!(
            "Built from all {} answers: the pixels most often inked, as many as one answer has{like}.",
            self.completions.answers
        )
    }

    /// How closely a picture matches the original, if that is known.
    fn likeness(&self, bits: &[u8]) -> String {
        self.truth.as_ref().map_or_else(String::new, |truth| {
            let filled = self.request.filled();
            let units = || truth.iter().zip(bits).zip(&filled).filter(|(_, filled)| **filled != 0);
            let right = units().filter(|((truth, bit), _)| truth == bit).count();
            format!("; {} % of pixels match the original", 100 * right / units().count().max(1))
        })
    }

    /// A distinct answer in words: its energy, its search, how often it occurred, and how closely it matches the original.
    pub fn describe(&self, answer: &DistinctAnswer) -> String {
        let sweeps = self.completions.sweeps.get(answer.place).copied().unwrap_or_default();
        let searched = if sweeps == 0 { "no search".into() } else { format!("search T = {sweeps} sweeps") };
        let times = if answer.count == 1 { "once".into() } else { format!("{} times", answer.count) };
        let like = self.likeness(self.answer(answer.place));
        format!("Energy {}, {searched}, found {times} of {}{like}.", fixed(answer.energy, 1), self.completions.answers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbm_core::complete::Method;
    use dbm_protocol::Greys;

    fn answers() -> AnswerSet {
        let bits = [[0, 0, 1], [0, 1, 1], [0, 0, 1], [1, 1, 1]].concat();
        let energies = vec![-2.0, -3.0, -2.5, -1.0];
        let (sweeps, classes) = (vec![5, 6, 5, 0], vec![]);
        let completions = Completions { answers: 4, image: (1, 3), bits, distinct: 3, sweeps, energies, classes, seconds: 0.1 };
        let request = CompletionRequest {
            model: ModelChoice::Pretrained,
            values: vec![0, 0, 1],
            unknown: vec![1, 1, 0],
            answers: 4,
            method: Method::Search,
            sweeps: 0,
            clean_up: false,
            class: None,
            seed: 1,
        };
        let whose = (ModelChoice::Pretrained, None, ShippedModel::default());
        AnswerSet { completions, request, truth: Some(vec![0, 1, 1]), whose, step: 0 }
    }

    #[test]
    fn the_same_answers_are_one_and_the_lowest_energy_comes_first() {
        let answers = answers();
        let of = |order| answers.distinct(order).iter().map(|it| (it.place, it.count, it.energy)).collect::<Vec<_>>();
        assert_eq!(of(Order::Energy), [(1, 1, -3.0), (0, 2, -2.5), (3, 1, -1.0)]);
        assert_eq!(of(Order::Computed), [(0, 2, -2.5), (1, 1, -3.0), (3, 1, -1.0)]);
    }

    #[test]
    fn the_consensus_has_as_much_ink_as_an_answer() {
        // Seven high units in four answers: two per answer, the known one and the one that is high most often.
        let answers = answers();
        assert_eq!(answers.consensus(), [0, 1, 1]);
        assert!(answers.describe_consensus().ends_with("as one answer has; 100 % of pixels match the original."));
        let nothing = CompletionRequest { values: vec![], unknown: vec![], ..answers.request.clone() };
        assert!(AnswerSet { request: nothing, ..answers }.consensus().is_empty());
    }

    #[test]
    fn the_likeliest_classes_are_told() {
        let mut answers = answers();
        assert_eq!(answers.read_as(), None);
        answers.completions.classes = vec![0.004, 0.05, 0.0, 0.93, 0.016];
        assert_eq!(answers.read_as().unwrap(), "Read as: 3 (93 %), 1 (5 %), 4 (2 %)");
        answers.completions.classes = vec![0.998, 0.002];
        assert_eq!(answers.read_as().unwrap(), "Read as: 0 (100 %)");
    }

    #[test]
    fn agreement_counts_every_answer() {
        let answers = answers();
        assert_eq!(answers.shares(), [0.25, 0.5, 1.0]);
        assert_eq!(answers.inked(Shape::of((1, 3), Greys::default()), 1), "2 of 4 answers have ink here");
        assert_eq!(answers.agreed(1), (0, 2), "the known pixel is no agreement");
        assert_eq!(answers.agreed(3), (0, 1), "one grey pixel of three units");
        let first = DistinctAnswer { place: 0, count: 2, energy: -2.5 };
        assert_eq!(
            answers.describe(&first),
            "Energy −2.5, search T = 5 sweeps, found 2 times of 4; 50 % of pixels match the original."
        );
    }
}
