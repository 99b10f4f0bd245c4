//! Even and odd layers: each parity is independent given the other.

/// The visible layer is even.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parity {
    /// Layers 0, 2, ...
    Even,
    /// Layers 1, 3, ...
    Odd,
}

impl Parity {
    /// The parity on which this one's fields depend.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Even => Self::Odd,
            Self::Odd => Self::Even,
        }
    }

    /// Its layers among `0..=depth`, in rising order.
    pub fn layers(self, depth: usize) -> impl Iterator<Item = usize> {
        (self as usize..=depth).step_by(2)
    }

    /// The parity of a layer.
    pub fn of_layer(layer: usize) -> Self {
        if layer.is_multiple_of(2) { Self::Even } else { Self::Odd }
    }

    /// The parity that a fair coin selects to be updated first.
    pub fn first(coin: bool) -> Self {
        if coin { Self::Even } else { Self::Odd }
    }
}
