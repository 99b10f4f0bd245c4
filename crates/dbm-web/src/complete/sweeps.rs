//! Quality against sweeps: the same chains, started from noise, after more and more Gibbs sweeps, and since when they have
//! stopped changing. This shows whether the samples are in equilibrium: if they are, they look the same after 50 sweeps as after
//! 10 000.

use super::looks::{Looks, LooksFold};
use super::state::CompletionState;
use crate::canvas::shape::Shape;
use crate::canvas::{fixed, shows, tiles};
use dbm_core::complete::unchanged_since;
use dbm_core::math::mean_and_error;
use dbm_protocol::{Command, Event, Greys, Grid, ModelChoice, Swept, fresh_seed};
use leptos::html::Canvas;
use leptos::prelude::*;

/// The numbers of sweeps after which the chains are shown.
const SWEEPS: [u32; 6] = [1, 10, 50, 300, 2000, 10_000];
/// Number of chains, for the statistics.
const CHAINS: u32 = 64;
/// How many of them are shown, and how many side by side.
const SHOWN: (u32, usize) = (36, 6);

/// The fold: a button, the samples as they arrive, and the conclusion from them. Shown only for images.
pub fn against_sweeps(state: CompletionState) -> impl IntoView {
    let session = state.session;
    let is_image = Memo::new(move |_| session.about().as_ref().is_some_and(|about| about.image.is_some()));
    // Results for one model say nothing about another.
    let trains = Memo::new(move |_| session.models.model.get() == ModelChoice::Training && session.run.running.get());
    let of = Memo::new(move |_| {
        (session.models.model.get(), trains.get(), session.about().as_ref().map(|about| (about.sizes.clone(), about.steps)))
    });
    let looks = Looks::of(session, of);
    let start = move || {
        let (model, seed) = (session.models.model.get_untracked(), fresh_seed());
        let commands = SWEEPS.map(|sweeps| Command::Sweeps { model, count: CHAINS, sweeps, seed });
        looks.start(commands.to_vec(), |event| if let Event::Swept(swept) = event { Some(swept) } else { None });
    };
    // Progress over all looks. Each starts from noise again, which costs a fifth, but nobody has to keep the chains.
    let parts = Signal::derive(move || {
        let before: u32 = SWEEPS.iter().take(looks.came.with(Vec::len)).sum();
        (before + looks.work.parts().0, SWEEPS.iter().sum())
    });
    let figure = move |place: usize| {
        let canvas = NodeRef::<Canvas>::new();
        let shown = move || looks.came.with(|looks| looks.get(place).map(|look| Grid { count: SHOWN.0, ..look.samples.clone() }));
        shows(canvas, shown, |surface, colours, grid| tiles(surface, colours, &grid, SHOWN.1));
        let ratio = move || {
            let shape = session.about().as_ref().map_or_else(|| Shape::of((28, 28), Greys::default()), Shape::of_model);
            shape.ratio(SHOWN.1, (SHOWN.0 as usize).div_ceil(SHOWN.1))
        };
        let sweeps = format!("{} {}", SWEEPS[place], if SWEEPS[place] == 1 { "sweep" } else { "sweeps" });
        let label = format!("Samples after {sweeps} from noise");
        view! {
            <figure>
                <canvas node_ref=canvas class="samples" style:aspect-ratio=ratio role="img" aria-label=label></canvas>
                <figcaption data-longest="10000 sweeps: energy −15900.0 ± 10.0, 100.0 ± 10.0 pixels high">
                    <span>
                        <b>{sweeps}</b>
                        {move || looks.came.with(|looks| looks.get(place).map_or_else(String::new, describe))}
                    </span>
                </figcaption>
            </figure>
        }
    };
    view! {
        <LooksFold
            running=looks.running
            on_cancel=move |()| looks.stop()
            class="against-sweeps"
            title="Quality against sweeps"
            about="A model in equilibrium looks the same after any large number of Gibbs sweeps. Each grid shows the same chains from noise, after a local search from their current states; energy and pixels are those before the search. Steady numbers are no proof: check whether digits still turn into others."
            hidden=Signal::derive(move || !is_image.get())
            button="Run the chains"
            button_help="64 chains from noise, shown after 1, 10, 50, 300, 2000 and 10 000 Gibbs sweeps. Not while this model trains."
            disabled=Signal::derive(move || state.lacks_model() || trains.get())
            on_press=move |()| start()
            counted="Gibbs sweeps made"
            parts
            status=Signal::derive(move || looks.came.with(|came| verdict(came, looks.running.get())))
        >
            {(0..SWEEPS.len()).map(figure).collect_view()}
        </LooksFold>
    }
}

/// Mean and standard error, formatted.
fn mean(values: &[f64]) -> String {
    let (mean, error) = mean_and_error(values);
    format!("{} ± {}", fixed(mean, 1), fixed(error, 1))
}

fn describe(look: &Swept) -> String {
    format!(": energy {}, {} pixels high", mean(&look.energies), mean(&look.high))
}

/// Whether the chains have stopped changing, and since when.
fn verdict(looks: &[Swept], running: bool) -> String {
    let Some(last) = looks.last() else {
        return if running { "The chains are running." } else { "64 chains, 12 361 sweeps in all." }.into();
    };
    let since = |of: fn(&Swept) -> &Vec<f64>| unchanged_since(&looks.iter().map(|look| of(look).clone()).collect::<Vec<_>>());
    match since(|look| &look.energies).zip(since(|look| &look.high)) {
        Some((energies, high)) => format!(
            "From {} to {} sweeps, energy and pixels changed by at most two standard errors.",
            looks[energies.max(high)].sweeps,
            last.sweeps
        ),
        None if looks.len() == 1 => "The first look; the second shows whether they still change.".into(),
        None => format!("After {} sweeps, energy or pixels are still changing.", last.sweeps),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_are_said_to_stand_still_since_the_first_look_like_the_last() {
        let look = |sweeps, energies: [f64; 3]| {
            let (image, bits) = ((2, 2), vec![0; 12]);
            let samples = Grid { model: ModelChoice::Pretrained, step: 0, count: 3, image, greys: Greys::default(), bits };
            Swept { sweeps, samples, energies: energies.to_vec(), high: vec![1.0, 2.0, 3.0] }
        };
        let looks = [look(1, [9.0, 9.1, 9.2]), look(10, [3.0, 3.2, 3.1]), look(50, [3.1, 3.1, 3.0])];
        assert!(
            verdict(&looks, false).ends_with("From 10 to 50 sweeps, energy and pixels changed by at most two standard errors.")
        );
        assert!(verdict(&looks[..2], true).ends_with("After 10 sweeps, energy or pixels are still changing."));
        assert!(verdict(&looks[..1], true).starts_with("The first look"));
        assert_eq!(describe(&looks[0]), ": energy 9.1 ± 0.1, 2.0 ± 0.6 pixels high");
    }
}
