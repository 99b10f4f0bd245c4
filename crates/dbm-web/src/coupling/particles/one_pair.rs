//! One pair, run by run: the runs offered, who accepts them, and how often each run counts.

use super::super::moments::{decision, probability};
use super::change::layer;
use super::state::Particles;
use crate::canvas::shape::Shape;
use crate::canvas::{fixed, shows_layer};
use crate::ui::button::Button;
use crate::ui::table::{NumberTable, headings, row};
use dbm_core::diagnostics::{OfferedRun, RunPair, acceptance_probability};
use leptos::html::Canvas;
use leptos::prelude::*;

/// Most pictures of runs shown for a pair.
const MOST_PICTURES: usize = 24;

/// One pair, step by step: the run offered, and who accepts it.
pub fn one_pair(particles: Particles) -> impl IntoView {
    let form = particles.form();
    let pair = Memo::new(move |_| particles.pair());
    let none = Signal::derive(move || pair.with(Option::is_none));
    let shape = Memo::new(move |_| particles.shape());
    let go = move |to: Option<u32>| {
        if let Some(to) = to {
            form.set("pair", (to + 1).to_string());
        }
    };
    let beside = move |forward: bool| {
        let now = pair.with_untracked(|pair| pair.as_ref().map_or(0, |(number, _)| *number));
        untrack(|| {
            particles.read(|settings, results| {
                let mut all = results.some(settings.count).map(|(number, _)| number);
                if forward { all.find(|&number| number > now) } else { all.take_while(|&number| number < now).last() }
            })
        })
    };
    let longest = move || untrack(|| particles.read(|settings, results| results.longest(settings.count)));
    let message = move || {
        pair.with(|pair| {
            pair.as_ref().map(|(number, RunPair { meeting, .. })| {
                let came_to = if meeting.capped {
                    format!("cut at {} steps", meeting.time)
                } else {
                    format!("met at τ = {}", meeting.time)
                };
                format!("Pair {}: {came_to}.", number + 1)
            })
        })
    };
    view! {
        <div class="particles-pair">
            <div class="particles-status">
                <h3>"One pair, step by step"</h3>
                <div class="buttons" role="group" aria-label="Which pair">
                    <Button label="Pair before" disabled=none on_press=move |()| go(beside(false)) />
                    <Button label="Next pair" disabled=none on_press=move |()| go(beside(true)) />
                    <Button label="The longest" disabled=none on_press=move |()| go(longest()) />
                </div>
                <p role="status">{message}</p>
            </div>
            <div class="particles-runs" tabindex="0" role="region" aria-label="Runs of the pair">
                {move || match (shape.get(), pair.get()) {
                    (Some(shape), Some((_, pair))) => pictures(shape, &pair).into_any(),
                    (_, None) => view! { <p class="help empty">"No pairs yet. Press Couple runs."</p> }.into_any(),
                    (None, _) => view! { <p class="help empty">"This model’s states are not pictures: see the table."</p> }.into_any(),
                }}
            </div>
            <p class="help">"What each run shows, and how often it counts in the corrected estimate; X accepted those with a frame."</p>
            <NumberTable label="All steps of the pair" headings=headings(include_str!("steps.txt")) class="steps">
                {move || pair.with(|pair| pair.as_ref().map(|(_, pair)| steps(pair)))}
            </NumberTable>
        </div>
    }
}

/// Pictures of a pair's runs, each with how often it counts.
fn pictures(shape: Shape, pair: &RunPair) -> impl IntoView + use<> {
    let one = |(place, run): (usize, &OfferedRun)| {
        let canvas = NodeRef::<Canvas>::new();
        let shares: Vec<f64> = run.picture.iter().map(|&high| f64::from(high)).collect();
        let shown = StoredValue::new(layer(shape, shares));
        shows_layer(canvas, move || Some(shown.get_value()));
        let counts = times(run.times);
        let taken = place == 0 || pair.steps.get(place - 1).is_some_and(|step| step.accepted(place as u32)[0]);
        view! {
            <figure class:taken=taken>
                <canvas
                    node_ref=canvas
                    class="samples"
                    style:aspect-ratio=shape.ratio(1, 1)
                    role="img"
                    aria-label=format!("Run {place}, which counts {counts} times{}", if taken { ", and which X took" } else { "" })
                ></canvas>
                <figcaption>
                    <b>{place}</b>
                    {format!(" × {counts}")}
                </figcaption>
            </figure>
        }
    };
    let left = pair.runs.len().saturating_sub(MOST_PICTURES);
    let more = (left > 0).then(|| view! { <p class="help empty">{format!("{left} more are in the table only.")}</p> });
    view! {
        {pair.runs.iter().enumerate().take(MOST_PICTURES).map(one).collect_view()}
        {more}
    }
}

fn times(count: f64) -> String {
    // Avoids a minus sign before a number that rounds to zero.
    fixed((100.0 * count).round() / 100.0 + 0.0, 2)
}

/// The start and every step.
fn steps(pair: &RunPair) -> impl IntoView + use<> {
    let run = |t: usize| pair.runs.get(t).map_or_else(Default::default, |run| (fixed(run.log_z, 2), times(run.times)));
    let none = || String::from("–");
    let (log_z, counts) = run(0);
    let mut all = vec![row("0", [log_z, none(), none(), none(), "run 0".into(), none(), counts])];
    for (step, t) in pair.steps.iter().zip(1..) {
        let decided = |log: f64| decision(step.u, acceptance_probability(log));
        let (log_z, counts) = run(t);
        all.push(row(
            &t.to_string(),
            [
                log_z,
                probability(step.u),
                decided(step.log_accept_x),
                step.log_accept_y.map_or_else(none, decided),
                format!("run {}", step.x),
                format!("run {}", step.y),
                counts,
            ],
        ));
    }
    all
}
