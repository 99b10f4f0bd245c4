//! The form: what it suggests, refuses, and asks for.

use super::*;
use dbm_core::words::Choose;

fn with(setting: Setting, text: &str) -> Draft {
    let mut draft = Draft::digits();
    draft.set(setting, text.into());
    draft
}

#[test]
fn what_is_suggested_is_a_run_and_comes_back_as_the_same_form() {
    for draft in [Draft::digits(), Draft::bars()] {
        let plan = draft.plan().unwrap();
        assert!(plan.settings.check(784).is_ok());
        assert_eq!(Draft::of(&plan).plan(), Some(plan));
    }
}

#[test]
fn every_estimator_and_start_comes_back_as_the_same_form() {
    for kind in EstimatorKind::ALL {
        for start in [StartKind::Orthogonal, StartKind::Gaussian, StartKind::Pretrained, StartKind::Independent] {
            for centered in [false, true] {
                let mut draft = Draft { centered, start, ..Draft::digits() };
                draft.choose_estimator(kind, 784);
                assert_eq!(
                    draft.start == StartKind::Independent,
                    kind.descriptor().has_ladder || start == StartKind::Independent
                );
                draft.start = start;
                for (field, text) in [
                    (Setting::Conditional, "0"),
                    (Setting::K, "7"),
                    (Setting::MaxTries, "55"),
                    (Setting::MeanFieldSweeps, "33"),
                    (Setting::LadderEvery, "9"),
                    (Setting::MaxSweeps, "77"),
                    (Setting::ModeSweeps, "50"),
                    (Setting::RateDecay, "900"),
                    (Setting::CenteringRate, "0.25"),
                    (Setting::PretrainingSteps, "40"),
                    (Setting::PretrainingRate, "0.125"),
                ] {
                    draft.set(field, text.into());
                }
                let plan = draft.plan().unwrap();
                assert!(plan.settings.check(784).is_ok(), "{kind:?}");
                let e = &plan.settings.estimator;
                assert_eq!((e.kind, e.centering), (kind, centered.then_some(0.25)));
                assert_eq!(e.k, if kind.has(Setting::K) { 7 } else { 1 });
                assert_eq!(e.max_tries == 55, kind == EstimatorKind::UcdGibbs);
                assert_eq!(e.mean_field_sweeps == 33, kind == EstimatorKind::Pcd);
                assert_eq!(e.ladder_every == 9, kind == EstimatorKind::Ptt);
                assert_eq!(e.mode_sweeps, if kind.has(Setting::ModeSweeps) { 50 } else { 1 });
                assert_eq!(plan.settings.optimizer.decay_steps, 900);
                assert_eq!(plan.settings.max_sweeps == 77, draft.applies(Setting::MaxSweeps));
                assert_eq!(
                    plan.start == Initialization::Pretrained { steps: 40, learning_rate: 0.125 },
                    start == StartKind::Pretrained
                );
                let again = Draft::of(&plan);
                assert_eq!((again.estimator(), again.start, again.centered), (kind, start, centered));
                assert_eq!(again.plan(), Some(plan));
            }
        }
    }
}

#[test]
fn what_the_best_models_are_made_by_comes_back_as_the_same_form() {
    for masks in Masks::CHOICES {
        let mut draft = Draft { masks: masks.value, method: OptimizerMethod::Sgd, ..Draft::digits() };
        for (field, text) in [
            (Setting::ModeSweeps, "50"),
            (Setting::RateDecay, "16000"),
            (Setting::Average, "0.999"),
            (Setting::Conditional, "0.75"),
            (Setting::Momentum, "0.9"),
        ] {
            draft.set(field, text.into());
        }
        let plan = draft.plan().unwrap();
        let s = &plan.settings;
        assert_eq!((s.estimator.mode_sweeps, s.optimizer.decay_steps, s.average), (50, 16_000, Some(0.999)));
        assert_eq!((s.conditional, s.masks, s.optimizer.momentum), (0.75, masks.value, 0.9));
        let mut again = Draft::of(&plan);
        assert_eq!(again, draft);
        // Nobody sees masks of no share, nor the momentum of Adam.
        again.set(Setting::Conditional, "0".into());
        again.method = OptimizerMethod::Adam;
        let s = again.plan().unwrap().settings;
        assert_eq!((s.masks, s.optimizer.momentum), (Masks::Mixed, 0.0));
    }
}

