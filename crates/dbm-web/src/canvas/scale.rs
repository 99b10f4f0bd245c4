//! How an axis maps values to places.

/// The scale of an axis, or of a histogram's bars.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// In proportion to the value.
    #[default]
    Linear,
    /// By the value's logarithm. On an axis, a value of 0 or less has no place; a histogram's bar shows even a single chain.
    Logarithmic,
}
