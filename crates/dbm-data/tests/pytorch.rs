//! Checks that the lines in docs/pytorch.md compute the same energies as the core. Needs a Python with torch and safetensors, named by the
//! variable `PYTHON`. Without one the test says so and ends.

use dbm_core::rng::{Purpose, Streams};
use dbm_core::{Dbm, Parameters, Units, init};
use dbm_data::{Checkpoint, Precision};
use std::path::Path;
use std::process::Command;

const SIZES: [usize; 4] = [7, 5, 4, 3];
const STATES: usize = 6;

fn python() -> Option<String> {
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".into());
    let there = Command::new(&python).args(["-c", "import torch, safetensors"]).output();
    there.is_ok_and(|output| output.status.success()).then_some(python)
}

fn states(model: &Dbm) -> Vec<Vec<Vec<f32>>> {
    let mut stream = Streams::new(3).at(Purpose::Order, 0, 0);
    let mut layer = |n: usize| (0..n).map(|_| model.units().value(stream.coin())).collect();
    (0..STATES).map(|_| SIZES.iter().map(|&n| layer(n)).collect()).collect()
}

#[test]
fn the_lines_in_the_docs_give_the_energies_of_the_core() {
    let Some(python) = python() else {
        println!("skipped: no Python with torch and safetensors; set PYTHON to one that has them");
        return;
    };
    let docs = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/pytorch.md")).unwrap();
    let lines = docs.split("```python\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a block of Python");
    for units in [Units::Signs, Units::Bits] {
        let start = init::gaussian(&SIZES, units, 0.7, 5).unwrap();
        let biases = SIZES.iter().map(|&n| (0..n).map(|i| 0.3 * i as f32 - 0.5).collect()).collect::<Vec<Vec<f32>>>();
        let weights = start.weights().iter().map(|weight| weight.data().to_vec()).collect::<Vec<_>>();
        let model = Dbm::new(units, weights.clone(), biases.clone()).unwrap();
        let states = states(&model);
        let expected: Vec<f64> = states.iter().map(|state| model.energy(state)).collect();
        let folder = std::env::temp_dir().join(format!("dbm-pytorch-{}-{units:?}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let bytes = Checkpoint::new(units, Parameters { weights, biases }).to_bytes(Precision::Full).unwrap();
        std::fs::write(folder.join("model.safetensors"), bytes).unwrap();
        let program =
            format!("{lines}\nfor state in {states:?}:\n    print(float(energy(*[torch.tensor(layer) for layer in state])))\n");
        let output = Command::new(&python).current_dir(&folder).args(["-c", &program]).output().unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let got: Vec<f64> = String::from_utf8_lossy(&output.stdout).lines().map(|line| line.parse().unwrap()).collect();
        assert_eq!(got.len(), STATES);
        for (got, expected) in got.iter().zip(&expected) {
            assert!((got - expected).abs() < 1e-4, "{units:?}: {got} instead of {expected}");
        }
    }
}
