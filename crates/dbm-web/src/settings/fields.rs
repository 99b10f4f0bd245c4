//! The fields of a settings form, by the groups of the table.

use super::draft::{Draft, ForData};
use crate::ui::form::{self, Field, FormKind, Input, Source};
use crate::ui::select::SelectOption;
use dbm_core::gradient::EstimatorKind;
use dbm_core::settings::{Group, Line, Setting};
use dbm_core::words::Choose;
use leptos::prelude::*;

/// A form over a draft.
#[derive(Clone, Copy)]
pub struct Form {
    /// Prefix of a field's id; the setting's key follows.
    pub id: &'static str,
    /// The texts entered.
    pub draft: Signal<Draft>,
    /// Called with what the visitor types or chooses.
    pub change: Callback<(Setting, String)>,
    /// What is known about the data.
    pub data: Signal<ForData>,
    /// The run that this one is compared with. If there is one, fields that have no effect keep their places, and a text is
    /// applied only when its field loses the focus.
    pub beside: Option<Signal<Draft>>,
}

/// The fields of some groups, in the order of the table.
pub fn fields(form: Form, groups: &'static [Group]) -> impl IntoView {
    let Form { id, draft, change, .. } = form;
    let source = Source {
        field: Box::new(move |place| Setting::ALL.get(place).map(|&setting| form.field(setting))),
        text: Box::new(move |place| draft.with(|draft| draft.text(Setting::ALL[place]).to_string())),
        options: Box::new(move |place| form.options(Setting::ALL[place])),
        problem: Box::new(move |place| draft.with(|draft| draft.problem(Setting::ALL[place]))),
        hint: Some(Box::new(move |place| form.hint(Setting::ALL[place]))),
        applies: Box::new(move |place| Some(draft.with(|draft| draft.applies(Setting::ALL[place])))),
        change: Box::new(move |place, text| {
            change.run((Setting::ALL[place], text));
            Ok(())
        }),
    };
    let made = form::Form::new(id, if form.beside.is_some() { FormKind::Late } else { FormKind::Quiet }, source);
    let settings = Setting::ALL.into_iter().filter(|setting| groups.contains(&setting.group()));
    settings.map(|setting| made.field(setting.words().key)).collect_view()
}

const YES_OR_NO: [Line; 2] = [Line { name: "yes", label: "yes", help: "" }, Line { name: "no", label: "no", help: "" }];

impl Form {
    /// Whether something in a group must be seen.
    pub fn is_urgent(self, group: Group) -> bool {
        let data = self.data.get();
        let of_group = || Setting::ALL.into_iter().filter(|setting| setting.group() == group);
        self.draft
            .with(|draft| of_group().any(|setting| draft.problem(setting).is_some() || draft.warning(setting, data).is_some()))
    }

    /// An important choice has a line that explains the chosen value.
    fn is_noted(self, setting: Setting) -> bool {
        self.beside.is_none() && [Setting::Estimator, Setting::Start].contains(&setting)
    }

    fn field(self, setting: Setting) -> Field {
        let alone = self.beside.is_none();
        let input = match (setting.lines(), setting.is_switch(), setting.is_list()) {
            (None, true, _) if alone => Input::Switch("yes", "no"),
            // In a comparison a switch becomes a choice, so that all fields of a row have the same height.
            (Some(_), ..) | (_, true, _) => Input::Choice(setting.words().key),
            (_, _, true) => Input::Text,
            _ => Input::Number,
        };
        Field { words: setting.words(), input, wide: self.is_noted(setting) || setting.is_list() && alone }
    }

    fn options(self, setting: Setting) -> Vec<SelectOption> {
        let data = self.data.get();
        let option = |line: &Line| SelectOption {
            group: group(setting, line),
            disabled: Draft::is_barred(setting, line.name, data),
            ..SelectOption::new(line.name, line.label)
        };
        setting.lines().unwrap_or(YES_OR_NO.to_vec()).iter().map(option).collect()
    }

    /// What else there is to say about a setting, besides its problems, and whether it differs from the other run's.
    fn hint(self, setting: Setting) -> (String, bool) {
        let of = |draft: Signal<Draft>| draft.with(|draft| draft.applies(setting).then(|| draft.text(setting).to_string()));
        let (own, other) = (of(self.draft), self.beside.and_then(of));
        let lines = || setting.lines().unwrap_or_default().into_iter();
        match other.filter(|other| own.as_ref().is_some_and(|own| own != other)) {
            Some(other) => {
                let label = lines().find(|line| line.name == other).map(|line| line.label.to_string());
                (format!("A: {}", label.unwrap_or(if other.is_empty() { "none".into() } else { other })), true)
            }
            None if self.is_noted(setting) => {
                let line = lines().find(|line| own.as_deref() == Some(line.name));
                (line.map_or_else(String::new, |line| line.help.into()), false)
            }
            None => (self.draft.with(|draft| draft.warning(setting, self.data.get())).unwrap_or_default(), false),
        }
    }
}

/// The heading of a select's line.
fn group(setting: Setting, line: &Line) -> &'static str {
    match EstimatorKind::named(line.name).filter(|_| setting == Setting::Estimator) {
        Some(kind) if kind.is_unbiased() => "Unbiased",
        Some(_) => "Biased",
        None => "",
    }
}
