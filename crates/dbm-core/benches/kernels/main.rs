//! The kernels of a training step, one by one, at the shapes that occur in one: `./run bench kernels`.
//!
//! `Gitem/s` are GFLOP/s where an item is an addition or a multiplication (products, rows), 10^9 units a second elsewhere; `GB/s` are
//! bytes read and written. All on one thread.

mod phases;
mod products;
mod units;

use dbm_core::linalg::Matrix;
use dbm_core::rng::{Purpose, Stream, Streams};

fn main() {
    divan::main();
}

/// A stream for test data.
fn stream() -> Stream {
    Streams::new(1).at(Purpose::Initialization, 0, 0)
}

/// Uniform values between -1 and 1, whose products neither overflow nor become denormal.
fn some(rows: usize, columns: usize) -> Matrix {
    let mut data = vec![0.0; rows * columns];
    stream().fill_uniform(&mut data);
    data.iter_mut().for_each(|x| *x = 2.0 * *x - 1.0);
    Matrix::from_vec(rows, columns, data)
}

/// Bytes of so many numbers.
fn bytes(numbers: usize) -> divan::counter::BytesCount {
    divan::counter::BytesCount::new(4 * numbers)
}
