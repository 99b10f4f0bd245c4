//! `dbm couple` as a user types it.

mod support;

use serde_json::Value;
use support::Folder;

#[test]
fn writes_the_same_table_for_any_number_of_threads_and_draws_it() {
    let folder = Folder::new("couple");
    let asked = "couple --dimensions 1,3..9:3,20 --runs 12 --cap 50 --units signs,bits --seed 5";
    folder.ok(&format!("{asked} --csv one.csv --plot one.svg --threads 1"));
    folder.ok(&format!("{asked} --csv three.csv --threads 3"));
    let table = String::from_utf8(folder.read("one.csv")).unwrap();
    assert_eq!(folder.read("three.csv"), table.as_bytes());
    assert_eq!(folder.ok(asked), table);
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split(',').collect()).collect();
    let columns = rows[0].len();
    assert!(rows.len() == 1 + 5 * 2 * 4 && rows.iter().all(|row| row.len() == columns), "{table}");
    let column = |name: &str| rows[0].iter().position(|&cell| cell == name).unwrap_or_else(|| panic!("no {name}"));
    let number = |row: &[&str], name: &str| row[column(name)].parse::<f64>().unwrap();
    for row in &rows[1..] {
        let [tau, sweeps, total] = ["tau_mean", "T_mean", "tau_plus_T_mean"].map(|name| number(row, name));
        assert!((tau + sweeps - total).abs() < 1e-3 && tau >= 1.0 && number(row, "tau_max") <= 50.0, "{row:?}");
        assert_eq!(row[column("start")] == "uniform", sweeps == 0.0, "{row:?}");
        assert_eq!(number(row, "share_of_runs_with_tau_above_1") > 0.0, tau > 1.0, "{row:?}");
        assert!(number(row, "tau_q1") <= number(row, "tau_median") && number(row, "tau_median") <= number(row, "tau_q3"));
    }
    let picture = String::from_utf8(folder.read("one.svg")).unwrap();
    assert!(picture.starts_with("<svg") && picture.contains("gibbs, uniform, bits"));
    let printed = folder.ok("couple --dimensions 4 --runs 3 --kernel gibbs --start uniform --cap 1 --json");
    let line: Value = serde_json::from_str(printed.trim()).unwrap();
    assert_eq!((&line["tau"]["max"], &line["runs"]), (&Value::from(1), &Value::from(3)));
    assert!(line["capped"].as_u64().unwrap() > 0, "{line}");
}

#[test]
fn refuses_what_makes_no_sense() {
    let folder = Folder::new("couple-refusals");
    assert!(folder.fails(2, "couple --dimensions 0").contains("1 to 400"));
    assert!(folder.fails(2, "couple --dimensions 9..3").contains("rises"));
    assert!(folder.fails(2, "couple --runs 0").contains("--runs"));
    assert!(folder.fails(2, "couple --cap 0").contains("--cap"));
    assert!(folder.fails(4, "couple --dimensions 2 --csv none/table.csv").contains("none"));
}
