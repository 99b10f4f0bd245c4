//! The whole page of the lab: its shell, and the views that the address asks for.

mod drop;
pub mod embed;
mod folders;
mod help;
mod later;
mod masthead;
mod menu;
mod share;
mod shortcuts;

use crate::canvas;
use crate::complete::Completion;
use crate::data::{Data, Gaps, GapsPanel, Preview};
use crate::tour::{Tour, tour_panel};
use crate::train::Training;
use crate::ui::address::{self, OnShow, View};
use crate::ui::explanation::Explained;
use crate::ui::notices::{NoticeStrip, Notices, hear_offers};
use crate::worker::session::Session;
use crate::worker::uploads::Uploads;
use dbm_protocol::ModelChoice;
use drop::drop_zone;
use later::Later;
use leptos::either::Either;
use leptos::prelude::*;
use masthead::masthead;
use shortcuts::shortcuts;

/// What to tell the visitor if the browser cannot keep the page for offline use.
fn lacks_offline() -> Option<&'static str> {
    let keeps = js_sys::Reflect::get(&window().navigator(), &"serviceWorker".into()).is_ok_and(|it| it.is_truthy());
    (!keeps).then_some(" This browser cannot keep the page for offline use.")
}

/// Provides what several features need, starts the worker, and lays out the page.
#[component]
pub fn App(
    /// The single view to show, embedded in somebody else's page; `None` for all of them.
    embedded: Option<View>,
) -> impl IntoView {
    let (notices, show) = (Notices::default(), OnShow { embedded, ..OnShow::default() });
    let OnShow { view, two_runs, .. } = show;
    let session = Session::new(notices);
    let uploads = Uploads::new(session);
    provide_context(notices);
    provide_context(show);
    provide_context(session);
    provide_context(uploads);
    provide_context(Gaps::new(session));
    provide_context(Tour::new());
    canvas::follow_theme();
    help::listen();
    hear_offers(notices);
    let asked = move || embedded.unwrap_or_else(View::now);
    view.set(asked());
    address::follow(move || {
        view.set(asked());
        // Canvases that were hidden have not been drawn yet.
        canvas::redraw_all();
    });
    Effect::new(move |_| document().set_title(&format!("{} · DBM Lab", view.get().title())));
    let has = move |view| embedded.is_none_or(|only| only == view);
    if has(View::Complete) {
        session.perform(session.fetch_model());
    } else {
        session.models.model.set(ModelChoice::Training);
    }
    if has(View::Train) || has(View::Complete) {
        session.open();
    }
    if embedded.is_some() {
        session.keep_nothing();
    }
    if let Some(address) = address::asked("data").filter(|address| has(View::Train) && !address.is_empty()) {
        uploads.fetch(address);
    }
    let two = move || view.get() == View::Train && two_runs.get();
    let on_show = move |which: View| Signal::derive(move || view.get() == which);
    let described = move |which: View, inside: ViewFn| {
        let shown = on_show(which);
        has(which).then(|| view! { <Explained view=which shown>{inside.run()}</Explained> })
    };
    let training = move || {
        view! {
            <Training data=Data gaps=GapsPanel />
            <Later view=later::compare shown=Signal::derive(two) />
        }
    };
    view! {
        {embedded.is_none().then(masthead)}
        <main>
            {embedded.map(|view| view! { <h1 class="unseen">{format!("DBM Lab: {}", view.title())}</h1> })}
            {described(View::Train, training.into())}
            {described(View::Complete, (|| view! { <Completion /> }).into())}
            {described(View::Coupling, (move || view! { <Later view=later::coupling shown=on_show(View::Coupling) /> }).into())}
            {described(View::Proof, (move || view! { <Later view=later::proof shown=on_show(View::Proof) /> }).into())}
            <div id="help-box" role="tooltip" hidden></div>
        </main>
        {match embedded {
            Some(view) => Either::Left(view! {
                <NoticeStrip rest="Everything runs in this frame: nothing you draw or load leaves it, and nothing is saved.".into() />
                {embed::foot(view)}
            }),
            None => Either::Right(view! {
                <footer class="foot">
                    <NoticeStrip rest=format!(
                        "Everything runs in this tab: nothing you draw or load leaves it.{}",
                        lacks_offline().unwrap_or_default(),
                    ) />
                    {shortcuts()}
                </footer>
            }),
        }}
        {embedded.is_none().then(tour_panel)}
        <Preview />
        {has(View::Train).then(drop_zone)}
    }
}
