//! Every fast path against the paper's algorithms for one chain, written plainly: given the same draws, they produce the same states and
//! the same gradient.

use crate::common::random_model;
use dbm_core::chains::Chains;
use dbm_core::gradient::{Batch, estimator};
use dbm_core::linalg::Matrix;
use dbm_core::reference::{Coupling, Gradient, RandomSource, Reference, State};
use dbm_core::rng::{Purpose, Stream, Streams};
use dbm_core::sweep::{LocalMode, search, uniform_start};
use dbm_core::{Clamp, Dbm, Settings, Units};
use wasm_bindgen_test::wasm_bindgen_test;

/// A chain's stream, used as the fast paths use it.
struct Draws(Stream);

impl RandomSource for Draws {
    fn coin(&mut self) -> bool {
        self.0.coin()
    }

    fn coins(&mut self, n: usize) -> Vec<bool> {
        let mut coins = vec![0.0; n];
        self.0.fill_coins(0.0, 1.0, &mut coins);
        coins.into_iter().map(|coin| coin == 1.0).collect()
    }

    fn uniform(&mut self) -> f64 {
        self.0.uniform()
    }

    fn uniforms(&mut self, n: usize) -> Vec<f64> {
        let mut uniforms = vec![0.0; n];
        self.0.fill_uniform(&mut uniforms);
        uniforms.into_iter().map(f64::from).collect()
    }
}

fn in_f64(state: &[Vec<f32>]) -> State {
    state.iter().map(|layer| layer.iter().map(|&s| f64::from(s)).collect()).collect()
}

const SHAPES: [&[usize]; 4] = [&[9, 7], &[4, 3, 2], &[4, 2, 2, 2], &[30, 20, 25, 10]];

fn models(seed: u64) -> impl Iterator<Item = Dbm> {
    [Units::Signs, Units::Bits].into_iter().flat_map(move |units| SHAPES.map(|sizes| random_model(units, sizes, seed)))
}

/// Algorithms 1 and 5 and the Gibbs sweep: the same modes in as many sweeps, and the same x_0.
#[wasm_bindgen_test(unsupported = test)]
fn searches_and_sweeps_are_the_papers() {
    for (model, clamp) in models(1).flat_map(|model| [Clamp::Free, Clamp::Visible].map(|clamp| (model.clone(), clamp))) {
        let reference = Reference { model: &model, clamped: clamp == Clamp::Visible };
        for seed in 0..20 {
            let stream = Streams::new(seed).at(Purpose::Completion, 0, 0);
            let visible = (0..model.n_visible()).map(|i| model.units().value(i % 3 == 0)).collect();
            let mut chains = Chains::new(&model, Matrix::from_vec(1, model.n_visible(), visible), clamp.clone());
            let (mut fast, mut plain) = ([stream.clone()], Draws(stream));

            let begun = reference.uniform_state(&in_f64(&chains.state(0)), &mut plain);
            let first = uniform_start(&model, &mut chains, &mut fast);
            assert_eq!(in_f64(&chains.state(0)), begun);

            let (mode, sweeps) = reference.local_search(begun, &mut plain);
            let mut searched = Chains::new(&model, chains.layer(0).clone(), clamp.clone());
            searched.place(0, &chains.state(0));
            assert_eq!(search(&model, &mut searched, &first, 1000)[0].sweeps, sweeps);
            assert_eq!(in_f64(&searched.state(0)), mode);

            LocalMode { max_sweeps: 1000, gibbs_sweeps: 1 }.apply(&model, &mut chains, &first, &mut fast, |_, _| ());
            assert_eq!(in_f64(&chains.state(0)), reference.gibbs_sweep(mode, &mut plain));
            assert!((model.energy(&chains.state(0)) - reference.energy(&in_f64(&chains.state(0)))).abs() < 1e-4);
        }
    }
}

/// One phase of UCD-LMI, or of the variants without the search or without the coupling; and tau.
fn phase(reference: Reference, v: &State, settings: &Settings, stream: Stream) -> (Gradient, u32) {
    let mut random = Draws(stream);
    let mut x0 = reference.uniform_state(v, &mut random);
    let name = settings.estimator.kind.name();
    if name == "ucd-mh" {
        random.coin(); // for the missing search
    } else {
        let mode = reference.local_search(x0, &mut random).0;
        x0 = reference.gibbs_sweep(mode, &mut random);
    }
    let coupling = if name == "lmi" {
        Coupling { pairs: vec![(x0.clone(), x0.clone())], tau: 0 }
    } else {
        reference.coupling(&x0, settings.max_meeting, &mut random)
    };
    (reference.estimate(&x0, &coupling, settings.marginalize), coupling.tau)
}

/// Algorithms 2, 3 and 4, marginalized or not: the gradient of one example, and both meeting times.
#[wasm_bindgen_test(unsupported = test)]
fn a_chains_gradient_is_the_papers() {
    let mut longest = 0;
    for model in
        [Units::Signs, Units::Bits].into_iter().flat_map(|units| SHAPES[1..3].iter().map(move |s| random_model(units, s, 2)))
    {
        for (name, marginalize, step) in
            ["ucd-lmi", "ucd-mh", "lmi"].into_iter().flat_map(|name| (0..40).map(move |step| (name, step % 2 == 0, step)))
        {
            let settings = Settings { estimator: name.parse().unwrap(), marginalize, max_meeting: 200, ..Settings::default() };
            let visible = Matrix::from_vec(1, 4, [true, false, true, true].map(|bit| model.units().value(bit)).to_vec());
            let streams = Streams::new(3);
            let batch = Batch { step, ..Batch::new(visible.clone(), streams) };
            let fast = estimator(&settings).estimate(&model, &batch, &|| 0.0);

            let mut v: State = model.sizes().iter().map(|&n| vec![0.0; n]).collect();
            v[0] = visible.data().iter().map(|&x| f64::from(x)).collect();
            let of = |clamped, purpose| phase(Reference { model: &model, clamped }, &v, &settings, streams.at(purpose, step, 0));
            let ((positive, tau), (negative, free_tau)) = (of(true, Purpose::Positive), of(false, Purpose::Negative));
            if name != "lmi" {
                assert_eq!(
                    (&fast.info.positive.meeting_times[..], &fast.info.negative.meeting_times[..]),
                    (&[tau][..], &[free_tau][..])
                );
            }
            longest = longest.max(tau).max(free_tau);
            let gradient = fast.moments.gradient(model.backend(), 1.0);
            let plain = positive.iter().zip(&negative).map(|(p, n)| p - n);
            for (fast, plain) in gradient.flat().into_iter().zip(plain) {
                assert!((fast - plain).abs() < 1e-4 * (1.0 + f64::from(longest)), "{name} step {step}: {fast} and {plain}");
            }
        }
    }
    assert!(longest > 5, "couplings that last are among them");
}
