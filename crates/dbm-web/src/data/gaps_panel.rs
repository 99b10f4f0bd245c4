//! The table in use: its gaps filled, and how far the answers can be trusted.

use super::gaps::{Filled, Gaps};
use crate::ui::button::Button;
use crate::ui::download;
use crate::ui::progress::ProgressBar;
use crate::worker::session::Session;
use dbm_protocol::{Evaluated, ImputationMethod, NamedBytes, Report};
use leptos::prelude::*;

/// Shown where a table with gaps is in use.
#[component]
pub fn GapsPanel() -> impl IntoView {
    let session = Session::of_page();
    let gaps = Gaps::new(session);
    let missing = Memo::new(move |_| session.data.with(|data| data.as_ref().map_or(0.0, |data| data.missing)));
    let shown = Memo::new(move |_| gaps.is_table() && missing.get() > 0.0);
    let untrained = move || session.metrics.with(|metrics| metrics.step) == 0;
    let busy = move || gaps.work.now().is_some();
    let parts = Signal::derive(move || gaps.work.parts());
    let save = move |file: fn(&Filled) -> &NamedBytes| {
        if let Some(filled) = gaps.filled.get_untracked() {
            download::file(session.notices, file(&filled));
        }
    };
    view! {
        <Show when=move || shown.get()>
            <section class="figure gaps" aria-labelledby="gaps-title">
                <div class="figure-head">
                    <h3 id="gaps-title">"Gaps"</h3>
                </div>
                <div class="buttons">
                    <Button
                        label="Fill the gaps"
                        class="primary accent"
                        disabled=move || busy() || untrained()
                        on_press=move |()| session.perform(gaps.fill())
                    />
                    <Button label="Test the answers" disabled=move || busy() || untrained() on_press=move |()| session.perform(gaps.evaluate()) />
                    <ProgressBar label="Rows answered" parts busy=Signal::derive(busy) on_cancel=move |()| gaps.work.cancel() />
                </div>
                <p class="figures-text" role="status">
                    {move || match gaps.filled.get() {
                        None if untrained() => "Train first: a few hundred steps do for a small table, and many more learn it by heart.".to_string(),
                        None => "Each gap gets its likeliest value, with a probability from 32 completions of its row.".to_string(),
                        Some(filled) => {
                            format!("{} cells filled; their values have a probability of {:.2} on average.", filled.cells, filled.mean_probability)
                        }
                    }}
                </p>
                <Show when=move || gaps.filled.with(Option::is_some)>
                    <div class="buttons">
                        <Button label="Save the table" on_press=move |()| save(|filled| &filled.table) />
                        <Button label="Save the probabilities" on_press=move |()| save(|filled| &filled.probabilities) />
                    </div>
                </Show>
                {move || gaps.evaluation.with(|evaluation| evaluation.as_ref().map(trust_table))}
            </section>
        </Show>
    }
}

/// The answers beside two simple guesses.
fn trust_table(evaluation: &Evaluated) -> impl IntoView + use<> {
    let report = &evaluation.report;
    let row = |method: ImputationMethod| {
        let score = report.of(method);
        let name = if method == ImputationMethod::Model { "the model" } else { method.name() };
        view! {
            <tr>
                <th scope="row">{name}</th>
                <td>{format!("{:.1} %", 100.0 * score.accuracy)}</td>
                <td>{format!("{:.3}", score.log_loss)}</td>
            </tr>
        }
    };
    let seen = if evaluation.held_back {
        "which training never saw"
    } else {
        "which the model was trained with, so expect worse on real gaps"
    };
    let words = format!(
        "On {} known cells, {seen}: share answered as they are, and log-loss in nats a cell (less is better).",
        report.cells
    );
    view! {
        <table class="numbers">
            <thead>
                <tr>
                    <th scope="col"><span class="unseen">"By"</span></th>
                    <th scope="col">"right"</th>
                    <th scope="col">"log-loss"</th>
                </tr>
            </thead>
            <tbody>
                {ImputationMethod::ALL.map(row).collect_view()}
            </tbody>
        </table>
        <p class="help">{words} " " {verdict(report)}</p>
    }
}

fn verdict(report: &Report) -> &'static str {
    let loss = |method| report.of(method).log_loss;
    if loss(ImputationMethod::Model) < loss(ImputationMethod::ColumnMode).min(loss(ImputationMethod::Neighbours)) {
        "The model's answers are the best of the three."
    } else {
        "A simple guess does as well or better: do not trust these answers. More or fewer steps may change that, and more rows."
    }
}
