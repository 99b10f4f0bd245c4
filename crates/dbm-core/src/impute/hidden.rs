//! Hides known cells, so that imputations can be compared with the truth.

use crate::error::within;
use crate::groups::cells;
use crate::rng::{Purpose, Streams};
use crate::{DbmError, Examples, Group};

/// A known cell that was hidden: a single visible unit, or a group of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Row of the data set.
    pub row: usize,
    /// Its visible units; a single one is a thermometer of two levels.
    pub group: Group,
    /// Its true level.
    pub truth: usize,
}

/// The level of a cell in a row; `None` if not all of its units are known, or if they stand for no level.
pub(super) fn level(data: &Examples, row: usize, cell: &Group) -> Option<usize> {
    cell.units.clone().all(|i| data.is_known(row, i)).then(|| cell.level(|i| data.bit(row, i)))?
}

/// A data set with some known cells hidden.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HiddenCells {
    examples: Examples,
    cells: Vec<Cell>,
}

impl HiddenCells {
    /// The cells known in `whole` and missing in `seen`, which are otherwise the same examples: cells held back from training. Cells that
    /// [`hide`] would never hide are left out.
    ///
    /// # Errors
    /// [`DbmError::Shape`] if the two differ in size, [`DbmError::Setting`] if nothing is hidden.
    pub fn between(whole: &Examples, seen: Examples) -> Result<Self, DbmError> {
        let what = "the data set without what is held back";
        DbmError::check_shape(what, whole.len() * whole.width(), seen.len() * seen.width())?;
        DbmError::check_shape(what, whole.width(), seen.width())?;
        let all = cells(whole.groups(), whole.width());
        let mut hidden = Vec::new();
        for row in 0..whole.len() {
            for group in all.iter().filter(|cell| cell.units.clone().all(|i| !seen.is_known(row, i))) {
                if let Some(truth) = level(whole, row, group).filter(|_| group.levels() > 1) {
                    hidden.push(Cell { row, group: group.clone(), truth });
                }
            }
        }
        within("share of cells held back", "so large that it hides at least one known cell", 0.0, !hidden.is_empty())?;
        Ok(Self { examples: seen, cells: hidden })
    }

    /// The data set with the hidden cells missing.
    pub fn examples(&self) -> &Examples {
        &self.examples
    }

    /// The hidden cells, row by row.
    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }
}

/// Hides each known cell with probability `share`, by the stream of [`Purpose::Hiding`] at its row. All units of a group are hidden
/// together. A group is never hidden if it is not fully known, or if its units stand for no level or for its only one.
///
/// A model trained on the hidden cells may have memorized them, and then scores better than on real gaps. For an honest score, hide first,
/// train on [`HiddenCells::examples`], and evaluate that model.
///
/// ```
/// use dbm_core::{Examples, Group, impute::hide};
/// let data = Examples::from_bits(4, &[1, 0, 0, 1].repeat(50))?.with_groups(vec![Group::one_hot(1..4)])?;
/// let hidden = hide(&data, 0.2, 7)?;
/// assert_eq!(hidden.examples().missing(), hidden.cells().iter().map(|cell| cell.group.units.len()).sum::<usize>());
/// assert!(hidden.cells().iter().all(|cell| cell.truth == if cell.group.units.len() == 1 { 1 } else { 2 }));
/// # Ok::<(), dbm_core::DbmError>(())
/// ```
///
/// # Errors
/// [`DbmError::Setting`] if the share is not above 0 and below 1, and if nothing was hidden.
pub fn hide(data: &Examples, share: f64, seed: u64) -> Result<HiddenCells, DbmError> {
    within("share of cells to hide", "a number above 0 and below 1", share, share > 0.0 && share < 1.0)?;
    let all = cells(data.groups(), data.width());
    let streams = Streams::new(seed);
    let mut known: Vec<u8> = Vec::with_capacity(data.len() * data.width());
    let mut hidden = Vec::new();
    for row in 0..data.len() {
        let start = known.len();
        known.extend(data.known_row(row).into_iter().map(u8::from));
        let mut stream = streams.at(Purpose::Hiding, row as u64, 0);
        for group in &all {
            // Every cell makes a draw, so that whether one is hidden does not depend on the others.
            let drawn = stream.uniform() < share;
            if drawn
                && group.levels() > 1
                && let Some(truth) = level(data, row, group)
            {
                known[start..][group.units.clone()].fill(0);
                hidden.push(Cell { row, group: group.clone(), truth });
            }
        }
    }
    let nothing = "so large that it hides at least one known cell";
    within("share of cells to hide", nothing, share, !hidden.is_empty())?;
    Ok(HiddenCells { examples: data.clone().with_gaps(&known)?, cells: hidden })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_held_back_is_found_again() {
        let group = vec![Group::one_hot(1..4)];
        let data = Examples::from_bits(4, &[1, 0, 0, 1].repeat(50)).unwrap().with_groups(group).unwrap();
        let hidden = hide(&data, 0.2, 7).unwrap();
        let again = HiddenCells::between(&data, hidden.examples().clone()).unwrap();
        assert_eq!(again, hidden);
        assert!(HiddenCells::between(&data, data.clone()).is_err(), "nothing is hidden");
        let short = Examples::from_bits(4, &[1; 4]).unwrap();
        assert!(matches!(HiddenCells::between(&data, short), Err(DbmError::Shape { expected: 200, got: 4, .. })));
    }
}
