//! The fields of a form of settings, by the groups of the table.

use super::draft::{Draft, ForData};
use crate::ui::field::TextField;
use crate::ui::select::{Check, Select, SelectOption};
use dbm_core::gradient::EstimatorKind;
use dbm_core::settings::{Group, Line, Setting};
use dbm_core::words::Choose;
use leptos::prelude::*;

/// A form over a draft.
#[derive(Clone, Copy)]
pub struct Form {
    /// Before the key of a setting, the id of its field.
    pub id: &'static str,
    /// What is typed.
    pub draft: Signal<Draft>,
    /// Hears what the visitor types or chooses.
    pub change: Callback<(Setting, String)>,
    /// What is known of the data.
    pub data: Signal<ForData>,
    /// A run that this one is compared with. Then fields keep their places where the run has no such setting, and are heard once they are left.
    pub beside: Option<Signal<Draft>>,
}

/// The fields of some groups, in the order of the table.
#[component]
pub fn Fields(form: Form, groups: &'static [Group]) -> impl IntoView {
    let settings = Setting::ALL.into_iter().filter(|setting| groups.contains(&setting.group()));
    settings.map(|setting| field(form, setting)).collect_view()
}

impl Form {
    /// Whether something in a group must be seen.
    pub fn is_urgent(self, group: Group) -> bool {
        let data = self.data.get();
        let of_group = || Setting::ALL.into_iter().filter(|setting| setting.group() == group);
        self.draft
            .with(|draft| of_group().any(|setting| draft.problem(setting).is_some() || draft.warning(setting, data).is_some()))
    }
}

const YES_OR_NO: [Line; 2] = [Line { name: "yes", label: "yes", help: "" }, Line { name: "no", label: "no", help: "" }];

/// The field of a setting.
fn field(form: Form, setting: Setting) -> AnyView {
    let Form { draft, beside, .. } = form;
    let applies = Memo::new(move |_| draft.with(|draft| draft.applies(setting)));
    let field = move || match setting.lines() {
        Some(lines) => selected(form, setting, lines, applies),
        // Beside another run's it is a choice, in a row of fields of one height.
        None if setting.is_switch() && beside.is_some() => selected(form, setting, YES_OR_NO.to_vec(), applies),
        None if setting.is_switch() => switched(form, setting),
        None => typed(form, setting, applies),
    };
    if beside.is_some() { field() } else { view! { <Show when=move || applies.get()>{field}</Show> }.into_any() }
}

/// What the other run has, where that is another: as its form shows it.
fn of_other(form: Form, setting: Setting, lines: Option<Vec<Line>>, applies: Memo<bool>) -> Memo<Option<String>> {
    Memo::new(move |_| {
        let other = form.beside?.with(|other| other.applies(setting).then(|| other.text(setting).to_string()))?;
        if !applies.get() || form.draft.with(|draft| draft.text(setting) == other) {
            return None;
        }
        let label = lines.iter().flatten().find(|line| line.name == other).map(|line| line.label.to_string());
        Some(format!("A: {}", label.unwrap_or(if other.is_empty() { "none".into() } else { other })))
    })
}

fn value(form: Form, setting: Setting) -> Signal<String> {
    Signal::derive(move || form.draft.with(|draft| draft.text(setting).to_string()))
}

fn warning(form: Form, setting: Setting) -> Memo<String> {
    Memo::new(move |_| form.draft.with(|draft| draft.warning(setting, form.data.get())).unwrap_or_default())
}

fn typed(form: Form, setting: Setting, applies: Memo<bool>) -> AnyView {
    let words = setting.words();
    let (other, warning) = (of_other(form, setting, None, applies), warning(form, setting));
    let compared = form.beside.is_some();
    view! {
        <TextField
            id=format!("{}-{}", form.id, words.key)
            words
            hint=Signal::derive(move || other.get().unwrap_or_else(|| warning.get()))
            value=value(form, setting)
            problem=Memo::new(move |_| form.draft.with(|draft| draft.problem(setting)))
            on_type=move |text: String| {
                form.change.run((setting, text));
                Ok(())
            }
            letters=setting.is_list()
            wide=setting.is_list() && !compared
            late=compared
            quiet=!compared
            differs=Signal::derive(move || other.with(Option::is_some))
            disabled=Signal::derive(move || !applies.get())
        />
    }
    .into_any()
}

fn selected(form: Form, setting: Setting, lines: Vec<Line>, applies: Memo<bool>) -> AnyView {
    let words = setting.words();
    let other = of_other(form, setting, Some(lines.clone()), applies);
    let warning = warning(form, setting);
    // A choice that much depends on has a line about what is chosen.
    let noted = form.beside.is_none() && [Setting::Estimator, Setting::Start].contains(&setting);
    let of_lines = lines.clone();
    let options = Signal::derive(move || {
        let option = |line: &Line| SelectOption {
            group: group(setting, line),
            disabled: Draft::is_barred(setting, line.name, form.data.get()),
            ..SelectOption::new(line.name, line.label)
        };
        of_lines.iter().map(option).collect::<Vec<_>>()
    });
    let value = value(form, setting);
    let note = Signal::derive(move || {
        let help = || lines.iter().find(|line| value.with(|value| line.name == value)).map_or("", |line| line.help);
        match other.get() {
            Some(other) => other,
            None if noted => help().to_string(),
            None => warning.get(),
        }
    });
    view! {
        <div class="field" class:wide=noted class:differs=move || other.with(Option::is_some)>
            <Select
                id=format!("{}-{}", form.id, words.key)
                label=words.label
                help=words.help
                options
                value
                on_choose=move |name: String| form.change.run((setting, name))
                note=Some(note)
                disabled=Signal::derive(move || !applies.get())
            />
        </div>
    }
    .into_any()
}

/// The heading that a line of a select stands under.
fn group(setting: Setting, line: &Line) -> &'static str {
    match EstimatorKind::named(line.name).filter(|_| setting == Setting::Estimator) {
        Some(kind) if kind.is_unbiased() => "Unbiased",
        Some(_) => "Biased",
        None => "",
    }
}

fn switched(form: Form, setting: Setting) -> AnyView {
    let words = setting.words();
    let value = Signal::derive(move || form.draft.with(|draft| draft.text(setting) == "yes"));
    let change = move |on: bool| form.change.run((setting, if on { "yes" } else { "no" }.into()));
    view! {
        <div class="field wide">
            <Check label=words.label help=words.help value on_change=change />
        </div>
    }
    .into_any()
}
