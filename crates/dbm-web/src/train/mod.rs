//! Training: the run's buttons and counter, its data and settings, and its instruments.

mod film;
mod gpu;
mod instruments;
mod log;
mod run_link;
mod samples;
mod settings;

use crate::settings::Draft;
use crate::ui::address::{self, OnShow};
use crate::ui::button::Button;
use crate::ui::save::Save;
use crate::ui::select::{Select, SelectOption};
use crate::worker::export;
use crate::worker::session::{PACES, Session};
use dbm_protocol::{Command, LogFormat, Metrics, Product};
use gpu::gpu_choice;
use instruments::all_instruments;
use leptos::prelude::*;
use run_link::RunLink;
pub use run_link::shared;
use samples::Samples;
use settings::{learning_form, settings_form};

/// The view of one run; while two are shown, only the choice between one and two.
#[component]
#[expect(clippy::needless_pass_by_value, reason = "a component owns what it is given")]
pub fn Training(
    /// The data panel, shown next to the settings.
    #[prop(into)]
    data: ViewFn,
    /// The panel for a table's gaps.
    #[prop(into)]
    gaps: ViewFn,
) -> impl IntoView {
    let session = Session::of_page();
    RunLink::follow(session);
    let two_runs = OnShow::of_page().two_runs;
    log::follow(session);
    film::follow(session);
    let ready = move || session.run.plan.with(Option::is_some) && !session.sets.loading.get();
    let step = Memo::new(move |_| session.run.metrics.with(|metrics| metrics.step));
    let begun = Memo::new(move |_| session.run.metrics.with(Metrics::begun));
    let rate = move || session.run.metrics.with(|metrics| if metrics.running { metrics.steps_per_second } else { 0.0 });
    let by = Memo::new(move |_| session.run.metrics.with(computing));
    let changed = Memo::new(move |_| {
        let plan = session.run.draft.with(Draft::plan);
        plan.is_none_or(|plan| !session.run.plan.with(|present| present.as_ref().is_none_or(|present| present.same_run(&plan))))
    });
    let save = move |form| save(session, form);
    let hint = move || match (changed.get(), begun.get()) {
        (true, _) if session.run.draft.with(Draft::plan).is_none() => "Fix the highlighted setting.",
        (true, true) => "Press Reset to start with these settings.",
        (true, false) => "Train starts with these settings.",
        _ => "",
    };
    view! {
        {runs_choice()}
        <section class="training" aria-labelledby="training-title" hidden=move || two_runs.get()>
            <div class="ruled transport">
                <h2 id="training-title">"Training"</h2>
                <div class="buttons" data-tour="train">
                    <Button
                        label="Train"
                        key="t"
                        class="primary"
                        help="Trains until paused. Settings changed before the first step take effect."
                        disabled=move || !ready() || session.run.running.get()
                        on_press=move |()| session.perform(session.train(Command::Train))
                    />
                    <Button
                        label="Pause"
                        key="t"
                        help="Stops between two parts of a step. Pausing changes no bit of the run."
                        disabled=move || !session.run.running.get()
                        on_press=move |()| session.perform(session.pause())
                    />
                    <Button
                        label="Step"
                        key="s"
                        help="One gradient step, on one minibatch."
                        disabled=move || !ready() || session.run.running.get()
                        on_press=move |()| session.perform(session.train(Command::Step))
                    />
                    <Button
                        label="Rewind"
                        help="The same run again from step 0: the same seed and settings, whatever the form says now. Undo restores what it replaces."
                        disabled=move || !ready() || !begun.get()
                        on_press=move |()| session.perform(session.reset(true))
                    />
                    <Button
                        label="Reset"
                        help="A new run from step 0 with the settings of the form. Undo restores what it replaces."
                        disabled=move || !ready() || (!begun.get() && !changed.get())
                        on_press=move |()| session.perform(session.reset(false))
                    />
                    <Save what="this run" forms=&["model", "log as CSV", "log as JSON"] save />
                </div>
                <p class="counter">
                    <output aria-label="Gradient steps" aria-live="off">{move || step.get().to_string()}</output>
                    <span>"gradient steps"</span>
                </p>
                <p class="counter small">
                    <span class="number">{move || speed(rate())}</span>
                    <span data-longest="a second, on 12 workers">
                        <span>{move || format!("a second{}", by.get())}</span>
                    </span>
                </p>
                <p class="figures-text" role="status" aria-live="off" data-longest="Saved at step 100000">
                    <span>{move || session.run.kept.get().words()}</span>
                </p>
                <div class="transport-line">
                    <p class="hint" role="status">{hint}</p>
                    {underway_line(session)}
                </div>
            </div>
            {run_line(session)}
            <div class="training-grid">
                <div class="setup">
                    {data.run()}
                    {settings_form()}
                </div>
                {gaps.run()}
                <Samples />
                <div id="instruments">
                    {all_instruments(session)}
                </div>
                {learning_form()}
            </div>
        </section>
    }
}

/// Saves the run in the format at this index of the menu.
fn save(session: Session, form: usize) {
    match form {
        0 => session.perform(async move {
            let (step, checkpoint) = session.save().await?;
            session.save_file(step, &checkpoint);
            Ok(())
        }),
        1 => export::write(session, Product::Log { format: LogFormat::Csv, rows: log::rows() }),
        _ => export::write(session, Product::Log { format: LogFormat::Json, rows: log::rows() }),
    }
}

