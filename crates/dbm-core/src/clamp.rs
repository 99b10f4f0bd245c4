//! Which units keep their values: none, the visible layer, or marked visible units.

/// Which visible units of a batch of chains never change. Hidden units are always free.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Clamp {
    /// None of them: chains of p(v, h).
    Free,
    /// All of them: chains of p(h | v).
    Visible,
    /// Those marked, `[chains, n_0]`, row by row: chains of p(unknown, h | known).
    Known(Vec<bool>),
}

impl Clamp {
    /// Clamps the units marked in `known`, `[n_0]`, in each of `chains` chains.
    pub fn of_units(known: &[bool], chains: usize) -> Self {
        match (known.contains(&true), known.contains(&false)) {
            (false, _) => Self::Free,
            (true, false) => Self::Visible,
            (true, true) => Self::Known(known.repeat(chains)),
        }
    }

    /// Whether the unit at this place is clamped: unit `i` of chain `c` is at place `c n_0 + i`.
    pub fn holds(&self, place: usize) -> bool {
        self.by_marks(|known| known[place])
    }

    /// Whether every visible unit of every chain is clamped.
    pub fn holds_all(&self) -> bool {
        self.by_marks(|known| !known.contains(&false))
    }

    /// Whether any visible unit of any chain is clamped.
    pub fn holds_any(&self) -> bool {
        self.by_marks(|known| known.contains(&true))
    }

    fn by_marks(&self, answer: impl FnOnce(&[bool]) -> bool) -> bool {
        match self {
            Self::Free => false,
            Self::Visible => true,
            Self::Known(known) => answer(known),
        }
    }

    /// The clamp of these chains alone, for `n` visible units.
    pub fn of_rows(&self, rows: &[usize], n: usize) -> Self {
        match self {
            Self::Known(known) => Self::Known(rows.iter().flat_map(|&row| &known[row * n..(row + 1) * n]).copied().collect()),
            whole => whole.clone(),
        }
    }

    /// The clamp of several batches joined together, each given with its number of chains.
    pub(crate) fn joined<'a>(clamps: impl Iterator<Item = (&'a Self, usize)> + Clone, n: usize) -> Self {
        let alike = |kind: &Self| clamps.clone().all(|(clamp, _)| clamp == kind);
        if let Some(kind) = [Self::Free, Self::Visible].into_iter().find(alike) {
            return kind;
        }
        Self::Known(clamps.flat_map(|(clamp, chains)| (0..chains * n).map(|place| clamp.holds(place))).collect())
    }

    /// Calls `each` with every clamped unit among the `n` visible ones of a chain.
    pub(crate) fn for_each_held(&self, chain: usize, n: usize, mut each: impl FnMut(usize)) {
        match self {
            Self::Free => {}
            Self::Visible => (0..n).for_each(each),
            Self::Known(known) => {
                let marks = known[chain * n..(chain + 1) * n].iter().enumerate();
                marks.filter(|(_, known)| **known).for_each(|(unit, _)| each(unit));
            }
        }
    }
}
