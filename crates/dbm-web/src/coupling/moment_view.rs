//! One moment of a coupling: both chains as rows of cells, the proposal, and rulers of `u` and of the energy.

use super::moments::{ChainState, ReplayMoment, decision, probability};
use super::replay_settings::ReplaySettings;
use crate::canvas::{fixed, short};
use crate::ui::number::subscript;
use dbm_core::Units;
use leptos::prelude::*;

/// What all moments of a replay share: the settings, and the lowest and highest energy.
pub type ReplayFrame = (ReplaySettings, (f64, f64));
/// A moment and the one before it.
pub type Moments = (ReplayMoment, Option<ReplayMoment>);

/// The states of both chains as rows of cells, before and after the moment.
pub fn rows((settings, _): &ReplayFrame, (moment, last): &Moments) -> impl IntoView + use<> {
    let name = |chain: &str, back: u32| {
        moment.step.and_then(|t| t.checked_sub(back)).map(|t| format!("{chain}{}", subscript(t as usize)))
    };
    let (before, after) = match moment.step {
        None => ("x before".to_string(), "x now".to_string()),
        Some(_) => (name("x", 1).unwrap_or_default(), name("x", 0).unwrap_or_default()),
    };
    let [y_before, y_after] = [(2, "y before"), (1, "y now")].map(|(back, none)| name("y", back).unwrap_or_else(|| none.into()));
    let (x, y) = (last.as_ref().map(|last| &last.x), last.as_ref().and_then(|last| last.y.as_ref()));
    view! {
        {row(settings, &before, x, None, None)}
        {row(settings, &after, Some(&moment.x), x, None)}
        {settings.proposes().then(|| row(settings, "x′", moment.proposal.as_ref(), None, None))}
        {row(settings, &y_before, y, None, None)}
        {row(settings, &y_after, moment.y.as_ref(), y, moment.step.map(|_| &moment.x))}
    }
}

/// A state, one cell per unit, layer by layer. Units that flipped since `before` are underlined; units that differ from `other`
/// have a ring.
fn row(
    settings: &ReplaySettings,
    name: &str,
    state: Option<&ChainState>,
    before: Option<&ChainState>,
    other: Option<&ChainState>,
) -> impl IntoView + use<> {
    let signs = if settings.units == Units::Bits { ["0", "1"] } else { ["−", "+"] };
    let mut at = 0;
    let mut spoken: Vec<String> = Vec::new();
    let layers: Vec<_> = settings
        .sizes
        .iter()
        .enumerate()
        .map(|(layer, &size)| {
            let mut values: Vec<&str> = Vec::new();
            let cells: Vec<_> = (0..size)
                .map(|_| {
                    let of = |state: Option<&ChainState>| state.and_then(|state| state.state.get(at).copied());
                    let bit = of(state);
                    let changed = |other: Option<u8>| other.is_some() && bit.is_some() && other != bit;
                    let (flipped, differs) = (changed(of(before)), changed(of(other)));
                    at += 1;
                    let sign = bit.map_or("", |bit| signs[usize::from(bit == 1)]);
                    values.push(sign);
                    let (high, none) = (bit == Some(1), bit.is_none());
                    view! {
                        <i class="cell" class:high=high class:none=none class:flipped=flipped class:differs=differs>
                            {sign}
                        </i>
                    }
                })
                .collect();
            let of = if layer == 0 { "visible".to_string() } else { format!("hidden {layer}") };
            spoken.push(format!("{of} {}", values.join(" ")));
            view! { <span class="layer">{cells}</span> }
        })
        .collect();
    let label = if state.is_some() { format!("{name}: {}", spoken.join(", ")) } else { format!("{name}: not yet") };
    let energy = state.map_or_else(String::new, |state| format!("E = {}", fixed(state.energy, 3)));
    view! {
        <div class="cells-row" class:absent=state.is_none()>
            <b>{name.to_string()}</b>
            <span class="cells" role="img" aria-label=label>
                {layers}
            </span>
            <span class="number">{energy}</span>
        </div>
    }
}

