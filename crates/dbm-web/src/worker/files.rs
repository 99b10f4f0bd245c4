//! The worker that reads the visitor's files and writes those that are exported.

use super::client::{Client, Failure};
use crate::ui::notices::Notices;
use dbm_protocol::Files;

thread_local! {
    static READER: Client<Files> = Client::new("dbm-reader");
}

/// The client of that worker, which is started when something is first asked of it.
pub fn reader() -> Client<Files> {
    READER.with(|reader| *reader)
}

/// Why a worker for files gave no answer; nothing where the page ended it itself.
pub fn words(failure: &Failure) -> Option<String> {
    match failure {
        Failure::Refused(why) => Some(why.clone()),
        Failure::Lost(why) => {
            Some(format!("the worker for files was lost: {why}. Try again; if that does not help, reload the page"))
        }
        Failure::Ended => None,
    }
}

/// Tells the visitor why.
pub fn tell(notices: Notices, failure: &Failure) {
    if let Some(why) = words(failure) {
        notices.error(why);
    }
}
