//! A form as the visitor typed it, its part of the address, and the run that it describes once every field makes sense.

use crate::ui::binding::Keys;
use crate::ui::number::decimal;
use dbm_core::gradient::EstimatorKind;
use dbm_core::mask::Masks;
use dbm_core::settings::{Reading, RunPlan, Setting, StartKind};
use dbm_core::words::Choose;

const READING: Reading = Reading { decimal, in_page: true };

/// What is known about the data of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ForData {
    /// Visible units.
    pub visible: u32,
    /// Whether each example is a picture with rows and columns.
    pub is_picture: bool,
}

/// The form as typed.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    texts: [String; Setting::ALL.len()],
    /// What can be read from the texts, including settings that the run does not have.
    read: RunPlan,
}

impl Default for Draft {
    fn default() -> Self {
        Self::digits()
    }
}

impl Draft {
    /// Settings that suit pictures of digits.
    pub fn digits() -> Self {
        Self::of(&RunPlan::of_digits())
    }

    /// Settings that suit bars and stripes.
    pub fn bars() -> Self {
        let mut draft = Self::of(&RunPlan::of_bars());
        draft.set(Setting::PretrainingRate, "0.2".into()); // models of a few dozen units need this
        draft
    }

    /// Settings that suit a table of this many bits. The page's run has no end, so averaging replaces the falling rate of `dbm
    /// impute`.
    pub fn table(width: u32) -> Self {
        let mut draft = Self::of(&RunPlan::of_table(width));
        draft.set(Setting::Average, "0.99".into());
        draft
    }

    /// Settings that suit the data with this name in an address; nothing is known there about the visitor's own data.
    pub fn suiting(data: &str) -> Self {
        if data == "bars" { Self::bars() } else { Self::digits() }
    }

    /// The form that describes an existing run; settings that the run does not have are the usual ones.
    pub fn of(plan: &RunPlan) -> Self {
        Self { texts: Setting::ALL.map(|setting| setting.text(plan)), read: plan.clone() }
    }

    /// The text or value entered.
    pub fn text(&self, setting: Setting) -> &str {
        &self.texts[setting as usize]
    }

    /// Types or chooses another value; all other settings stay.
    pub fn set(&mut self, setting: Setting, text: String) {
        self.texts[setting as usize] = text;
        let mut read = RunPlan::default();
        for setting in Setting::ALL {
            // If it cannot be read, its field says so.
            let _ = setting.write(&mut read, self.text(setting), READING);
        }
        self.read = read;
    }

    /// What can be read from the form.
    pub fn read(&self) -> &RunPlan {
        &self.read
    }

    /// The estimator of the gradient.
    pub fn estimator(&self) -> EstimatorKind {
        self.read.settings.estimator.kind
    }

    /// Types or chooses another value. If the estimator changes and the cap on meeting was the one suggested for the old
    /// estimator, it becomes the one suggested for the new one; what the visitor typed stays.
    pub fn change(&mut self, setting: Setting, text: String, data: ForData) {
        let before = self.estimator();
        let is_suggested = self.text(Setting::MaxMeeting) == self.suggested_meeting(data);
        self.set(setting, text);
        if self.estimator() == before {
            return;
        }
        // Tempering begins at independent units, and can begin nowhere else; the other estimators can begin there too.
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

    /// Whether the chosen run has this setting; the texts of the others do not matter.
    pub fn applies(&self, setting: Setting) -> bool {
        setting.applies(&self.read)
    }

    /// Why a field makes no sense: what was expected and what was typed. `None` if it does.
    pub fn problem(&self, setting: Setting) -> Option<String> {
        if !self.applies(setting) {
            return None;
        }
        let expected = setting.write(&mut self.read.clone(), self.text(setting), READING).err()?;
        Some(format!("Expected {expected}; got “{}”.", self.text(setting).trim()))
    }

    /// A warning about a valid setting on these data: what it cannot do, or how long it takes.
    pub fn warning(&self, setting: Setting, data: ForData) -> Option<String> {
        let settings = &self.read.settings;
        match setting {
            Setting::Masks if settings.masks.need_image() && !data.is_picture => {
                Some("These data are not pictures: choose mixed or single pixels.".into())
            }
            // Couplings may run so long that the page seems to hang.
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

    /// The run that the form describes; `None` while a field makes no sense. Settings that the run does not have get their
    /// defaults.
    pub fn plan(&self) -> Option<RunPlan> {
        let mut plan = RunPlan::default();
        for setting in Setting::ALL.into_iter().filter(|&setting| self.applies(setting)) {
            setting.write(&mut plan, self.text(setting), READING).ok()?;
        }
        Some(plan)
    }

    /// Writes the keys of what differs from `base`; settings that the chosen run does not have are left out.
    pub fn write(&self, keys: &mut Keys, base: &Self) {
        for setting in Setting::ALL {
            if self.applies(setting) && self.text(setting) != base.text(setting) {
                keys.put(setting.words().key, self.text(setting).replace(", ", ","));
            }
        }
    }

    /// This form with the keys applied. Unknown choices are ignored; typed texts are checked in their fields.
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
