//! Models too large for the memory are refused before anything is allocated, and `dbm bench --scale` says what the others take.

use crate::folder::{Folder, number};

#[test]
fn what_does_not_fit_is_refused_at_once_with_its_size() {
    let folder = Folder::new("refusal");
    for absurd in ["4000000,4000000", "18446744073709551615,18446744073709551615,18446744073709551615", "40000,40000"] {
        let said =
            folder.fails(2, &format!("train --data digits --digits 20 --hidden {absurd} --steps 1 --out x --memory-limit 8G"));
        let named = format!("784-{}", absurd.replace(',', "-"));
        for words in [&named, "B of memory", "parameters", "the limit is 8.0 GB", "smaller layers", "--memory-limit"] {
            assert!(said.contains(words), "no {words:?}: {said}");
        }
        folder.fails(2, &format!("bench --digits 20 --hidden {absurd} --memory-limit 8G"));
        folder.fails(2, &format!("compare --data bars --hidden {absurd} --steps 2 --out x.csv --memory-limit 8G"));
        // Without a limit of one's own, the machine's is as good.
        folder.fails(2, &format!("train --data digits --digits 20 --hidden {absurd} --steps 1 --out x"));
    }
    folder.ok("train --data bars --hidden 40,30 --batch 10 --threads 1 --out x.safetensors --steps 1 --memory-limit 1M");
    // Pretraining takes four copies even where what follows takes two.
    folder.fails(2, "train --data bars --hidden 300,300 --optimizer sgd --batch 1 --threads 1 --steps 1 --out y --pretrain 1 --memory-limit 1.9M");
    folder.ok("train --data bars --hidden 300,300 --optimizer sgd --batch 1 --threads 1 --steps 1 --out y --memory-limit 1.9M");
}

#[test]
fn every_width_and_depth_is_timed_written_read_and_drawn() {
    let folder = Folder::new("scale");
    let scale = "bench --scale --data bars --widths 8,20 --depths 1,2 --batches 10,30 --seconds 0.01 --threads 2";
    let points = folder.events(&format!("{scale} --csv native.csv --plot native.svg"));
    let shapes: Vec<[f64; 3]> = points.iter().map(|point| ["depth", "width", "batch"].map(|name| number(point, name))).collect();
    let expected = [[1, 8, 10], [1, 20, 10], [2, 8, 10], [2, 20, 10], [2, 8, 30], [2, 20, 30]];
    assert_eq!(shapes, expected.map(|shape| shape.map(f64::from)));
    for point in &points {
        let number = |name| number(point, name);
        assert!(number("milliseconds_per_step") > 0.0 && number("steps") >= 3.0);
        assert!(number("footprint_bytes") > 4.0 * number("parameter_bytes"));
        if cfg!(target_os = "linux") {
            assert!(number("peak_memory_bytes") > 1e6);
        }
    }
    assert_eq!(points[0]["parameters"], 16 * 8 + 16 + 8);
    let table = folder.text("native.csv");
    assert_eq!(table.lines().count(), 7);
    let drawn = folder.text("native.svg");
    assert!(drawn.contains("time, native: 2 threads"));

    // What was written can be drawn again, beside the browser's.
    folder.write("browser.csv", table.replace("native", "browser"));
    let said = folder.ok("bench --scale --native native.csv --browser browser.csv --plot both.svg");
    assert_eq!(said.matches("native").count(), said.matches("browser").count());
    assert!(folder.text("both.svg").contains("memory, browser"));
    folder.ok("bench --scale --native native.csv --plot again.svg");
    assert!(folder.text("again.svg") == drawn, "a figure drawn from a table is that of the measurement");

    // A point that does not fit is there, and says so.
    let skipped = folder.ok(&format!("{scale} --csv small.csv --memory-limit 60k"));
    assert!(skipped.contains("skipped") && skipped.contains("of memory"), "{skipped}");
}