#[test]
fn the_cap_on_meeting_follows_the_estimator_until_one_is_typed() {
    let mut draft = Draft::digits();
    for (kind, visible, cap) in [
        (EstimatorKind::UcdMh, 784, "1000"),
        (EstimatorKind::UcdLmi, 784, "100000"),
        (EstimatorKind::UcdGibbs, 784, "10"),
        (EstimatorKind::Cd, 784, "100000"),
    ] {
        draft.choose_estimator(kind, visible);
        assert_eq!(draft.text(Setting::MaxMeeting), cap, "{kind:?}");
    }
    draft.set(Setting::MaxMeeting, "500".into());
    draft.choose_estimator(EstimatorKind::UcdGibbs, 784);
    assert_eq!(draft.text(Setting::MaxMeeting), "500");
    assert!(draft.meeting_is_slow(784));
    let mut small = Draft::bars();
    small.choose_estimator(EstimatorKind::UcdGibbs, 16);
    assert_eq!(small.text(Setting::MaxMeeting), "1000");
    assert!(!small.meeting_is_slow(16));
}

#[test]
fn nonsense_in_a_field_that_does_not_apply_does_no_harm() {
    let mut draft = Draft::bars();
    let optional = [
        Setting::K,
        Setting::MaxTries,
        Setting::MeanFieldSweeps,
        Setting::LadderEvery,
        Setting::CenteringRate,
        Setting::PretrainingSteps,
        Setting::PretrainingRate,
    ];
    for field in optional {
        draft.set(field, "nonsense".into());
        assert_eq!((draft.applies(field), draft.problem(field)), (false, None));
    }
    assert_eq!(draft.plan(), Draft::bars().plan());
    (draft.start, draft.centered) = (StartKind::Pretrained, true);
    for (kind, own) in [(EstimatorKind::UcdGibbs, Setting::MaxTries), (EstimatorKind::Pcd, Setting::MeanFieldSweeps)] {
        draft.choose_estimator(kind, 16);
        for field in [own, Setting::CenteringRate, Setting::PretrainingSteps, Setting::PretrainingRate] {
            assert!(draft.problem(field).is_some_and(|problem| problem.contains("nonsense")), "{field:?}");
        }
    }
    assert!(draft.problem(Setting::K).is_some() && draft.plan().is_none());
}

#[test]
fn nonsense_is_named() {
    for text in ["", "0", "500,", "4001", "1.5", "a", "1,2,3,4,5", "-3"] {
        assert!(with(Setting::Hidden, text).problem(Setting::Hidden).is_some(), "{text}");
    }
    for text in ["NaN", "inf", "0", "-1", "11", ""] {
        assert!(with(Setting::LearningRate, text).plan().is_none(), "{text}");
    }
    assert!(with(Setting::Average, " ").plan().is_some_and(|plan| plan.settings.average.is_none()));
    assert!(with(Setting::Average, "1").problem(Setting::Average).is_some_and(|p| p.contains("“1”")));
    assert!(with(Setting::Seed, "9007199254740992").plan().is_none());
    for text in ["-1", "1000000001", "0.5", "never", ""] {
        assert!(with(Setting::RateDecay, text).problem(Setting::RateDecay).is_some(), "{text}");
    }
    for text in ["0", "1001", "1.5", ""] {
        let mut draft = with(Setting::K, text);
        draft.choose_estimator(EstimatorKind::Cd, 784);
        assert!(draft.problem(Setting::K).is_some(), "{text}");
        assert!(with(Setting::ModeSweeps, text).problem(Setting::ModeSweeps).is_some(), "{text}");
    }
}
