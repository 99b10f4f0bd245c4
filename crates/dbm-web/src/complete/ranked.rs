//! Answers that are the same are one, with how often it came; ranked, and compared.

use crate::canvas::shape::Shape;
use crate::complete::asking::Choice;
use crate::complete::watched::number;
use crate::state::{Answered, State};
use leptos::prelude::*;

/// One picture among the answers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tile {
    /// The first answer that is this picture.
    pub answer: usize,
    /// How many are.
    pub count: usize,
    /// The lowest energy among those.
    pub energy: f64,
}

impl Answered {
    /// The answers, one by one.
    fn each(&self) -> std::slice::ChunksExact<'_, u8> {
        self.completions.bits.chunks_exact(self.question.values.len().max(1))
    }

    /// One answer; nothing where there are not so many.
    pub fn answer(&self, at: usize) -> &[u8] {
        self.each().nth(at).unwrap_or(&[])
    }

    /// The different answers, in the chosen order.
    pub fn tiles(&self, state: State) -> Vec<Tile> {
        self.sorted(state.asking.with(|asking| asking.word(Choice::Sort) == "energy"))
    }

    fn sorted(&self, by_energy: bool) -> Vec<Tile> {
        let mut tiles: Vec<Tile> = Vec::new();
        for ((answer, bits), &energy) in self.each().enumerate().zip(&self.completions.energies) {
            if let Some(tile) = tiles.iter_mut().find(|tile| self.answer(tile.answer) == bits) {
                tile.count += 1;
                tile.energy = tile.energy.min(energy);
            } else {
                tiles.push(Tile { answer, count: 1, energy });
            }
        }
        let mut sorted: Vec<Tile> = Vec::with_capacity(tiles.len());
        for tile in tiles {
            let place = sorted.iter().position(|other| by_energy && tile.energy < other.energy).unwrap_or(sorted.len());
            sorted.insert(place, tile);
        }
        sorted
    }

    /// How often each unit is high among all answers.
    pub fn shares(&self) -> Vec<f64> {
        let mut shares = vec![0.0; self.question.values.len()];
        let one = 1.0 / f64::from(self.completions.answers.max(1));
        for bits in self.each() {
            shares.iter_mut().zip(bits).for_each(|(share, &bit)| *share += f64::from(bit.min(1)) * one);
        }
        shares
    }

    /// How many answers have ink, half of it or more, in the cell whose first unit this is.
    pub fn inked(&self, shape: Shape, unit: usize) -> String {
        let inked = self.each().filter(|bits| shape.level(unit, |unit| f64::from(bits[unit].min(1))) >= 0.5).count();
        format!("{inked} of {} answers have ink here", self.completions.answers)
    }

    /// In how many of the filled units all answers agree, and how many are filled.
    pub fn agreed(&self) -> (usize, usize) {
        let shares = self.shares();
        let filled = self.question.filled();
        let of = || shares.iter().zip(&filled).filter(|(_, filled)| **filled != 0);
        (of().filter(|(share, _)| **share < 1e-9 || **share > 1.0 - 1e-9).count(), of().count())
    }

    /// A tile in words.
    pub fn told(&self, tile: &Tile) -> String {
        let sweeps = self.completions.sweeps.get(tile.answer).copied().unwrap_or_default();
        let searched = if sweeps == 0 { "no search".into() } else { format!("search T = {sweeps} sweeps") };
        let times = if tile.count == 1 { "once".into() } else { format!("{} times", tile.count) };
        let like = self.truth.as_ref().map_or(String::new(), |truth| {
            let filled = self.question.filled();
            let units = || truth.iter().zip(self.answer(tile.answer)).zip(&filled).filter(|(_, filled)| **filled != 0);
            let right = units().filter(|((truth, bit), _)| truth == bit).count();
            format!("; {} % of its pixels as in the truth", 100 * right / units().count().max(1))
        });
        format!("Energy {}, {searched}, came {times} of {}{like}.", number(tile.energy), self.completions.answers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::complete::asking::Question;
    use dbm_protocol::Completions;

    fn answered() -> Answered {
        let bits = [[0, 0, 1], [0, 1, 1], [0, 0, 1], [1, 1, 1]].concat();
        let energies = vec![-2.0, -3.0, -2.5, -1.0];
        let completions =
            Completions { answers: 4, image: (1, 3), bits, distinct: 3, sweeps: vec![5, 6, 5, 0], energies, seconds: 0.1 };
        let question = Question::of(vec![0, 0, 1], vec![1, 1, 0]);
        Answered { completions, question, truth: Some(vec![0, 1, 1]) }
    }

    #[test]
    fn the_same_answers_are_one_and_the_lowest_energy_comes_first() {
        let answered = answered();
        let of = |by_energy| answered.sorted(by_energy).iter().map(|t| (t.answer, t.count, t.energy)).collect::<Vec<_>>();
        assert_eq!(of(true), [(1, 1, -3.0), (0, 2, -2.5), (3, 1, -1.0)]);
        assert_eq!(of(false), [(0, 2, -2.5), (1, 1, -3.0), (3, 1, -1.0)]);
    }

    #[test]
    fn agreement_counts_every_answer() {
        let answered = answered();
        assert_eq!(answered.shares(), [0.25, 0.5, 1.0]);
        assert_eq!(answered.inked(Shape::of((1, 3), 1), 1), "2 of 4 answers have ink here");
        assert_eq!(answered.agreed(), (0, 2), "the known pixel is no agreement");
        let tile = Tile { answer: 0, count: 2, energy: -2.5 };
        assert_eq!(
            answered.told(&tile),
            "Energy −2.5, search T = 5 sweeps, came 2 times of 4; 50 % of its pixels as in the truth."
        );
    }
}
