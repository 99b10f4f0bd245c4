//! The few kernels that everything else uses: batch products, rank-k updates and row additions, each with a plain reference.

mod fast;
mod matrix;
mod plain;
mod rows;
mod tables;

pub use crate::vector::vector_unit;
use crate::words::{choices, words};
pub use matrix::Matrix;
pub use rows::{add_scaled, add_scaled_rows, dot, dot_f32};
use serde::{Deserialize, Serialize};
pub use tables::Codes;

choices! {
    /// Which kernels compute.
    #[derive(Default, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Backend = words("backend", "Kernels", "Which kernels compute.");
    /// Products by tables of partial sums where one factor is binary, with the same bits on every machine; all others through `gemm`, whatever vector unit the
    /// machine has, with the same bits on one kind of machine.
    #[default]
    Fast = "fast", "fast", "By the machine's vector unit; the same bits on machines of one kind";
    Plain = "plain", "plain", "Plain loops; the same bits on every machine, slowly";
}

impl Backend {
    /// Adding a row counts as this many multiply-adds of a batch product for each of its entries. The choice between the two affects a
    /// run's bits, so it is a constant for each backend and not measured at start. `Fast` was measured with AVX-512, where all values from
    /// 6 to 11 take the same time.
    pub(crate) fn row_cost(self) -> usize {
        match self {
            Self::Fast => 8,
            Self::Plain => 4,
        }
    }

    /// `out += a b` with `a: [m, k]`, `b: [k, n]` and `out: [m, n]`, all row-major.
    ///
    /// # Panics
    /// If the shapes do not fit.
    pub fn add_product(self, out: &mut [f32], a: &[f32], b: &Matrix) {
        let (k, n) = (b.rows(), b.columns());
        let m = a.len() / k;
        assert_eq!((a.len(), out.len()), (m * k, m * n), "[m, {k}] times [{k}, {n}]");
        match self {
            Self::Fast => fast::add_product(out, a, b.data(), m, k, n),
            Self::Plain => plain::add_product(out, a, b.data(), m, k, n),
        }
    }

    /// As [`Backend::add_product`], for an `a` that holds only the two `values`, low and high: by tables of partial sums
    /// ([`Codes::add_product`]). If `a` holds another value after all, by the ordinary product.
    ///
    /// # Panics
    /// If the shapes do not fit.
    pub fn add_binary_product(self, out: &mut [f32], a: &[f32], values: (f32, f32), b: &Matrix) {
        let (k, n) = (b.rows(), b.columns());
        let m = a.len() / k;
        assert_eq!((a.len(), out.len()), (m * k, m * n), "[m, {k}] times [{k}, {n}]");
        match self.codes(a, k, values) {
            Some(codes) => codes.add_product(out, 0, b, 0..n),
            None => self.add_product(out, a, b),
        }
    }

    /// `out = 1 start^T + a b` with `start: [n]`, otherwise as [`Backend::add_binary_product`]; the bits are the same as with all rows of
    /// `out` set to `start` first.
    ///
    /// # Panics
    /// If the shapes do not fit.
    pub fn set_binary_product(self, out: &mut [f32], start: &[f32], a: &[f32], values: (f32, f32), b: &Matrix) {
        let (k, n) = (b.rows(), b.columns());
        let m = a.len() / k;
        assert_eq!((a.len(), out.len(), start.len()), (m * k, m * n, n), "{n} and [m, {k}] times [{k}, {n}]");
        if let Some(codes) = self.codes(a, k, values) {
            return codes.set_product(out, start, b);
        }
        out.chunks_exact_mut(n).for_each(|row| row.copy_from_slice(start));
        self.add_product(out, a, b);
    }

    /// Codes of these states, if this backend computes with them.
    fn codes(self, a: &[f32], k: usize, values: (f32, f32)) -> Option<Codes> {
        (self == Self::Fast).then(|| Codes::of_states(a, k, values)).flatten()
    }

