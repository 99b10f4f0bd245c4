//! The form: what it suggests, refuses and asks for, and its part of the address.

use super::{Draft, ForData};
use crate::ui::binding::Keys;
use dbm_core::Units;
use dbm_core::gradient::EstimatorKind;
use dbm_core::settings::{Initialization, Setting, StartKind};
use dbm_core::words::Choose;

const DIGITS: ForData = ForData { visible: 784, is_picture: true };
const BARS: ForData = ForData { visible: 16, is_picture: true };

fn set(draft: &mut Draft, texts: &[(Setting, &str)]) {
    for (setting, text) in texts {
        draft.set(*setting, (*text).into());
    }
}

fn with(setting: Setting, text: &str) -> Draft {
    let mut draft = Draft::digits();
    draft.set(setting, text.into());
    draft
}

fn choose(draft: &mut Draft, kind: EstimatorKind, data: ForData) {
    draft.change(Setting::Estimator, kind.name().into(), data);
}

#[test]
fn what_is_suggested_is_a_run_and_comes_back_as_the_same_form() {
    for draft in [Draft::digits(), Draft::bars(), Draft::table(30)] {
        let plan = draft.plan().unwrap();
        assert!(plan.settings.check(784).is_ok());
        assert_eq!(Draft::of(&plan).plan(), Some(plan));
    }
}

#[test]
fn every_estimator_and_start_comes_back_as_the_same_form() {
    for kind in EstimatorKind::ALL {
        for start in StartKind::CHOICES {
            for centered in ["no", "yes"] {
                let mut draft = Draft::digits();
                set(&mut draft, &[(Setting::Centered, centered), (Setting::Start, start.name)]);
                choose(&mut draft, kind, DIGITS);
                let independent = StartKind::Independent;
                assert_eq!(
                    draft.text(Setting::Start) == independent.choice().name,
                    kind.descriptor().has_ladder || start.value == independent
                );
                set(
                    &mut draft,
                    &[
                        (Setting::Start, start.name),
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
                    ],
                );
                let plan = draft.plan().unwrap();
                assert!(plan.settings.check(784).is_ok(), "{kind:?}");
                let e = &plan.settings.estimator;
                assert_eq!((e.kind, e.centering), (kind, (centered == "yes").then_some(0.25)));
                assert_eq!(e.k, if kind.has(Setting::K) { 7 } else { 1 });
                assert_eq!(e.max_tries == 55, kind == EstimatorKind::UcdGibbs);
                assert_eq!(e.mean_field_sweeps == 33, kind == EstimatorKind::Pcd);
                assert_eq!(e.ladder_every == 9, kind == EstimatorKind::Ptt);
                assert_eq!(e.mode_sweeps, if kind.has(Setting::ModeSweeps) { 50 } else { 1 });
                assert_eq!(plan.settings.optimizer.decay_steps, 900);
                assert_eq!(plan.settings.max_sweeps == 77, draft.applies(Setting::MaxSweeps));
                let pretrained = Initialization::Pretrained { steps: 40, learning_rate: 0.125 };
                assert_eq!(plan.start == pretrained, start.value == StartKind::Pretrained);
                assert_eq!(plan.start.kind(), start.value);
                assert_eq!(Draft::of(&plan).plan(), Some(plan));
            }
        }
    }
}

#[test]
fn nobody_sees_masks_of_no_share_nor_the_momentum_of_adam() {
    let mut draft = Draft::digits();
    set(&mut draft, &[(Setting::Masks, "boxes"), (Setting::Optimizer, "sgd"), (Setting::Momentum, "0.9")]);
    let plan = draft.plan().unwrap();
    assert_eq!((plan.settings.masks.choice().name, plan.settings.optimizer.momentum), ("boxes", 0.9));
    assert_eq!(Draft::of(&plan), draft);
    set(&mut draft, &[(Setting::Conditional, "0"), (Setting::Optimizer, "adam")]);
    let plan = draft.plan().unwrap();
    assert_eq!((plan.settings.masks.choice().name, plan.settings.optimizer.momentum), ("mixed", 0.0));
}

