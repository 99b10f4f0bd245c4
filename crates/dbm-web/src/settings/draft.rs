//! A form as the visitor typed it, its part of the address, and the run it asks for once every field makes sense.

use crate::ui::binding::Keys;
use crate::ui::number::decimal;
use dbm_core::gradient::EstimatorKind;
use dbm_core::mask::Masks;
use dbm_core::settings::{Reading, RunPlan, Setting, StartKind};
use dbm_core::words::Choose;

const READING: Reading = Reading { decimal, in_page: true };

/// What is known of the data that a run would have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ForData {
    /// Visible units.
    pub visible: u32,
    /// Whether an example is a picture of rows and columns.
    pub is_picture: bool,
}

/// The form as typed.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    texts: [String; Setting::ALL.len()],
    /// What can be read of the texts, whether the run has such a setting or not.
    read: RunPlan,
}

impl Default for Draft {
    fn default() -> Self {
        Self::digits()
    }
}

impl Draft {
    /// What suits pictures of digits.
    pub fn digits() -> Self {
        Self::of(&RunPlan::of_digits())
    }

    /// What suits bars and stripes.
    pub fn bars() -> Self {
        let mut draft = Self::of(&RunPlan::of_bars());
        draft.set(Setting::PretrainingRate, "0.2".into()); // models of a few dozen units want that
        draft
    }

    /// What suits a table of so many bits; where there is no end to the run, an average stands for the falling rate that `dbm impute` has.
    pub fn table(width: u32) -> Self {
        let mut draft = Self::of(&RunPlan::of_table(width));
        draft.set(Setting::Average, "0.99".into());
        draft
    }

    /// What suits the data of this name in an address; of the visitor's own data nothing is known there.
    pub fn suiting(data: &str) -> Self {
        if data == "bars" { Self::bars() } else { Self::digits() }
    }

    /// The form that asks for a run which exists; what that run does not have is as usual.
    pub fn of(plan: &RunPlan) -> Self {
        Self { texts: Setting::ALL.map(|setting| setting.text(plan)), read: plan.clone() }
    }

    /// What is typed or chosen.
    pub fn text(&self, setting: Setting) -> &str {
        &self.texts[setting as usize]
    }

    /// Types or chooses something else, and leaves all others as they are.
    pub fn set(&mut self, setting: Setting, text: String) {
        self.texts[setting as usize] = text;
        let mut read = RunPlan::default();
        for setting in Setting::ALL {
            // What cannot be read is said beside its field.
            let _ = setting.write(&mut read, self.text(setting), READING);
        }
        self.read = read;
    }

    /// What can be read of it.
    pub fn read(&self) -> &RunPlan {
        &self.read
    }

    /// The estimator of the gradient.
    pub fn estimator(&self) -> EstimatorKind {
        self.read.settings.estimator.kind
    }

    /// Types or chooses something else. Where another estimator is chosen, a cap on meeting that was what is suggested for the
    /// one before becomes what is suggested for this one; what the visitor typed stays.
    pub fn change(&mut self, setting: Setting, text: String, data: ForData) {
        let before = self.estimator();
        let is_suggested = self.text(Setting::MaxMeeting) == self.suggested_meeting(data);
        self.set(setting, text);
        if self.estimator() == before {
            return;
        }
        // Tempering begins at independent units, and can begin nowhere else; the others can begin there too.
        if self.estimator().descriptor().has_ladder && !before.descriptor().has_ladder {
            self.set(Setting::Start, StartKind::Independent.choice().name.into());
        }
        if is_suggested {
            self.set(Setting::MaxMeeting, self.suggested_meeting(data));
        }
    }

    fn suggested_meeting(&self, data: ForData) -> String {
        self.read.suggested_max_meeting(data.visible).to_string()
    }

    /// Whether the chosen run has such a setting; what is typed in the others does not matter.
    pub fn applies(&self, setting: Setting) -> bool {
        setting.applies(&self.read)
    }

    /// Why a field does not make sense, if it does not: what was expected and what came.
    pub fn problem(&self, setting: Setting) -> Option<String> {
        if !self.applies(setting) {
            return None;
        }
        let expected = setting.write(&mut self.read.clone(), self.text(setting), READING).err()?;
        Some(format!("Expected {expected}; got “{}”.", self.text(setting).trim()))
    }

    /// What is to be known of a setting that makes sense, on these data: what it cannot do, or how long it takes.
    pub fn warning(&self, setting: Setting, data: ForData) -> Option<String> {
        let settings = &self.read.settings;
        match setting {
            Setting::Masks if settings.masks.need_image() && !data.is_picture => {
                Some("These data are no pictures: choose mixed or single pixels.".into())
            }
            // Couplings may run so long that the page seems to stand still.
            Setting::MaxMeeting if self.applies(Setting::MaxTries) => {
                let suggested = self.read.suggested_max_meeting(data.visible);
                (settings.max_meeting > suggested.saturating_mul(5))
                    .then(|| format!("One step may take minutes on a model this wide; {suggested} is quicker."))
            }
            _ => None,
        }
    }

    /// Whether a value cannot be chosen on these data.
    pub fn is_barred(setting: Setting, name: &str, data: ForData) -> bool {
        setting == Setting::Masks && !data.is_picture && Masks::named(name).is_some_and(Masks::need_image)
    }

    /// The run it asks for; `None` while a field does not make sense. Settings that the run does not have are as by default.
    pub fn plan(&self) -> Option<RunPlan> {
        let mut plan = RunPlan::default();
        for setting in Setting::ALL.into_iter().filter(|&setting| self.applies(setting)) {
            setting.write(&mut plan, self.text(setting), READING).ok()?;
        }
        Some(plan)
    }

    /// Writes the keys of what differs from `base`; what the chosen run does not have is left out.
    pub fn write(&self, keys: &mut Keys, base: &Self) {
        for setting in Setting::ALL {
            if self.applies(setting) && self.text(setting) != base.text(setting) {
                keys.put(setting.words().key, self.text(setting).replace(", ", ","));
            }
        }
    }

    /// This form with what the keys say; choices that mean nothing are passed over, and what is typed in fields is checked there.
    pub fn with(mut self, keys: &Keys) -> Self {
        for setting in Setting::ALL {
            let Some(text) = keys.get(setting.words().key) else { continue };
            let is_typed = setting.lines().is_none() && !setting.is_switch();
            if is_typed || setting.write(&mut self.read.clone(), text, READING).is_ok() {
                self.set(setting, if setting.is_list() { text.replace(',', ", ") } else { text.into() });
            }
        }
        self
    }
}
