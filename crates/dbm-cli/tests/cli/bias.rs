//! `dbm bias`: which estimators are unbiased.

use crate::folder::{Folder, number};

#[test]
fn prints_which_estimators_are_unbiased_and_by_how_much_the_others_are_not() {
    let folder = Folder::new("bias");
    for units in ["signs", "bits"] {
        let rows = folder.events(&format!("bias --units {units} --sizes 2,1,1 --seeds 2 --also cd-3"));
        for name in ["ucd-lmi", "ucd-mh", "ucd-gibbs", "lmi", "cd-1", "cd-3", "pcd-1", "pcd-gibbs-1"] {
            let row = rows.iter().find(|row| row["estimator"] == name).unwrap_or_else(|| panic!("no {name}: {rows:?}"));
            let bias = number(row, "bias");
            assert!(if name.starts_with("ucd") { bias < 1e-9 } else { bias > 1e-4 }, "{row}");
            assert_eq!(row["bias_by_seed"].as_array().unwrap().len(), 2);
        }
    }
    let table = folder.ok("bias --sizes 2,1,1 --seeds 1");
    assert!(table.contains("unbiased, to rounding") && table.contains("pcd-gibbs-1"), "{table}");
    // If the cap takes effect, the output says so.
    let capped = folder.ok("bias --sizes 2,1,1 --seeds 1 --max-meeting 2");
    assert!(capped.lines().any(|line| line.starts_with("ucd-mh ") && line.contains("cut")), "{capped}");
}
