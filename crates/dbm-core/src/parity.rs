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
    /// The parity that the fields of this one depend on.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Even => Self::Odd,
            Self::Odd => Self::Even,
        }
    }

    /// Its layers among `0..=depth`, rising.
    pub fn layers(self, depth: usize) -> impl Iterator<Item = usize> {
        (self as usize..=depth).step_by(2)
    }

    /// That of a layer.
    pub fn of_layer(layer: usize) -> Self {
        if layer.is_multiple_of(2) { Self::Even } else { Self::Odd }
    }

    /// What a fair coin says to update first.
    pub fn first(coin: bool) -> Self {
        if coin { Self::Even } else { Self::Odd }
    }
}
