//! Invariants on random models, masks and states: any depth, any sizes, both kinds of units.

use dbm_core::chains::{Chains, UpdateRule};
use dbm_core::gradient::{EstimatorKind, EstimatorSettings, expectation};
use dbm_core::linalg::Matrix;
use dbm_core::rng::{Purpose, Stream, Streams};
use dbm_core::sweep::{GibbsDraw, Minimum, gibbs};
use dbm_core::{Backend, Clamp, Dbm, Parity, Settings, Units, exact};
use proptest::prelude::*;

#[path = "../../../tests/all/common/mod.rs"]
#[allow(dead_code)] // only part of it is used
mod common;

/// Layer sizes, kind of units, seed of everything else, and which visible units are known (none, all or some).
#[derive(Clone, Debug)]
struct Case {
    sizes: Vec<usize>,
    units: Units,
    seed: u64,
    known: u8,
    scale: f64,
}

fn cases() -> impl Strategy<Value = Case> {
    let units = prop_oneof![Just(Units::Signs), Just(Units::Bits)];
    (prop::collection::vec(1_usize..40, 2..=5), units, any::<u64>(), 0_u8..3, 0.01..3.0_f64)
        .prop_map(|(sizes, units, seed, known, scale)| Case { sizes, units, seed, known, scale })
}

impl Case {
    fn model(&self) -> Dbm {
        let mut stream = Streams::new(self.seed).at(Purpose::Initialization, 1, 1);
        let mut draw = |n: usize| (0..n).map(|_| (self.scale * stream.gaussian()) as f32).collect::<Vec<f32>>();
        let weights = self.sizes.windows(2).map(|pair| draw(pair[0] * pair[1])).collect();
        let biases = self.sizes.iter().map(|&n| draw(n)).collect();
        Dbm::new(self.units, weights, biases).expect("a sound model")
    }

    /// Chains at random states, with their streams.
    fn chains(&self, model: &Dbm, count: usize) -> (Chains, Vec<Stream>) {
        let n = model.n_visible();
        let mut streams: Vec<Stream> = (0..count as u64).map(|c| Streams::new(self.seed).at(Purpose::Negative, 0, c)).collect();
        let visible = (0..count * n).map(|_| self.units.value(streams[0].coin())).collect();
        let visible = Matrix::from_vec(count, n, visible);
        let clamp = match self.known {
            0 => Clamp::Free,
            1 => Clamp::Visible,
            _ => Clamp::Known((0..count * n).map(|_| streams[0].coin()).collect()),
        };
        let mut chains = Chains::new(model, visible, clamp);
        chains.randomize_all(model, &mut streams);
        (chains, streams)
    }
}

/// Models with at most this many units in total and in a layer, with any of their visible units clamped.
fn small_cases(
    most: usize,
    widest: usize,
    scale: impl Strategy<Value = f64>,
) -> impl Strategy<Value = (Case, Vec<Option<bool>>)> {
    let sizes =
        prop::collection::vec(1..=widest, 2..=5).prop_filter("too many units", move |sizes| sizes.iter().sum::<usize>() <= most);
    (sizes, cases(), scale).prop_flat_map(|(sizes, case, scale)| {
        let visible = prop::collection::vec(any::<Option<bool>>(), sizes[0]);
        (Just(Case { sizes, scale, ..case }), visible)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn enumerating_one_parity_equals_enumerating_everything((case, visible) in small_cases(10, 6, 0.01..3.0_f64)) {
        common::check_exact(&case.model(), &visible, 1e-9, 1e-9);
    }

    #[test]
    fn carried_fields_equal_recomputed_ones(case in cases()) {
        let model = case.model();
        let (mut chains, mut streams) = case.chains(&model, 5);
        // Out of order, like the chains that remain in a search.
        let all = [3_u32, 4, 0, 2, 1];
        let bound = 1e-5 * case.scale * case.sizes.iter().sum::<usize>() as f64 + 1e-5;
        for round in 0..8_u32 {
            let mut draw = GibbsDraw::new(&mut streams);
            let rule: &mut dyn UpdateRule = if round % 2 == 0 { &mut Minimum } else { &mut draw };
            let parity = Parity::first(round % 4 < 2);
            chains.half_sweep(&model, parity, &all, rule);
            (0..5).for_each(|c| common::check_fields(&model, &mut chains, c, parity, bound));
        }
    }

    #[test]
    fn a_search_goes_down_to_a_mode_and_keeps_what_is_known(case in cases()) {
        let model = case.model();
        let (mut chains, mut streams) = case.chains(&model, 1);
        common::check_search(&model, &mut chains, Parity::first(streams[0].coin()));
    }

    #[test]
    fn both_backends_take_the_same_way(case in cases()) {
        // Small weights keep every decision far enough from its threshold that the order of a sum does not matter.
        let fast = case.model();
        let plain = fast.clone().with_backend(Backend::Plain);
        let ends = [&fast, &plain].map(|model| {
            let (mut chains, mut streams) = case.chains(model, 4);
            gibbs(model, &mut chains, &[Parity::Even, Parity::Odd, Parity::Even, Parity::Odd], &mut streams);
            (0..4).map(|c| chains.state(c)).collect::<Vec<_>>()
        });
        let differing = ends[0].iter().zip(&ends[1]).filter(|(a, b)| a != b).count();
        prop_assert!(differing <= 1, "{} of 4 chains differ", differing);
    }
}

proptest! {
    // Each case sums over pairs of all states, and the weights are moderate: in a peaked model, summing over couplings takes too long.
    #![proptest_config(ProptestConfig::with_cases(25))]

    #[test]
    fn coupled_estimators_are_unbiased_on_any_small_model_with_any_mask_and_gaps((case, mask) in small_cases(6, 3, 0.01..0.8_f64)) {
        let model = case.model();
        // Every other unknown bit is missing.
        let bit = |(i, bit): (usize, &Option<bool>)| bit.or((i % 2 == 0).then_some(true));
        let visible: Vec<Option<bool>> = mask.iter().enumerate().map(bit).collect();
        let known: Vec<bool> = mask.iter().map(Option::is_some).collect();
        let exact = exact::gradient_with_gaps(&model, &visible, &known).unwrap();
        for kind in [EstimatorKind::UcdLmi, EstimatorKind::UcdMh, EstimatorKind::UcdGibbs] {
            for marginalize in [true, false] {
                let settings = EstimatorSettings::new(kind);
                let settings = Settings { estimator: settings, marginalize, max_meeting: u32::MAX, ..Settings::default() };
                let mean = expectation(&settings).expected(&model, &visible, &known, 0).unwrap();
                let bias = mean.values.iter().zip(&exact).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                prop_assert!(mean.unmet < 1e-12 && bias < 1e-9, "{} marginalized {marginalize}: {bias:e}", kind.name());
            }
        }
    }
}
