//! Arrays of numbers, as many in every example.

/// Numbers, row after row, of `count` examples of `rows x columns`.
#[derive(Clone, Debug, PartialEq)]
pub struct Pictures {
    /// Examples.
    pub count: usize,
    /// Rows and columns of each; one row where it is no image.
    pub shape: (usize, usize),
    /// `count * rows * columns` of them.
    pub values: Values,
    /// The class of each example, where known.
    pub labels: Option<Vec<u8>>,
}

/// The numbers themselves.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// 8-bit ones.
    Bytes(Vec<u8>),
    /// Any others; a missing one is not a number.
    Floats(Vec<f32>),
}
