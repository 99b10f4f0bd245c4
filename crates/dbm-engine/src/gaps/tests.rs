use super::*;
use dbm_core::impute::ImputationMethod;
use dbm_core::rng::{Purpose, Streams};

/// 150 rows of two patterns, each bit wrong with probability 1/20 and missing with 1/10, and the bits without gaps.
fn patterns() -> (Examples, Vec<u8>) {
    let mut stream = Streams::new(3).at(Purpose::Hiding, 0, 0);
    let mut draw = |share: f64| u8::from(stream.uniform() < share);
    let (mut bits, mut known) = (Vec::new(), Vec::new());
    for _ in 0..150 {
        let pattern = draw(0.5);
        for bit in 0..8 {
            bits.push(u8::from(bit < 4) ^ pattern ^ draw(0.05));
            known.push(1 - draw(0.1));
        }
    }
    (Examples::from_bits(8, &bits).unwrap().with_gaps(&known).unwrap(), bits)
}

fn settings(imputations: usize) -> GapSettings {
    GapSettings { impute: ImputeSettings { seed: 4, ..ImputeSettings::default() }, imputations }
}

#[expect(clippy::unnecessary_wraps, reason = "what a check of memory gives")]
fn anything(_: &Footprint) -> Result<(), EngineError> {
    Ok(())
}

#[test]
fn gaps_get_what_the_rest_of_their_rows_says_and_known_cells_stay() {
    let (data, truth) = patterns();
    let mut job = FillGaps::new(data.clone(), None, settings(3), anything).unwrap();
    let (mut stages, mut looks) = (Vec::new(), Vec::new());
    let filled = loop {
        if stages.last() != Some(&job.stage()) {
            stages.push(job.stage());
        }
        looks.extend(job.look());
        if let Progress::Ends(filled) = job.advance().unwrap() {
            break filled;
        }
    };
    assert_eq!(stages.len(), 5);
    assert!(looks.windows(2).all(|two| two[1].1.score.log_loss <= two[0].1.score.log_loss && two[1].0 >= two[0].0));
    let (mut right, mut gaps) = (0, 0);
    for (row, filled) in filled.rows.iter().enumerate() {
        assert_eq!((filled.highs.len(), filled.completions.len()), (8, 24));
        for bit in 0..8 {
            let known = data.is_known(row, bit);
            if known {
                let value = data.row(row)[bit];
                assert!(filled.highs[bit] == f32::from(value) && filled.completions.chunks(8).all(|bits| bits[bit] == value));
            } else {
                gaps += 1;
                right += usize::from(u8::from(filled.highs[bit] > 0.5) == truth[row * 8 + bit]);
            }
        }
    }
    assert!(gaps > 80 && right * 100 > gaps * 85, "{right} of {gaps}");
    let checked = filled.checked.unwrap();
    assert_eq!(checked.trust, Trust::BeatsModes);
    assert!(checked.report.of(ImputationMethod::Model).accuracy > 0.85);
    assert_eq!(filled.chosen.unwrap().tried.len(), crate::RECIPES.len());
}

#[test]
fn the_same_settings_give_the_same_bits_and_its_model_fills_alike() {
    let (data, _) = patterns();
    let fill = || FillGaps::new(data.clone(), None, settings(1), anything).unwrap().finish().unwrap();
    let filled = fill();
    assert!(filled == fill());
    assert_eq!(filled.models.len(), 1 + filled.chosen.as_ref().unwrap().next.len());
    // The average of what each fills in by itself.
    let each =
        filled.models.iter().map(|model| FillGaps::by(model.clone(), data.clone(), None, settings(1)).unwrap().finish().unwrap());
    let each: Vec<FilledGaps> = each.collect();
    assert!(each.iter().all(|one| one.chosen.is_none() && one.checked.is_some()));
    for (row, filled) in filled.rows.iter().enumerate() {
        for (unit, high) in filled.highs.iter().enumerate() {
            let mean = each.iter().map(|one| one.rows[row].highs[unit]).sum::<f32>() / each.len() as f32;
            assert!((mean - high).abs() < 1e-6);
        }
    }
}

#[test]
fn a_few_known_cells_are_enough() {
    let data = Examples::from_bits(2, &[1, 0, 0, 1, 1, 1]).unwrap().with_gaps(&[1, 0, 0, 1, 0, 0]).unwrap();
    let filled = FillGaps::new(data, None, settings(1), anything).unwrap().finish().unwrap();
    assert!(filled.rows.iter().all(|row| row.highs.iter().all(|high| (0.0..=1.0).contains(high))));
    let one = Examples::from_bits(1, &[1, 0]).unwrap().with_gaps(&[1, 0]).unwrap();
    let filled = FillGaps::new(one, None, settings(0), anything).unwrap().finish().unwrap();
    assert!(filled.checked.is_none() && filled.rows[1].highs[0] > 0.5, "{:?}", filled.rows[1]);
}
