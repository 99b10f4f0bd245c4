//! The worker's life: it is started, watched, and replaced when it is lost. What the page shows stays.

use super::held::{Opening, Session};
use crate::ui::address::View;
use crate::ui::notices::{Remedy, Tone};
use crate::worker::client::{Notification, WORKER_COUNT};
use dbm_core::settings::Initialization;
use leptos::prelude::*;
use std::time::Duration;

/// Workers lost in a row, none of which took a step, before the page gives up.
const TRIES: u32 = 3;
/// Training data waits this long for the pretrained model; longer where the visitor waits for the model's first answer.
fn grace() -> Duration {
    Duration::from_millis(if View::now() == View::Train { 1500 } else { 4000 })
}

impl Session {
    /// Starts the first worker, and watches it and its successors.
    pub fn open(self) {
        self.client.listen(move |notification| match notification {
            Notification::Ready => self.begin(),
            Notification::Event(event, bulk) => self.take_event(event, bulk),
            Notification::Failed(why) => {
                self.run.running.set(false);
                self.notices.error(why);
            }
            Notification::Unreadable(why) => self.notices.error(format!("A message of the worker could not be read: {why}.")),
            Notification::Lost(why) => self.replace(&why),
        });
        // A running run reports often: silence means that its worker is lost.
        Effect::new(move |_| self.client.expect(self.run.running.get()));
        self.start();
    }

    /// Whether no further worker starts until the visitor requests one.
    pub(super) fn has_given_up(self) -> bool {
        self.run.failed.get_value() >= TRIES
    }

    fn start(self) {
        if let Err(why) = self.client.start() {
            let text = format!("This browser could not start the worker that computes ({why}); a current one is needed.");
            self.notices.error(text);
        }
    }

    /// Gives a new worker the model, as soon as that has arrived, and data.
    fn begin(self) {
        self.perform(self.send_model());
        if self.run.pace.get_untracked() > 0 {
            self.send_pace();
        }
        let give_data = move || self.perform(self.use_present_data());
        if matches!(self.models.opening.get_untracked(), Opening::Fetching(..)) {
            set_timeout(give_data, grace());
        } else {
            give_data();
        }
    }

    /// Starts another worker to replace a lost one.
    fn replace(self, why: &str) {
        self.run.running.set(false);
        self.sets.fed.set(false);
        // Until the next worker has the run, there is nothing to train.
        self.sets.loading.set(true);
        self.run.metrics.update(|metrics| (metrics.running, metrics.steps_per_second) = (false, 0.0));
        self.notices.withdraw(Tone::Undoable);
        self.run.failed.update_value(|failed| *failed += 1);
        // Why the worker was lost is unknown: the next does without anything that a browser may lack, namely helpers and the
        // memory that they share.
        self.client.rename(format!("{WORKER_COUNT}1"));
        if self.has_given_up() {
            return self.give_up(why);
        }
        self.notices.error(format!(
            "The worker that computes was lost: {why}. A new one takes over, and computes alone; the model and the data are opened again, and what you see stays. {}.",
            self.what_of_the_run()
        ));
        self.start();
    }

    /// Tells the visitor that training has stopped, why, and what can be done.
    fn give_up(self, why: &str) {
        self.sets.loading.set(false);
        self.notices.withdraw(Tone::Error); // that another takes over
        let again = move |()| {
            self.notices.withdraw(Tone::Error);
            self.run.failed.set_value(0);
            self.sets.loading.set(true);
            self.start();
        };
        let mut remedies = vec![Remedy { label: "Start it again", run: Callback::new(again) }];
        let saved = self.run.snapshot.get_untracked().zip(self.run.checkpoint.get_value());
        let run = saved
            .as_ref()
            .map_or(String::new(), |(step, _)| format!(" The run as it was at step {step} is here: save it first."));
        if let Some((step, checkpoint)) = saved {
            remedies.push(Remedy { label: "Save the run", run: Callback::new(move |()| self.save_file(step, &checkpoint)) });
        }
        let text = format!(
            "Training has stopped: the worker that computes was lost {TRIES} times without a step in between, the last time because: {why}.{run} Smaller \
             layers or batches need less memory, and another browser may have what this one lacks."
        );
        self.notices.failed(text, remedies);
    }

    /// What happens to a run whose worker was lost.
    fn what_of_the_run(self) -> String {
        let pretrains = |start: &Initialization| matches!(start, Initialization::Pretrained { .. });
        match self.run.snapshot.get_untracked() {
            Some(step) => format!("Press Train to continue from step {step}"),
            None if self.run.plan.with_untracked(|plan| plan.as_ref().is_some_and(|plan| pretrains(&plan.start))) => {
                "Pretraining starts over".into()
            }
            None => "Training starts over at step 0".into(),
        }
    }
}
