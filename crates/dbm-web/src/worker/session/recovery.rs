//! The worker's life: started, watched over, and replaced when it is lost. What the page shows stays.

use super::held::{Opening, Session};
use crate::ui::notices::Tone;
use crate::worker::client::Unasked;
use dbm_protocol::Initialization;
use leptos::prelude::*;
use std::time::Duration;

/// Workers started in vain, one after another, before the page gives up.
const TRIES: u32 = 3;
/// Training data waits this long for the pretrained model, which the visitor sees first.
const GRACE: Duration = Duration::from_millis(1500);

impl Session {
    /// Starts the first worker, and watches over it and its successors.
    pub fn open(self) {
        self.client.listen(move |unasked| match unasked {
            Unasked::Ready => self.begin(),
            Unasked::Event(event, bulk) => self.take_event(event, bulk),
            Unasked::Failed(why) => {
                self.running.set(false);
                self.notices.error(why);
            }
            Unasked::Unreadable(why) => self.notices.error(format!("A message of the worker could not be read: {why}.")),
            Unasked::Lost(why) => self.replace(&why),
        });
        // A run that goes is heard of often: silence means that its worker is lost.
        Effect::new(move |_| self.client.expect(self.running.get()));
        self.start();
    }

    fn start(self) {
        if let Err(why) = self.client.start() {
            let text = format!("This browser could not start the worker that computes ({why}); a current one is needed.");
            self.notices.error(text);
        }
    }

    /// A worker has come up: gives it the model, as soon as it is there, and data.
    fn begin(self) {
        self.perform(self.send_model());
        if self.pace.get_untracked() > 0 {
            self.send_pace();
        }
        let give_data = move || self.perform(self.use_present_data());
        if matches!(self.opening.get_untracked(), Opening::Fetching(..)) {
            set_timeout(give_data, GRACE);
        } else {
            give_data();
        }
    }

    /// Starts another worker in place of one that was lost.
    fn replace(self, why: &str) {
        self.running.set(false);
        self.fed.set(false);
        // Until the next worker has the run, there is nothing to train.
        self.loading.set(true);
        self.metrics.update(|metrics| (metrics.running, metrics.steps_per_second) = (false, 0.0));
        self.notices.withdraw(Tone::Undoable);
        self.failed.update_value(|failed| *failed += 1);
        if self.failed.get_value() > TRIES {
            let text = format!(
                "The worker that computes cannot be kept alive: {why}. Reload the page; if that does not help, use a smaller model."
            );
            return self.notices.error(text);
        }
        self.notices.error(format!(
            "The worker that computes was lost: {why}. A new one takes over; the model and the data are opened again, what you see stays, and {}.",
            self.what_of_the_run()
        ));
        self.start();
    }

    /// What becomes of a run whose worker was lost.
    fn what_of_the_run(self) -> String {
        let pretrains = |start: &Initialization| matches!(start, Initialization::Pretrained { .. });
        match self.snapshot.get_untracked() {
            Some(step) => format!("press Train to go on from step {step}"),
            None if self.plan.with_untracked(|plan| plan.as_ref().is_some_and(|plan| pretrains(&plan.start))) => {
                "pretraining begins anew".into()
            }
            None => "training begins anew at step 0".into(),
        }
    }
}