    /// `out += alpha left[:, from..from + p]^T right` with `left: [r, P]`, `right: [r, q]` and `out: [p, q]`, row-major:
    /// `p` rows of a gradient, from `r` pairs of states.
    ///
    /// # Panics
    /// If the shapes do not fit.
    pub fn add_outer_products(self, out: &mut [f32], alpha: f32, left: &Matrix, from: usize, right: &Matrix) {
        let (r, q) = (right.rows(), right.columns());
        let p = out.len() / q;
        assert_eq!((left.rows(), out.len()), (r, p * q), "[{r}, {p}]^T times [{r}, {q}]");
        assert!(from + p <= left.columns(), "columns {from}..{} of {}", from + p, left.columns());
        match self {
            Self::Fast => fast::add_outer_products(out, alpha, left, from, right),
            Self::Plain => plain::add_outer_products(out, alpha, left, from, right),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some(rows: usize, columns: usize, seed: u32) -> Matrix {
        let mut x = seed;
        let data = (0..rows * columns)
            .map(|_| {
                x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (x >> 8) as f32 / (1 << 23) as f32 - 1.0
            })
            .collect();
        Matrix::from_vec(rows, columns, data)
    }

    fn close(a: &[f32], b: &[f32]) {
        for (x, y) in a.iter().zip(b) {
            assert!((x - y).abs() < 1e-4, "{x} and {y}");
        }
    }

    /// Both kernels add the same to the same matrix.
    fn check(start: &Matrix, add: impl Fn(Backend, &mut [f32])) {
        let (mut fast, mut plain) = (start.clone(), start.clone());
        add(Backend::Fast, fast.data_mut());
        add(Backend::Plain, plain.data_mut());
        close(fast.data(), plain.data());
    }

    #[test]
    fn fast_products_agree_with_plain_ones() {
        for (m, k, n) in [(1, 1, 1), (3, 17, 5), (25, 64, 33), (7, 100, 16), (40, 3, 129)] {
            let (a, b) = (some(m, k, 1), some(k, n, 2));
            check(&some(m, n, 3), |backend, out| backend.add_product(out, a.data(), &b));
        }
        for (r, big_p, from, p, q) in [(1, 1, 0, 1, 1), (9, 20, 7, 6, 11), (100, 48, 16, 32, 65)] {
            let (left, right) = (some(r, big_p, 4), some(r, q, 5));
            check(&some(p, q, 6), |backend, out| backend.add_outer_products(out, -0.5, &left, from, &right));
        }
    }

    #[test]
    fn binary_products_agree_with_plain_ones() {
        for (m, k, n) in [(1, 5, 40), (7, 33, 16), (8, 64, 100), (47, 70, 32), (48, 70, 33), (60, 131, 500), (100, 1, 31)] {
            for (low, high) in [(-1.0, 1.0), (0.0, 1.0)] {
                let (mut a, b, start) = (some(m, k, 7), some(k, n, 8), some(m, n, 9));
                a.data_mut().iter_mut().for_each(|x| *x = if *x > 0.0 { high } else { low });
                for strange in [false, true] {
                    // One value that is neither low nor high.
                    a.data_mut()[m * k / 2] = if strange { 0.25 } else { high };
                    check(&start, |backend, out| backend.add_binary_product(out, a.data(), (low, high), &b));
                    let (mut plain, mut product) = (start.clone(), start.clone());
                    Backend::Plain.add_binary_product(plain.data_mut(), a.data(), (low, high), &b);
                    Backend::Plain.add_product(product.data_mut(), a.data(), &b);
                    assert_eq!(plain, product);
                    // The same bits as adding to rows that are all equal to `start`.
                    for backend in [Backend::Fast, Backend::Plain] {
                        let (mut added, mut set) = (Matrix::zeros(0, n), start.clone());
                        (0..m).for_each(|_| added.push_row(start.row(0)));
                        backend.add_binary_product(added.data_mut(), a.data(), (low, high), &b);
                        backend.set_binary_product(set.data_mut(), start.row(0), a.data(), (low, high), &b);
                        assert_eq!(set, added);
                    }
                }
            }
        }
    }
}
