//! The whole page of the lab: its shell, and the views that the address asks for.

mod drop;
mod help;
mod later;
mod masthead;
mod menu;
mod shortcuts;

use crate::canvas;
use crate::complete::Completion;
use crate::data::{Data, GapsPanel, Preview};
use crate::train::Training;
use crate::ui::address::{self, OnShow, View};
use crate::ui::explanation::Explanation;
use crate::ui::notices::{NoticeList, Notices};
use crate::worker::session::Session;
use crate::worker::uploads::Uploads;
use drop::Drop;
use later::Later;
use leptos::prelude::*;
use masthead::Masthead;
use shortcuts::Shortcuts;

/// The data set that the page was opened with: `?data=ADDRESS`.
fn asked_address() -> Option<String> {
    let search = window().location().search().ok()?;
    let pairs = web_sys::UrlSearchParams::new_with_str(&search).ok()?;
    pairs.get("data").filter(|address| !address.is_empty())
}

/// Provides what several features need, starts the worker, and lays the page out.
#[component]
pub fn App() -> impl IntoView {
    let (notices, show) = (Notices::default(), OnShow::default());
    let OnShow { view, two_runs } = show;
    let session = Session::new(notices);
    let uploads = Uploads::new(session);
    provide_context(notices);
    provide_context(show);
    provide_context(session);
    provide_context(uploads);
    canvas::follow_theme();
    help::listen();
    view.set(View::now());
    address::follow(move || {
        view.set(View::now());
        // Canvases that were hidden have not been drawn.
        canvas::redraw_all();
    });
    Effect::new(move |_| document().set_title(&format!("{} · DBM Lab", view.get().title())));
    session.perform(session.fetch_model());
    session.open();
    if let Some(address) = asked_address() {
        uploads.fetch(address);
    }
    let two = move || view.get() == View::Train && two_runs.get();
    let on_show = |which: View| Signal::derive(move || view.get() == which);
    view! {
        <Masthead />
        <main>
            <div hidden=move || view.get() != View::Train>
                <Training data=Data gaps=GapsPanel />
            </div>
            <div hidden=move || view.get() != View::Complete>
                <Completion />
                <Explanation view=View::Complete />
            </div>
            <Later view=later::compare shown=Signal::derive(two) />
            <Later view=later::coupling shown=on_show(View::Coupling) />
            <Later view=later::proof shown=on_show(View::Proof) />
            <div hidden=move || view.get() != View::Train>
                <Explanation view=View::Train />
            </div>
        </main>
        <footer class="foot">
            <p>"Everything runs in this tab: nothing you draw or load leaves it."</p>
            <Shortcuts />
        </footer>
        <Preview />
        <NoticeList />
        <Drop />
        <div id="help-box" role="tooltip" hidden></div>
    }
}
