//! Coupling: how long two chains take to meet, by dimension, and one coupling step by step.

mod figure;
mod jobs;
mod ledger;
mod one;
mod pairs;
mod plot;
mod replay;
mod results;
mod scenes;
mod settings;
mod setup;
mod stage;
mod transport;

use crate::ui::address::{self, View};
use crate::ui::explanation::Explanation;
use crate::ui::notices::Notices;
use figure::{Figure, FigureOfCouplings};
use leptos::prelude::*;
use one::OneCoupling;
use replay::ReplayOfOne;
use settings::Draft;
use setup::Setup;

/// Keys of this view in the address.
const PREFIX: &str = "m.";

/// What the address says of this view.
fn present() -> Vec<(String, String)> {
    address::pairs().into_iter().filter(|(key, _)| key.starts_with(PREFIX)).collect()
}

/// What `pairs` has for a key.
fn look(pairs: &[(String, String)]) -> impl Fn(&str) -> Option<String> + use<'_> {
    |key| pairs.iter().find(|(name, _)| name == key).map(|(_, value)| value.clone())
}

/// The region.
#[component]
pub fn Coupling() -> impl IntoView {
    let asked = present();
    let figure = Figure::new(Notices::of_page(), Draft::of(look(&asked)));
    let replay = ReplayOfOne::new(Notices::of_page(), Setup::of(look(&asked)));
    // What the address was last seen to say, and what is to be written there: neither is a wish of the visitor's.
    let (seen, mine) = (StoredValue::new(asked.clone()), StoredValue::new(asked));
    Effect::new(move |_| {
        let mut values = figure.draft.with(Draft::address);
        values.extend(replay.setup.with(Setup::address));
        mine.set_value(values.clone());
        address::put(PREFIX, values);
    });
    address::follow(move || {
        let now = present();
        let known = |of: StoredValue<Vec<_>>| of.try_get_value().is_none_or(|known| known == now);
        if known(seen) {
            return;
        }
        seen.set_value(now.clone());
        if known(mine) {
            return;
        }
        figure.adopt(Draft::of(look(&now)));
        replay.adopt(Setup::of(look(&now)));
    });
    figure.go_if_asked();
    view! {
        <section aria-labelledby="coupling-title">
            <div class="ruled">
                <h2 id="coupling-title">"Coupling"</h2>
                <p>"Two chains that share their random numbers until they meet: how long that takes, and what it is for."</p>
            </div>
            <FigureOfCouplings figure />
        </section>
        <section class="coupling-one" aria-labelledby="replay-title">
            <div class="ruled">
                <h2 id="replay-title">"One coupling, step by step"</h2>
                <p>"On a model small enough to be seen whole: what is proposed, who accepts, and when they meet."</p>
            </div>
            <OneCoupling replay />
        </section>
        <Explanation view=View::Coupling />
    }
}