#[test]
fn the_cap_on_meeting_follows_the_estimator_until_one_is_typed() {
    let mut draft = Draft::digits();
    for (kind, cap) in [
        (EstimatorKind::UcdMh, "1000"),
        (EstimatorKind::UcdLmi, "100000"),
        (EstimatorKind::UcdGibbs, "10"),
        (EstimatorKind::Cd, "100000"),
    ] {
        choose(&mut draft, kind, DIGITS);
        assert_eq!(draft.text(Setting::MaxMeeting), cap, "{kind:?}");
    }
    draft.set(Setting::MaxMeeting, "500".into());
    choose(&mut draft, EstimatorKind::UcdGibbs, DIGITS);
    assert_eq!(draft.text(Setting::MaxMeeting), "500");
    assert!(draft.warning(Setting::MaxMeeting, DIGITS).is_some_and(|warning| warning.contains("10 is quicker")));
    let mut small = Draft::bars();
    choose(&mut small, EstimatorKind::UcdGibbs, BARS);
    assert_eq!(small.text(Setting::MaxMeeting), "1000");
    assert_eq!(small.warning(Setting::MaxMeeting, BARS), None);
}

#[test]
fn masks_of_pictures_are_barred_where_data_are_none() {
    let table = ForData { is_picture: false, ..DIGITS };
    assert!(with(Setting::Masks, "boxes").warning(Setting::Masks, table).is_some());
    assert_eq!(with(Setting::Masks, "boxes").warning(Setting::Masks, DIGITS), None);
    let barred = |name, data| Draft::is_barred(Setting::Masks, name, data);
    assert_eq!([barred("boxes", table), barred("mixed", table), barred("boxes", DIGITS)], [true, false, false]);
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
    set(&mut draft, &[(Setting::Start, "pretrained"), (Setting::Centered, "yes")]);
    for (kind, own) in [(EstimatorKind::UcdGibbs, Setting::MaxTries), (EstimatorKind::Pcd, Setting::MeanFieldSweeps)] {
        choose(&mut draft, kind, BARS);
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
        choose(&mut draft, EstimatorKind::Cd, DIGITS);
        assert!(draft.problem(Setting::K).is_some(), "{text}");
        assert!(with(Setting::ModeSweeps, text).problem(Setting::ModeSweeps).is_some(), "{text}");
    }
}

#[test]
fn what_differs_travels_and_comes_back() {
    let base = Draft::bars();
    let written = |draft: &Draft| {
        let mut keys = Keys::default();
        draft.write(&mut keys, &base);
        keys
    };
    assert!(written(&base).is_empty());
    let mut draft = base.clone();
    choose(&mut draft, EstimatorKind::PcdGibbs, BARS);
    set(
        &mut draft,
        &[
            (Setting::Units, "bits"),
            (Setting::Start, "gaussian"),
            (Setting::Optimizer, "sgd"),
            (Setting::Centered, "yes"),
            (Setting::Marginalized, "no"),
            (Setting::Hidden, "6, 3"),
            (Setting::Seed, "77"),
            (Setting::Momentum, "0.9"),
            (Setting::RateDecay, "400"),
        ],
    );
    let keys = written(&draft);
    assert_eq!((keys.get("hidden"), keys.get("estimator")), (Some("6,3"), Some("pcd-gibbs")));
    assert_eq!(base.clone().with(&keys), draft);
    // Settings that the run does not have are left out: masks without a share to mask, sweeps from a mode without a search.
    set(&mut draft, &[(Setting::Masks, "boxes"), (Setting::ModeSweeps, "50")]);
    assert_eq!(written(&draft), keys);
    choose(&mut draft, EstimatorKind::Lmi, BARS);
    draft.set(Setting::Conditional, "0.25".into());
    let keys = written(&draft);
    assert_eq!((keys.get("masks"), keys.get("mode-sweeps")), (Some("boxes"), Some("50")));
    assert_eq!(base.clone().with(&keys), draft);
}

#[test]
fn nonsense_in_an_address_is_passed_over_or_left_to_the_form() {
    let draft = Draft::digits().with(&Setting::ALL.map(|setting| (setting.words().key, "💥")).into_iter().collect());
    assert_eq!((draft.read().units, draft.estimator()), (Units::Signs, EstimatorKind::UcdLmi));
    assert!(draft.plan().is_none() && draft.problem(Setting::Seed).is_some());
}
