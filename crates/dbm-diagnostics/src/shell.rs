//! The part that depends on the browser.

use crate::answer;
use dbm_protocol::transport::{reply, serve};
use dbm_protocol::{DiagnosticsCommand, DiagnosticsEvent, Reply};

/// Answers the page.
pub fn start() {
    console_error_panic_hook::set_once();
    serve(async |id, command: DiagnosticsCommand| {
        answer(command, &mut |done, total| reply::<DiagnosticsEvent>(id, Reply::progress(done, total)))
    });
}