/// The rulers below the rows: `u` with the acceptance probabilities, the overlap, the energies.
pub fn rulers((settings, energies): &ReplayFrame, (moment, last): &Moments) -> impl IntoView + use<> {
    let decided = |chain: &str, below: Option<f64>| {
        let u = moment.u.map(|(u, ..)| u);
        let words = match (u, below) {
            (Some(u), Some(below)) => decision(u, below),
            _ => "–".into(),
        };
        track(&format!("{chain} accepts below"), below, u.map(|u| (share(u, (0.0, 1.0)), "line")).as_slice(), words)
    };
    let u = settings.proposes().then(|| {
        let marks: Vec<(f64, &str)> = moment.u.map(|(u, ..)| (u, "u")).into_iter().collect();
        view! {
            <div
                class="ruler"
                data-help="One uniform number u for both chains: a chain accepts the proposal if u lies below min(1, exp(E(state) − E(x′)))."
            >
                {track("u", None, &marks, moment.u.map_or_else(|| "–".into(), |(u, ..)| probability(u)))}
                {decided("x", moment.u.map(|(_, x, _)| x))}
                {decided("y", moment.u.and_then(|(_, _, y)| y))}
                {ends("0", "1")}
            </div>
        }
    });
    let overlap = (!settings.proposes()).then(|| {
        let words = match moment.overlap {
            Some((overlap, shared)) => {
                let drawn = if moment.step == Some(1) {
                    "x alone"
                } else if shared {
                    "as one"
                } else {
                    "apart"
                };
                overlap.map_or_else(|| drawn.to_string(), |overlap| format!("{} {drawn}", probability(overlap)))
            }
            None => "–".into(),
        };
        view! {
            <div
                class="ruler"
                data-help="Overlap of the two distributions of the even layers: the largest probability that one draw can serve both chains. Otherwise each chain draws apart, from what the other’s distribution lacks."
            >
                {track("overlap", moment.overlap.and_then(|(overlap, _)| overlap), &[], words)}
                {ends("0", "1")}
            </div>
        }
    });
    let place = |state: Option<&ChainState>, kind: &'static str| state.map(|state| (share(state.energy, *energies), kind));
    let moved = |before: Option<&ChainState>, after: Option<&ChainState>| {
        let marks: Vec<(f64, &str)> = [place(before, "before"), place(after, "after")].into_iter().flatten().collect();
        let words = match (before, after) {
            (Some(before), Some(after)) => format!("{} → {}", short(before.energy), short(after.energy)),
            (None, Some(after)) => short(after.energy),
            _ => "–".into(),
        };
        (marks, words)
    };
    let (x_marks, x_words) = moved(last.as_ref().map(|last| &last.x), Some(&moment.x));
    let (y_marks, y_words) = moved(last.as_ref().and_then(|last| last.y.as_ref()), moment.y.as_ref());
    let proposed = settings.proposes().then(|| {
        let marks: Vec<(f64, &str)> = place(moment.proposal.as_ref(), "proposed").into_iter().collect();
        track("E of x′", None, &marks, moment.proposal.as_ref().map_or_else(|| "–".into(), |state| short(state.energy)))
    });
    view! {
        {u}
        {overlap}
        <div class="ruler" data-help="Energies on one axis: the further to the left, the more probable the state. A ring is before the step, a dot after it.">
            {track("E of x", None, &x_marks, x_words)}
            {proposed}
            {track("E of y", None, &y_marks, y_words)}
            {ends(&short(energies.0), &short(energies.1))}
        </div>
    }
}

/// Position of a value between two others, 0 to 1.
fn share(value: f64, (low, high): (f64, f64)) -> f64 {
    ((value - low) / (high - low)).clamp(0.0, 1.0)
}

/// A line of a ruler: its name, its filled part, its marks, and the same in words.
fn track(name: &str, fill: Option<f64>, marks: &[(f64, &str)], words: String) -> impl IntoView + use<> {
    let percent = |share: f64| format!("{:.2}%", 100.0 * share.clamp(0.0, 1.0));
    let marks: Vec<_> = marks
        .iter()
        .map(|(at, kind)| {
            let class = format!("mark {kind}");
            view! { <i class=class style:left=percent(*at)></i> }
        })
        .collect();
    view! {
        <div class="track-line">
            <b>{name.to_string()}</b>
            <span class="track" aria-hidden="true">
                <i class="fill" class:none=fill.is_none() style:width=percent(fill.unwrap_or(0.0))></i>
                {marks}
            </span>
            <span class="number">{words}</span>
        </div>
    }
}

/// What the ends of the tracks above mean.
fn ends(low: &str, high: &str) -> impl IntoView + use<> {
    view! {
        <div class="track-line ends" aria-hidden="true">
            <b></b>
            <span>
                <i>{low.to_string()}</i>
                <i>{high.to_string()}</i>
            </span>
            <span></span>
        </div>
    }
}