/// One run, or two side by side.
fn runs_choice() -> impl IntoView {
    let two_runs = OnShow::of_page().two_runs;
    let choose = move |two| {
        two_runs.set(two);
        // The view of two runs reads the choice there.
        request_animation_frame(address::flush);
    };
    view! {
        <fieldset class="segments runs" data-help="Two runs on one seed, side by side, that differ in what you choose; the one run continues meanwhile.">
            <legend class="unseen">"Runs"</legend>
            {[(false, "One run"), (true, "Two runs side by side")]
                .map(|(two, name)| {
                    view! {
                        <label>
                            <input type="radio" name="runs" prop:checked=move || two_runs.get() == two on:change=move |_| choose(two) />
                            <span>{name}</span>
                        </label>
                    }
                })
                .collect_view()}
        </fieldset>
    }
}

/// The speed of the run, and what distinguishes it from others.
fn run_line(session: Session) -> impl IntoView {
    let pace = move |pace: String| session.set_pace(pace.parse().unwrap_or(0));
    let sum = Memo::new(move |_| session.run.metrics.with(|metrics| metrics.checksum.clone()));
    let option =
        |pace: u32| SelectOption::new(pace.to_string(), if pace == 0 { "full speed".into() } else { format!("{pace} a second") });
    let paces: Vec<_> = std::iter::once(0).chain(PACES).map(option).collect();
    view! {
        <div class="run-line">
            <span class="inline">
                <Select
                    id="pace"
                    label="Speed"
                    help="Slow it down to watch single steps. This changes no bit of the run."
                    options=paces
                    value=Signal::derive(move || session.run.pace.get().to_string())
                    on_choose=pace
                />
            </span>
            {gpu_choice(session)}
            <p
                class="figures-text checksum"
                data-help="Of all parameters of the paused run. Equal checksums mean runs that are equal to the last bit, on any machine; what a GPU has computed repeats only on the same GPU."
            >
                "checksum "
                <output aria-label="Checksum" aria-live="off">
                    {move || sum.with(|sum| if sum.is_empty() { "–".into() } else { sum.clone() })}
                </output>
            </p>
        </div>
    }
}

/// What computes the steps, if this worker has help.
fn computing(metrics: &Metrics) -> String {
    match metrics {
        Metrics { running: true, gpu: true, .. } => ", on the GPU".into(),
        Metrics { running: true, workers: 2.., .. } => format!(", on {} workers", metrics.workers),
        _ => String::new(),
    }
}

/// Steps per second, with the decimals that a slow run needs.
fn speed(rate: f64) -> String {
    if rate > 0.0 && rate < 1.0 { format!("{rate:.2}") } else { format!("{rate:.1}") }
}

/// Progress that the counter does not show: pretraining, and the parts of a gradient step that takes long.
fn underway_line(session: Session) -> impl IntoView {
    let underway = Memo::new(move |_| session.run.metrics.with(underway));
    view! {
        <Show when=move || underway.with(Option::is_some)>
            <p class="counter underway">
                <progress
                    aria-label="Pretraining or gradient step under way"
                    max=move || underway.get().map_or(1, |(_, _, total)| total)
                    prop:value=move || underway.get().map_or(0, |(_, done, _)| done)
                ></progress>
                <span class="number-text">{move || underway.get().map(|(words, ..)| words)}</span>
            </p>
        </Show>
    }
}

/// The progress in words, parts done and parts in all; `None` if the counter says it all.
fn underway(metrics: &Metrics) -> Option<(String, u32, u32)> {
    if let Some(p) = metrics.pretraining.filter(|pretraining| !pretraining.is_done()) {
        let words = format!("pretraining layer {} of {}: step {} of {}", p.layer, p.layers, p.step, p.steps);
        return Some((words, (p.layer - 1) * p.steps + p.step, p.layers * p.steps));
    }
    let (done, total) = metrics.parts.filter(|_| metrics.running)?;
    Some((format!("step {}: part {done} of {total} done", metrics.step + 1), done, total))
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbm_protocol::Pretraining;

    #[test]
    fn pretraining_and_slow_steps_are_told_and_nothing_else() {
        let pretraining = |layer, step| Some(Pretraining { layer, layers: 2, step, steps: 500 });
        let said = |metrics: Metrics| underway(&metrics);
        assert_eq!(
            said(Metrics { pretraining: pretraining(2, 40), ..Metrics::default() }),
            Some(("pretraining layer 2 of 2: step 40 of 500".into(), 540, 1000))
        );
        assert_eq!(said(Metrics { pretraining: pretraining(2, 500), step: 3, ..Metrics::default() }), None);
        let parts = Metrics { parts: Some((1, 4)), running: true, step: 6, ..Metrics::default() };
        assert_eq!(said(parts.clone()), Some(("step 7: part 1 of 4 done".into(), 1, 4)));
        assert_eq!(said(Metrics { running: false, ..parts }), None);
        assert_eq!([0.0, 0.042, 7.25].map(speed), ["0.0", "0.04", "7.2"]);
    }
}
