//! From a table with gaps to a filled one: the table on the screen, one button, how far the answers can be trusted, and files to save.

mod rows;
mod state;
mod trust;

use crate::ui::button::Button;
use crate::ui::progress::ProgressBar;
use crate::ui::select::{Select, SelectOption};
use crate::worker::session::Session;
use dbm_core::words::Choose;
use dbm_protocol::{GapModel, TableFile};
use leptos::html::Section;
use leptos::prelude::*;
pub use state::Gaps;
use state::{Filled, IMPUTATIONS};

/// The longest sentence on what was used.
const LONGEST: &str = "Filled by a model with 300 hidden units, trained by PCD-GIBBS-5 for 10000 steps, averaged with the 2 next best: the best of 12 recipes on 2500 held-back cells. 100000 cells filled, probability 0.99 on average; 100000 left empty.";

/// Shown while a table with gaps is in use.
#[component]
pub fn GapsPanel() -> impl IntoView {
    let gaps = Gaps::of_page();
    let shown = Memo::new(move |_| gaps.table.with(Option::is_some));
    view! {
        <Show when=move || shown.get()>
            {panel(gaps)}
        </Show>
    }
}

fn panel(gaps: Gaps) -> impl IntoView {
    let session = Session::of_page();
    let section = NodeRef::<Section>::new();
    let busy = Memo::new(move |_| gaps.work.now().is_some());
    // Whoever asked for the gaps to be filled before the table was here is taken to it.
    Effect::new(move |_| {
        if busy.get()
            && gaps.is_awaited()
            && let Some(section) = section.get_untracked()
        {
            section.scroll_into_view();
        }
    });
    let parts = Signal::derive(move || gaps.work.parts());
    let untrained = move || gaps.by.get() == GapModel::Training && session.run.metrics.with(|metrics| metrics.step) == 0;
    let title =
        move || gaps.table.with(|table| table.as_ref().map_or_else(String::new, |table| format!("Gaps of {}", table.name)));
    let about = move || {
        gaps.table.with(|table| {
            table.as_ref().map_or_else(String::new, |table| {
                let cells = table.rows as usize * table.columns.len();
                let ignored = match table.ignored {
                    0 => String::new(),
                    count => format!(" {count} of them are in columns that no model learns from, and stay empty."),
                };
                let seconds = session.sets.data.with(|data| data.as_ref().and_then(|data| data.fill_seconds)).unwrap_or_default();
                let long = match seconds / 60.0 {
                    short if short < 0.5 => String::new(),
                    minutes if minutes < 90.0 => format!(" For a table this wide that takes about {:.0} min here.", minutes.max(1.0)),
                    minutes => format!(" For a table this wide that takes about {:.0} hours here.", minutes / 60.0),
                };
                format!("{} of {cells} cells are missing.{ignored} A model learns from the known cells which values go together, and fills in the rest.{long} Nothing leaves this tab.", table.missing)
            })
        })
    };
    let now = move || match gaps.work.now() {
        Some(now) if now.progress.stage.is_empty() => "Beginning …".to_string(),
        Some(now) => format!("{} …", now.progress.stage),
        None if untrained() => "The model in training has learned nothing yet: press Train first.".into(),
        None => gaps.filled.with(|filled| filled.as_ref().map_or_else(String::new, |filled| result(gaps, filled))),
    };
    let models = SelectOption::of_choices::<GapModel>();
    view! {
        <section class="figure gaps" aria-labelledby="gaps-title" node_ref=section>
            <div class="figure-head">
                <h3 id="gaps-title">{title}</h3>
            </div>
            <p class="help">{about}</p>
            <div class="gaps-head">
                <div class="buttons">
                    <Button
                        label="Fill the gaps"
                        class="primary accent"
                        disabled=move || busy.get() || untrained()
                        on_press=move |()| session.perform(gaps.fill())
                    />
                    <Select
                        id="gap-model"
                        label=GapModel::WORDS.label
                        help=GapModel::WORDS.help
                        options=models
                        value=Signal::derive(move || gaps.by.get().choice().name.to_string())
                        on_choose=move |name: String| gaps.by.set(GapModel::named(&name).unwrap_or_default())
                    />
                    <ProgressBar label="Parts done" parts busy on_cancel=move |()| gaps.work.cancel() />
                </div>
                {trust::curve(gaps)}
            </div>
            <p class="figures-text" role="status" data-longest=LONGEST>
                <span>{now}</span>
            </p>
            {files(gaps, busy)}
            {rows::rows(gaps)}
            {rows::pager(gaps)}
            {rows::details(gaps)}
            {trust::trust(gaps)}
        </section>
    }
}

/// The files of the filled table, and which cells stay empty in it.
fn files(gaps: Gaps, busy: Memo<bool>) -> impl IntoView {
    let session = Session::of_page();
    let unfilled = Signal::derive(move || gaps.filled.with(Option::is_none) || busy.get());
    let save = move |form: TableFile, label: String| {
        let help = form.choice().help;
        view! { <Button label=label help=help disabled=unfilled on_press=move |()| session.perform(gaps.save(form)) /> }
    };
    view! {
            <div class="buttons">
                {save(TableFile::Table, "Save the table".into())}
                {save(TableFile::Probabilities, "Save the probabilities".into())}
                {save(TableFile::Imputations, format!("Save {IMPUTATIONS} imputations"))}
                <label class="slider">
                    <span>
                        "Leave empty below probability " <b class="number">{move || format!("{:.2}", gaps.asked.with(|asked| asked.leave_below))}</b>
                    </span>
                    <input
                        type="range"
                        min="0"
                        max="1"
                        step="0.01"
                        disabled=move || unfilled.get()
                        prop:value=move || gaps.asked.with(|asked| asked.leave_below.to_string())
                        on:input=move |event| {
                            if let Ok(below) = event_target_value(&event).parse() {
                                gaps.change(|asked| asked.leave_below = below);
                            }
                        }
                    />
                </label>
            </div>
    }
}

/// What was used, and what it filled.
fn result(gaps: Gaps, filled: &Filled) -> String {
    gaps.rows.with(|rows| {
        let left = if rows.left > 0 { format!("; {} left empty", rows.left) } else { String::new() };
        format!(
            "{} {} cells filled, probability {:.2} on average{left}.",
            trust::used(filled),
            rows.filled,
            rows.mean_probability
        )
    })
}
