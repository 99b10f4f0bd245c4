//! `dbm couple`: its table and its figure.

use crate::folder::{Folder, cell, number, table};

#[test]
fn writes_the_same_table_for_any_number_of_threads_and_draws_it() {
    let folder = Folder::new("couple");
    let asked = "couple --dimensions 1,3..9:3,20 --runs 12 --cap 50 --units signs,bits --seed 5";
    folder.ok(&format!("{asked} --csv one.csv --plot one.svg --threads 1"));
    folder.ok(&format!("{asked} --csv three.csv --threads 3"));
    let csv = folder.text("one.csv");
    assert_eq!(folder.text("three.csv"), csv);
    assert_eq!(folder.ok(asked), csv);
    let rows = table(csv.as_bytes());
    assert_eq!(rows.len(), 5 * 2 * 4);
    for row in &rows {
        let [tau, sweeps, total] = ["tau_mean", "T_mean", "tau_plus_T_mean"].map(|name| cell(row, name));
        assert!((tau + sweeps - total).abs() < 1e-3 && tau >= 1.0 && cell(row, "tau_max") <= 50.0, "{row:?}");
        assert_eq!(row["start"] == "uniform", sweeps == 0.0, "{row:?}");
        assert_eq!(cell(row, "share_of_runs_with_tau_above_1") > 0.0, tau > 1.0, "{row:?}");
        let rising = ["q1", "median", "q3", "q90", "q99", "max"].map(|what| cell(row, &format!("tau_{what}")));
        assert!(rising.is_sorted(), "{row:?}");
    }
    // Both kinds of units: all steps, T and tau, what the cap cut off, and the tail.
    let picture = folder.text("one.svg");
    for title in ["(a) signs: 12 couplings", "(b) signs", "(c) signs", "(d) signs", "(e) bits", "(h) bits: the tail"] {
        assert!(picture.starts_with("<svg") && picture.contains(title), "{title}");
    }
    assert!(picture.contains("share not met after 50 steps") && picture.matches("gibbs, uniform").count() == 1);
    let line = folder.json("couple --dimensions 4 --runs 3 --kernel gibbs --start uniform --cap 1");
    assert_eq!((number(&line, "tau.max"), number(&line, "runs")), (1.0, 3.0));
    assert!(number(&line, "capped") > 0.0, "{line}");
}

#[test]
fn draws_a_png_of_twice_the_size_with_letters_in_it() {
    let folder = Folder::new("couple-png");
    let asked = "couple --dimensions 1..9:4 --runs 4 --cap 20 --csv table.csv";
    folder.ok(&format!("{asked} --plot one.svg --threads 1"));
    folder.ok(&format!("{asked} --plot one.PNG --threads 3"));
    let picture = folder.text("one.svg");
    let attribute = |name: &str| {
        let rest = picture.split_once(&format!(" {name}=\"")).unwrap().1;
        rest.split_once('"').unwrap().0.parse::<usize>().unwrap()
    };
    let (width, height) = (attribute("width"), attribute("height"));
    let (info, bytes) = folder.png("one.PNG");
    assert_eq!((info.width as usize, info.height as usize), (2 * width, 2 * height));
    assert_eq!(bytes.len(), 12 * width * height, "red, green and blue");
    // The corners are paper, and there are letters.
    assert!(bytes[..3] == [255; 3] && bytes.ends_with(&[255; 3]));
    let dark = bytes.as_chunks::<3>().0.iter().filter(|pixel| pixel.iter().all(|&level| level < 90)).count();
    assert!(dark > 2000, "{dark}");
}
