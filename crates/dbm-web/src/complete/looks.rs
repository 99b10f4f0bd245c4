//! A series of looks at a model, one after another, in a fold: a button, their progress, and Cancel. The results stay until the
//! model changes.

use crate::ui::button::Button;
use crate::ui::progress::ProgressBar;
use crate::worker::client::{Failure, LongRequest};
use crate::worker::session::Session;
use dbm_protocol::{Command, Event};
use leptos::prelude::*;

/// The results so far, in order, and the request for the next one.
pub struct Looks<T: Send + Sync + 'static> {
    session: Session,
    pub work: LongRequest,
    pub came: RwSignal<Vec<T>>,
    pub running: RwSignal<bool>,
}

impl<T: Send + Sync> Copy for Looks<T> {}

impl<T: Send + Sync> Clone for Looks<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Send + Sync> Looks<T> {
    /// No looks yet. They are forgotten when `of` changes.
    pub fn of<M: PartialEq + Send + Sync + 'static>(session: Session, of: Memo<M>) -> Self {
        let looks =
            Self { session, work: LongRequest::new(session.client), came: RwSignal::default(), running: RwSignal::new(false) };
        Effect::new(move |before: Option<()>| {
            of.track();
            if before.is_some() {
                looks.stop();
                looks.came.set(Vec::new());
            }
        });
        looks
    }

    /// Starts over and sends one command after another; `read` extracts the result from an answer.
    pub fn start(self, commands: Vec<Command>, read: fn(Event) -> Option<T>) {
        self.came.set(Vec::new());
        self.running.set(true);
        self.session.perform(async move {
            let done = self.ask(commands, read).await;
            // A series that was replaced has nothing more to report.
            if !matches!(done, Ok(false)) {
                self.running.set(false);
            }
            done.map(|_| ())
        });
    }

    /// Returns whether the series finished without being cancelled or replaced.
    async fn ask(self, commands: Vec<Command>, read: fn(Event) -> Option<T>) -> Result<bool, Failure> {
        for command in commands {
            let Some(look) = self.work.ask(command).await?.and_then(read) else { return Ok(false) };
            self.came.update(|came| came.push(look));
        }
        Ok(true)
    }

    /// Stops the series.
    pub fn stop(self) {
        self.work.cancel();
        self.running.set(false);
    }
}

/// The longest conclusion from the looks.
const LONGEST: &str = "From 10000 to 10000 sweeps, energy and pixels changed by at most two standard errors.";

/// The fold around them.
#[component]
pub fn LooksFold(
    /// Whether a series is running.
    running: RwSignal<bool>,
    /// Called when the visitor cancels.
    #[prop(into)]
    on_cancel: Callback<()>,
    /// For the style sheet.
    class: &'static str,
    title: &'static str,
    /// What the fold shows.
    about: &'static str,
    #[prop(into)] hidden: Signal<bool>,
    button: &'static str,
    button_help: &'static str,
    /// Whether it cannot start.
    #[prop(into)]
    disabled: Signal<bool>,
    #[prop(into)] on_press: Callback<()>,
    /// What the bar counts, and its progress.
    counted: &'static str,
    parts: Signal<(u32, u32)>,
    /// The conclusion from the looks, in words.
    #[prop(optional, into)]
    status: Option<Signal<String>>,
    children: Children,
) -> impl IntoView {
    view! {
        <details class=class hidden=move || hidden.get()>
            <summary>{title}</summary>
            <p class="help">{about}</p>
            <div class="ask">
                <Button label=button help=button_help disabled=Signal::derive(move || disabled.get() || running.get()) on_press />
                <ProgressBar label=counted parts busy=running help="Stops; the results so far stay." on_cancel />
                {status
                    .map(|status| {
                        view! {
                            <p role="status" data-longest=LONGEST>
                                <span>{move || status.get()}</span>
                            </p>
                        }
                    })}
            </div>
            <div class="looks">{children()}</div>
        </details>
    }
}
