//! The form: what it suggests, refuses, and asks for.

use super::*;

fn with(field: Field, text: &str) -> Draft {
    let mut draft = Draft::digits();
    draft.set(field, text.into());
    draft
}

#[test]
fn what_is_suggested_is_a_run_and_comes_back_as_the_same_form() {
    assert!(Field::ALL.iter().enumerate().all(|(place, &field)| place == field as usize));
    for draft in [Draft::digits(), Draft::bars()] {
        let plan = draft.plan().unwrap();
        assert!(plan.settings.check(784).is_ok());
        assert_eq!(Draft::of(&plan).plan(), Some(plan));
    }
}

#[test]
fn every_estimator_and_start_comes_back_as_the_same_form() {
    for kind in EstimatorKind::ALL {
        for start in [StartKind::Orthogonal, StartKind::Gaussian, StartKind::Pretrained] {
            for centered in [false, true] {
                let mut draft = Draft { centered, start, ..Draft::digits() };
                draft.choose_estimator(kind, 784);
                for (field, text) in [
                    (Field::Conditional, "0"),
                    (Field::K, "7"),
                    (Field::MaxTries, "55"),
                    (Field::MeanFieldSweeps, "33"),
                    (Field::MaxSweeps, "77"),
                    (Field::CenteringRate, "0.25"),
                    (Field::PretrainingSteps, "40"),
                    (Field::PretrainingRate, "0.125"),
                ] {
                    draft.set(field, text.into());
                }
                let plan = draft.plan().unwrap();
                assert!(plan.settings.check(784).is_ok(), "{kind:?}");
                let e = &plan.settings.estimator;
                assert_eq!((e.kind, e.centering), (kind, centered.then_some(0.25)));
                assert_eq!(e.k, if kind.has_k() { 7 } else { 1 });
                assert_eq!(e.max_tries == 55, kind == EstimatorKind::UcdGibbs);
                assert_eq!(e.mean_field_sweeps == 33, kind == EstimatorKind::Pcd);
                assert_eq!(plan.settings.max_sweeps == 77, draft.applies(Field::MaxSweeps));
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
fn persistent_chains_refuse_a_masked_share_at_its_field_and_leave_it_as_typed() {
    for kind in EstimatorKind::ALL {
        let mut draft = Draft::digits();
        draft.choose_estimator(kind, 784);
        assert_eq!(draft.text(Field::Conditional), "0.5");
        assert_eq!(draft.share_is_impossible(), kind.is_persistent());
        assert_eq!(draft.problem(Field::Conditional).is_some(), kind.is_persistent());
        assert_eq!(draft.plan().is_none(), kind.is_persistent());
        draft.set(Field::Conditional, "0".into());
        assert!(draft.plan().is_some());
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
        assert_eq!(draft.text(Field::MaxMeeting), cap, "{kind:?}");
    }
    draft.set(Field::MaxMeeting, "500".into());
    draft.choose_estimator(EstimatorKind::UcdGibbs, 784);
    assert_eq!(draft.text(Field::MaxMeeting), "500");
    assert!(draft.meeting_is_slow(784));
    let mut small = Draft::bars();
    small.choose_estimator(EstimatorKind::UcdGibbs, 16);
    assert_eq!(small.text(Field::MaxMeeting), "1000");
    assert!(!small.meeting_is_slow(16));
}

#[test]
fn nonsense_in_a_field_that_does_not_apply_does_no_harm() {
    let mut draft = Draft::bars();
    let optional = [
        Field::K,
        Field::MaxTries,
        Field::MeanFieldSweeps,
        Field::CenteringRate,
        Field::PretrainingSteps,
        Field::PretrainingRate,
    ];
    for field in optional {
        draft.set(field, "nonsense".into());
        assert_eq!((draft.applies(field), draft.problem(field)), (false, None));
    }
    assert_eq!(draft.plan(), Draft::bars().plan());
    (draft.start, draft.centered) = (StartKind::Pretrained, true);
    for (kind, own) in [(EstimatorKind::UcdGibbs, Field::MaxTries), (EstimatorKind::Pcd, Field::MeanFieldSweeps)] {
        draft.choose_estimator(kind, 16);
        for field in [own, Field::CenteringRate, Field::PretrainingSteps, Field::PretrainingRate] {
            assert!(draft.problem(field).is_some_and(|problem| problem.contains("nonsense")), "{field:?}");
        }
    }
    assert!(draft.problem(Field::K).is_some() && draft.plan().is_none());
}

#[test]
fn nonsense_is_named() {
    for text in ["", "0", "500,", "4001", "1.5", "a", "1,2,3,4,5", "-3"] {
        assert!(with(Field::Hidden, text).problem(Field::Hidden).is_some(), "{text}");
    }
    for text in ["NaN", "inf", "0", "-1", "11", ""] {
        assert!(with(Field::Rate, text).plan().is_none(), "{text}");
    }
    assert!(with(Field::Average, " ").plan().is_some_and(|plan| plan.settings.average.is_none()));
    assert!(with(Field::Average, "1").problem(Field::Average).is_some_and(|p| p.contains("“1”")));
    assert!(with(Field::Seed, "9007199254740992").plan().is_none());
    for text in ["0", "1001", "1.5", ""] {
        let mut draft = with(Field::K, text);
        draft.choose_estimator(EstimatorKind::Cd, 784);
        assert!(draft.problem(Field::K).is_some(), "{text}");
    }
}
