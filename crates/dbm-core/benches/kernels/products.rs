//! Batch products and rank-k updates: fast, plain, and by tables.

use crate::some;
use dbm_core::Backend;
use dbm_core::linalg::{Codes, Matrix};
use divan::Bencher;
use divan::counter::ItemsCount;

/// Chains, units of the layer that is read, units of the one whose fields come out: the minibatch, the largest shard, a shard of a batch of
/// 100, half of it (the chains whose coin fell the same way), and sizes at which the machine does what it can; both ways of many chains.
const PRODUCTS: [(usize, usize, usize); 10] = [
    (100, 784, 500),
    (32, 784, 500),
    (25, 784, 500),
    (12, 784, 500),
    (25, 500, 784),
    (25, 500, 500),
    (100, 784, 1000),
    (1024, 1024, 1024),
    (250, 784, 500),
    (250, 500, 784),
];

/// Rows of states, rows of the block of the gradient, its columns: all shards' binary sides of either kind, and both together.
const UPDATES: [(usize, usize, usize); 4] = [(100, 128, 500), (200, 128, 500), (300, 128, 500), (300, 128, 1000)];

/// States at random.
fn signs(rows: usize, columns: usize) -> Matrix {
    let mut states = some(rows, columns);
    states.data_mut().iter_mut().for_each(|x| *x = x.signum());
    states
}

/// Inputs row by row.
fn codes(inputs: &Matrix) -> Codes {
    let mut codes = Codes::new(inputs.columns(), (-1.0, 1.0));
    (0..inputs.rows()).for_each(|row| codes.push(inputs.row(row), |x| x > 0.0));
    codes
}

fn flops(m: usize, k: usize, n: usize) -> ItemsCount {
    ItemsCount::new(2 * m * k * n)
}

fn add_product(bencher: Bencher, (m, k, n): (usize, usize, usize), backend: Backend) {
    let (a, b, mut out) = (some(m, k), some(k, n), some(m, n));
    bencher.counter(flops(m, k, n)).bench_local(|| backend.add_product(out.data_mut(), a.data(), &b));
}

#[divan::bench(args = PRODUCTS)]
fn add_product_fast(bencher: Bencher, shape: (usize, usize, usize)) {
    add_product(bencher, shape, Backend::Fast);
}

/// As a search does it: by tables or by `gemm`, whichever is said to be faster.
#[divan::bench(args = PRODUCTS)]
fn add_product_binary(bencher: Bencher, (m, k, n): (usize, usize, usize)) {
    let (a, b, mut out) = (signs(m, k), some(k, n), some(m, n));
    bencher.counter(flops(m, k, n)).bench_local(|| {
        Backend::Fast.add_binary_product(out.data_mut(), a.data(), (-1.0, 1.0), &b);
    });
}

/// By tables whatever the shape, the states packed beforehand. An item is an operation of the product that this replaces.
#[divan::bench(args = PRODUCTS)]
fn add_product_tables(bencher: Bencher, (m, k, n): (usize, usize, usize)) {
    let (codes, b, mut out) = (codes(&signs(m, k).transposed()), some(k, n), some(m, n));
    bencher.counter(flops(m, k, n)).bench_local(|| codes.add_product(out.data_mut(), 0, &b, 0..n));
}

#[divan::bench(args = PRODUCTS, sample_count = 20, sample_size = 1)]
fn add_product_plain(bencher: Bencher, shape: (usize, usize, usize)) {
    add_product(bencher, shape, Backend::Plain);
}

fn add_outer_products(bencher: Bencher, (r, p, q): (usize, usize, usize), backend: Backend) {
    // The left rows are a whole layer's, of which the block is a part.
    let (left, right, mut out) = (some(r, 784), some(r, q), some(p, q));
    bencher.counter(flops(r, p, q)).bench_local(|| backend.add_outer_products(out.data_mut(), 0.01, &left, 128, &right));
}

#[divan::bench(args = UPDATES)]
fn add_outer_products_fast(bencher: Bencher, shape: (usize, usize, usize)) {
    add_outer_products(bencher, shape, Backend::Fast);
}

/// A binary left side: tables of the right rows.
#[divan::bench(args = UPDATES)]
fn add_outer_products_tables(bencher: Bencher, (r, p, q): (usize, usize, usize)) {
    let (left, right, mut out) = (codes(&signs(r, 784)), some(r, q), some(p, q));
    bencher.counter(flops(r, p, q)).bench_local(|| left.add_product(out.data_mut(), 128, &right, 0..q));
}

/// A binary right side: tables of the left rows, and the block transposed.
#[divan::bench(args = UPDATES)]
fn add_outer_products_tables_transposed(bencher: Bencher, (r, p, q): (usize, usize, usize)) {
    let (left, right, mut out) = (some(r, 784), codes(&signs(r, q)), some(p, q));
    bencher.counter(flops(r, p, q)).bench_local(|| {
        let mut transposed = Matrix::zeros(q, p);
        right.add_product(transposed.data_mut(), 0, &left, 128..128 + p);
        transposed.add_transpose_to(out.data_mut());
    });
}

#[divan::bench(args = UPDATES, sample_count = 20, sample_size = 1)]
fn add_outer_products_plain(bencher: Bencher, shape: (usize, usize, usize)) {
    add_outer_products(bencher, shape, Backend::Plain);
}
