//! What goes unit by unit: rows of flipped units, logistic functions, random numbers, transposition.

use crate::{bytes, some, stream};
use dbm_core::Units;
use dbm_core::chains::{LayerFields, UpdateRule};
use dbm_core::linalg::{Matrix, add_scaled, add_scaled_rows, dot};
use dbm_core::math::sigma_each;
use dbm_core::sweep::GibbsDraw;
use divan::counter::ItemsCount;
use divan::{Bencher, black_box};

#[divan::bench(args = [500, 784])]
fn add_one_row(bencher: Bencher, n: usize) {
    let (row, mut out) = (some(1, n), vec![0.0; n]);
    bencher.counter(ItemsCount::new(2 * n)).bench_local(|| add_scaled(&mut out, 0.5, row.data()));
}

/// So many rows out of a weight matrix of 784 of them, far from each other.
#[divan::bench(args = [4, 16, 64, 256])]
fn add_rows_of_500(bencher: Bencher, count: u32) {
    let (rows, mut out) = (some(784, 500), vec![0.0; 500]);
    let flips: Vec<(u32, f32)> = (0..count).map(|i| (i * 37 % 784, if i % 2 == 0 { 2.0 } else { -2.0 })).collect();
    let work = ItemsCount::new(2 * 500 * count as usize);
    bencher.counter(work).bench_local(|| add_scaled_rows(&mut out, &flips, |i| rows.row(i as usize)));
}

#[divan::bench(args = [500, 784])]
fn dot_in_f64(bencher: Bencher, n: usize) {
    let (a, b) = (some(1, n), some(1, n));
    bencher.counter(ItemsCount::new(2 * n)).bench_local(|| dot(black_box(a.data()), black_box(b.data())));
}

#[divan::bench(args = [500, 784])]
fn sigma_of_each(bencher: Bencher, n: usize) {
    let (fields, mut into) = (some(1, n), vec![0.0; n]);
    bencher.counter(ItemsCount::new(n)).bench_local(|| sigma_each(black_box(fields.data()), 2.0, 0.0, 1.0, &mut into));
}

#[divan::bench(args = [500, 784])]
fn fill_uniform(bencher: Bencher, n: usize) {
    let (mut stream, mut into) = (stream(), vec![0.0; n]);
    bencher.counter(ItemsCount::new(n)).bench_local(|| stream.fill_uniform(black_box(&mut into)));
}

/// What a Gibbs sweep does with the fields of a layer.
#[divan::bench(args = [500, 784])]
fn gibbs_draw(bencher: Bencher, n: usize) {
    let (fields, mut streams, mut decisions) = (some(1, n), [stream()], vec![0.0; n]);
    bencher.counter(ItemsCount::new(n)).bench_local(|| {
        let layer = LayerFields { chain: 0, layer: 0, units: Units::Signs, fields: black_box(fields.data()) };
        GibbsDraw::new(&mut streams).decide(layer, black_box(&mut decisions));
    });
}

#[divan::bench(args = [500, 784])]
fn fill_coins(bencher: Bencher, n: usize) {
    let (mut stream, mut into) = (stream(), vec![0.0; n]);
    bencher.counter(ItemsCount::new(n)).bench_local(|| stream.fill_coins(-1.0, 1.0, black_box(&mut into)));
}

#[divan::bench(args = [(784, 500), (500, 500), (784, 1000)])]
fn transpose(bencher: Bencher, (rows, columns): (usize, usize)) {
    let (from, mut into) = (some(rows, columns), Matrix::zeros(columns, rows));
    bencher.counter(bytes(2 * rows * columns)).bench_local(|| from.transpose_rows_into(0, into.data_mut()));
}
