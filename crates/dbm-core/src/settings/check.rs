//! Checks settings once: they are accepted or refused.

use super::Settings;
use super::estimator::EstimatorKind;
use super::plan::RunPlan;
use super::table::Setting;
use crate::DbmError;
use crate::error::within;
use crate::words::Choose;

impl Settings {
    /// Accepts settings that make sense for a visible layer of `visible` units.
    ///
    /// # Errors
    /// [`DbmError::Setting`], naming the first setting out of range.
    pub fn check(&self, visible: usize) -> Result<(), DbmError> {
        let plan = RunPlan { settings: self.clone(), ..RunPlan::default() };
        // Files hold seeds exactly: only a page needs them to be JavaScript numbers.
        for setting in Setting::ALL.into_iter().filter(|&setting| setting != Setting::Seed) {
            setting.check_in(&plan)?;
        }
        let (o, e) = (&self.optimizer, &self.estimator);
        let unit = |x: f64| (0.0..1.0).contains(&x);
        within("beta1", "at least 0 and below 1", o.beta1, unit(o.beta1))?;
        within("beta2", "at least 0 and below 1", o.beta2, unit(o.beta2))?;
        within("epsilon", "a number above 0", o.epsilon, o.epsilon > 0.0 && o.epsilon.is_finite())?;
        let tolerance = e.mean_field_tolerance;
        within("mean-field tolerance", "a number from 0 to below 1", tolerance, unit(tolerance))?;
        let expected = "at least the first time of the average";
        within("last time of the average", expected, f64::from(e.average_to), e.average_to >= e.average_from)?;
        if self.classes > 0
            && matches!(e.kind, EstimatorKind::UcdGibbs | EstimatorKind::UcdSmc | EstimatorKind::UcdPtt | EstimatorKind::Pl)
        {
            let expected = "0 with ucd-gibbs, ucd-smc, ucd-ptt and pl, which clamp no labels";
            return Err(DbmError::Setting { name: "classes", expected, got: self.classes.to_string() });
        }
        if self.masked_share() > 0.0 && self.masks.need_image() && self.image.is_none() {
            let expected = "mixed or pixels, where the visible layer is no image of rows and columns";
            return Err(DbmError::Setting { name: "masks", expected, got: self.masks.choice().name.into() });
        }
        let (rows, columns) = self.picture(visible);
        if let Some(share) = self.local
            && share * (if rows == 1 { columns } else { rows.min(columns) } as f64) < 1.0
        {
            let expected = "a share of the sides of the picture that makes at least one pixel";
            return Err(DbmError::Setting { name: "local fields", expected, got: share.to_string() });
        }
        if let Some((rows, columns)) = self.image
            && rows.checked_mul(columns) != Some(visible)
        {
            return Err(DbmError::Setting {
                name: "image shape",
                expected: "rows x columns equal to the number of visible units",
                got: format!("{rows} x {columns} for {visible} units"),
            });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mask::Masks;

    #[test]
    fn nan_and_nonsense_are_refused_by_name() {
        let name = |change: fn(&mut Settings)| {
            let mut settings = Settings::default();
            change(&mut settings);
            match settings.check(6) {
                Err(DbmError::Setting { name, .. }) => name,
                other => panic!("accepted or misnamed: {other:?}"),
            }
        };
        assert_eq!(Settings::default().check(6), Ok(()));
        assert_eq!(name(|s| s.optimizer.learning_rate = f64::NAN), "learning rate");
        assert_eq!(name(|s| s.optimizer.learning_rate = 0.0), "learning rate");
        assert_eq!(name(|s| s.optimizer.beta2 = 1.0), "beta2");
        assert_eq!(name(|s| s.optimizer.decay_steps = u64::MAX), "learning-rate decay");
        assert_eq!(name(|s| s.batch = 0), "batch");
        assert_eq!(name(|s| s.conditional = 1.5), "conditional share");
        assert_eq!(name(|s| s.average = Some(f64::NAN)), "averaging decay");
        assert_eq!(name(|s| s.estimator.centering = Some(0.0)), "centering rate");
        assert_eq!(name(|s| s.estimator.average_from = 1), "last time of the average");
        assert_eq!(name(|s| (s.conditional, s.masks) = (0.5, Masks::Halves)), "masks");
        assert_eq!(name(|s| s.local = Some(0.0)), "local fields");
        assert_eq!(name(|s| s.local = Some(0.16)), "local fields");
        assert_eq!(name(|s| (s.local, s.image) = (Some(0.4), Some((2, 3)))), "local fields");
        assert_eq!(name(|s| s.image = Some((2, 2))), "image shape");
        assert_eq!(name(|s| s.image = Some((usize::MAX, 2))), "image shape");
    }
}
