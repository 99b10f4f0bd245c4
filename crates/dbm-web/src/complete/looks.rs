//! Looks at a model that come one after the other, in a fold of their own: a button, how far they are, and Cancel. What came
//! stays, until the model is another.

use crate::ui::button::Button;
use crate::ui::progress::ProgressBar;
use crate::worker::client::{Failure, Work};
use crate::worker::session::Session;
use dbm_protocol::{Command, Event};
use leptos::prelude::*;

/// The looks that came, in their order, and the request at work on the next.
pub struct Looks<T: Send + Sync + 'static> {
    session: Session,
    pub work: Work,
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
    /// None yet. They are forgotten when what they are of changes.
    pub fn of<M: PartialEq + Send + Sync + 'static>(session: Session, of: Memo<M>) -> Self {
        let looks = Self { session, work: Work::new(session.client), came: RwSignal::default(), running: RwSignal::new(false) };
        Effect::new(move |before: Option<()>| {
            of.track();
            if before.is_some() {
                looks.stop();
                looks.came.set(Vec::new());
            }
        });
        looks
    }

    /// Begins anew, and asks one after the other; `read` takes from an answer what is to be seen.
    pub fn start(self, commands: Vec<Command>, read: fn(Event) -> Option<T>) {
        self.came.set(Vec::new());
        self.running.set(true);
        self.session.perform(async move {
            let done = self.ask(commands, read).await;
            // One that was replaced has nothing more to say.
            if !matches!(done, Ok(false)) {
                self.running.set(false);
            }
            done.map(|_| ())
        });
    }

    /// Whether it came to the end, and was not cancelled or replaced.
    async fn ask(self, commands: Vec<Command>, read: fn(Event) -> Option<T>) -> Result<bool, Failure> {
        for command in commands {
            let Some(look) = self.work.ask(command).await?.and_then(read) else { return Ok(false) };
            self.came.update(|came| came.push(look));
        }
        Ok(true)
    }

    /// Asks for no more.
    pub fn stop(self) {
        self.work.cancel();
        self.running.set(false);
    }
}

/// The longest that follows from looks.
const LONGEST: &str = "Up to 10000 sweeps, energy and pixels have not changed by more than two standard errors since 10000.";

/// The fold around them.
#[component]
pub fn LooksFold(
    /// Whether looks are being asked for.
    running: RwSignal<bool>,
    /// Called when the visitor cancels.
    #[prop(into)]
    on_cancel: Callback<()>,
    /// For the style sheet.
    class: &'static str,
    title: &'static str,
    /// What is seen in it.
    about: &'static str,
    #[prop(into)] hidden: Signal<bool>,
    button: &'static str,
    button_help: &'static str,
    /// Whether it cannot begin.
    #[prop(into)]
    disabled: Signal<bool>,
    #[prop(into)] on_press: Callback<()>,
    /// What the bar counts, and how far it is.
    counted: &'static str,
    parts: Signal<(u32, u32)>,
    /// What follows from the looks, in words.
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
                <ProgressBar label=counted parts busy=running help="Stops; what was seen stays." on_cancel />
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
