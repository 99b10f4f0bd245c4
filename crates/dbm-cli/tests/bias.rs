//! `dbm bias` as a user types it.

mod support;

use serde_json::Value;
use support::Folder;

#[test]
fn prints_which_estimators_are_unbiased_and_by_how_much_the_others_are_not() {
    let folder = Folder::new("bias");
    for units in ["signs", "bits"] {
        let printed = folder.ok(&format!("bias --units {units} --sizes 2,1,1 --seeds 2 --also cd-3 --json"));
        let rows: Vec<Value> = printed.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        for name in ["ucd-lmi", "ucd-mh", "ucd-gibbs", "lmi", "cd-1", "cd-3", "pcd-1", "pcd-gibbs-1"] {
            let row = rows.iter().find(|row| row["estimator"] == name).unwrap_or_else(|| panic!("no {name}: {printed}"));
            let bias = row["bias"].as_f64().unwrap();
            assert!(if name.starts_with("ucd") { bias < 1e-9 } else { bias > 1e-4 }, "{row}");
            assert_eq!(row["bias_by_seed"].as_array().unwrap().len(), 2);
        }
    }
    let table = folder.ok("bias --sizes 2,1,1 --seeds 1");
    assert!(table.contains("unbiased, to rounding") && table.contains("pcd-gibbs-1"), "{table}");
    // A cap that bites is said to.
    let capped = folder.ok("bias --sizes 2,1,1 --seeds 1 --max-meeting 2");
    assert!(capped.lines().any(|line| line.starts_with("ucd-mh ") && line.contains("cut")), "{capped}");
}

#[test]
fn refuses_what_it_cannot_enumerate() {
    let folder = Folder::new("bias-refusals");
    assert!(folder.fails(2, "bias --sizes 6,4,2").contains("12 units"));
    assert!(folder.fails(2, "bias --sizes 6").contains("at least one hidden layer"));
    assert!(folder.fails(2, "bias --also ucd-5").contains("cd-K"));
    assert!(folder.fails(2, "bias --deviation 0").contains("--deviation"));
}
