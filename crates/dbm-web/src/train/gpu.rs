//! The visitor's own GPU: timed against the processor, and used if it is faster. If the browser has no access to it, nothing is
//! shown.

use crate::ui::button::Button;
use crate::ui::progress::ProgressBar;
use crate::worker::client::{Failure, LongRequest};
use crate::worker::session::Session;
use dbm_protocol::{Command, Event, GpuTrial};
use leptos::prelude::*;

/// The longest text about the two.
const LONGEST: &str = "Ten steps took the processor 0.123 s on 12 workers, and the GPU (Name of some GPU of some maker) 0.123 s. The processor is 12.5 times as fast and continues.";

/// The button that times both, and the result.
pub fn gpu_choice(session: Session) -> impl IntoView {
    let (work, message) = (LongRequest::new(session.client), RwSignal::new(String::new()));
    // Whether both were timed for this run and the processor was faster.
    let slower = RwSignal::new(false);
    let there = js_sys::Reflect::get(&window().navigator(), &"gpu".into()).is_ok_and(|gpu| gpu.is_object());
    let used = Memo::new(move |_| session.run.metrics.with(|metrics| metrics.gpu));
    let computed_by = Memo::new(move |_| session.run.metrics.with(|metrics| metrics.computed_by.clone()));
    let busy = Memo::new(move |_| work.now().is_some());
    let ready = move || session.run.plan.with(Option::is_some) && !session.sets.loading.get();
    // The measurement belongs to the run that was timed.
    Effect::new(move |_| {
        session.run.runs.track();
        message.set(String::new());
        slower.set(false);
    });
    let choose = move || session.perform(measure_and_choose(session, work, message, slower));
    let switch = move |to_gpu| {
        message.set(String::new());
        slower.set(false);
        session.perform(async move { session.ask(Command::UseGpu(to_gpu)).await.map(|_| ()) });
    };
    let line = move || match (message.get(), computed_by.get()) {
        (message, by) if message.is_empty() && !by.is_empty() => format!("Computed by {by}."),
        (message, _) => message,
    };
    let press = move |()| if used.get_untracked() { switch(false) } else { choose() };
    let label = move || if used.get() { "Use the processor" } else { "Use the GPU" }.to_string();
    view! {
        <Show when=move || there>
            <div class="gpu">
                <Button
                    label=Signal::derive(label)
                    class="either"
                    help="Times ten steps of this run on the processor and ten on this machine’s GPU, and continues on the faster; or goes back to the processor."
                    disabled=move || !ready() || busy.get()
                    on_press=press
                />
                <span class="one-of">
                    <span class:absent=move || !slower.get() || busy.get() || used.get()>
                        <Button label="Use it anyway" disabled=move || !ready() on_press=move |()| switch(true) />
                    </span>
                    <ProgressBar label="Steps timed" parts=Signal::derive(move || work.parts()) busy on_cancel=move |()| work.cancel() />
                </span>
                <p class="figures-text" role="status" data-longest=LONGEST>
                    <span>{move || if busy.get() { "Timing both".into() } else { line() }}</span>
                </p>
            </div>
        </Show>
    }
}

/// Times both, reports the result, and lets the faster one take the steps.
async fn measure_and_choose(
    session: Session,
    work: LongRequest,
    message: RwSignal<String>,
    slower: RwSignal<bool>,
) -> Result<(), Failure> {
    session.readiness()?;
    message.set(String::new());
    slower.set(false);
    let Some(Event::GpuTried(measured)) = work.ask(Command::TryGpu).await? else { return Ok(()) };
    let (ratio, words) = compared(&measured);
    session.ask(Command::UseGpu(ratio > 1.0)).await?;
    message.set(words);
    slower.set(ratio <= 1.0);
    Ok(())
}

/// How many times as fast as the processor the GPU is, and the same in words.
fn compared(measured: &GpuTrial) -> (f64, String) {
    let ratio = measured.processor_seconds / measured.gpu_seconds;
    let workers = if measured.workers > 1 { format!("{} workers", measured.workers) } else { "one worker".into() };
    let came = if ratio > 1.0 {
        format!("The GPU is {} times as fast and takes the steps from here on", digits(ratio))
    } else {
        format!("The processor is {} times as fast and continues", digits(1.0 / ratio))
    };
    let words = format!(
        "Ten steps took the processor {} s on {workers}, and the GPU ({}) {} s. {came}.",
        digits(measured.processor_seconds),
        measured.gpu,
        digits(measured.gpu_seconds)
    );
    (ratio, words)
}

/// Rounded to two digits.
fn digits(x: f64) -> String {
    match x {
        10.0.. => format!("{x:.0}"),
        1.0.. => format!("{x:.1}"),
        0.1.. => format!("{x:.2}"),
        _ => format!("{x:.3}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_faster_of_the_two_is_told_with_how_much_it_is_so() {
        let of = |processor_seconds: f64, gpu_seconds: f64| {
            compared(&GpuTrial { workers: 2, processor_seconds, gpu: "Some GPU".into(), gpu_seconds })
        };
        let (ratio, words) = of(3.0, 0.24);
        assert!(
            ratio > 1.0 && words.contains("3.0 s on 2 workers, and the GPU (Some GPU) 0.24 s. The GPU is 12 times"),
            "{words}"
        );
        let (ratio, words) = of(0.05, 18.0);
        assert!(ratio < 1.0 && words.contains("processor 0.050 s") && words.contains("The processor is 360 times"), "{words}");
    }
}
