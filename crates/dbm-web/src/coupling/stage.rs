//! One moment of a coupling: both chains as rows of cells, what was proposed, and rulers of `u` and of the energy.

use super::scenes::{Scene, Seen, lowered, near};
use crate::canvas::short;
use dbm_core::Units;
use leptos::prelude::*;

/// What every moment of a replay has in common.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// Layer sizes.
    pub sizes: Vec<u32>,
    /// Kind of units.
    pub units: Units,
    /// Whether the pair moves by proposals.
    pub proposes: bool,
    /// Lowest and highest energy of all moments.
    pub energies: (f64, f64),
}

/// The rows of cells.
pub fn rows(frame: &Frame, scene: &Scene) -> impl IntoView + use<> {
    let name = |chain: &str, back: u32| scene.step.and_then(|t| t.checked_sub(back)).map(|t| format!("{chain}{}", lowered(t)));
    let (before, after) = match scene.step {
        None => ("before".to_string(), "now".to_string()),
        Some(_) => (name("x", 1).unwrap_or_default(), name("x", 0).unwrap_or_default()),
    };
    let seen_before = |seen: &(Option<Seen>, Seen)| seen.0.clone();
    let x_before = seen_before(&scene.x);
    let flipped_x = x_before.as_ref().map(|seen| seen.state.clone());
    let (y_before, y_after) = scene.y.clone();
    let flipped_y = y_before.as_ref().map(|seen| seen.state.clone());
    let others = scene.step.map(|_| scene.x.1.state.clone());
    view! {
        {row(frame, &before, x_before.as_ref(), None, None)}
        {row(frame, &after, Some(&scene.x.1), flipped_x.as_deref(), None)}
        {frame.proposes.then(|| row(frame, "x′", scene.proposal.as_ref(), None, None))}
        {row(frame, &name("y", 2).unwrap_or_else(|| "y".into()), y_before.as_ref(), None, None)}
        {row(frame, &name("y", 1).unwrap_or_else(|| "y".into()), y_after.as_ref(), flipped_y.as_deref(), others.as_deref())}
    }
}

/// A state: a cell a unit, layer by layer. Units that flipped since `before` are underlined, those in which it differs from `other` ringed.
fn row(frame: &Frame, name: &str, seen: Option<&Seen>, before: Option<&[u8]>, other: Option<&[u8]>) -> impl IntoView + use<> {
    let signs = if frame.units == Units::Bits { ["0", "1"] } else { ["−", "+"] };
    let mut at = 0;
    let mut told: Vec<String> = Vec::new();
    let layers: Vec<_> = frame
        .sizes
        .iter()
        .enumerate()
        .map(|(layer, &size)| {
            let mut values: Vec<&str> = Vec::new();
            let cells: Vec<_> = (0..size)
                .map(|_| {
                    let of = |state: Option<&[u8]>| state.and_then(|state| state.get(at).copied());
                    let bit = of(seen.map(|seen| seen.state.as_slice()));
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
            told.push(format!("{of} {}", values.join(" ")));
            view! { <span class="layer">{cells}</span> }
        })
        .collect();
    let label = if seen.is_some() { format!("{name}: {}", told.join(", ")) } else { format!("{name}: not yet") };
    let energy = seen.map_or_else(String::new, |seen| format!("E = {}", three(seen.energy)));
    view! {
        <div class="cells-row" class:absent=seen.is_none()>
            <b>{name.to_string()}</b>
            <span class="cells" role="img" aria-label=label>
                {layers}
            </span>
            <span class="number">{energy}</span>
        </div>
    }
}

/// Three places behind the point.
pub fn three(value: f64) -> String {
    format!("{value:.3}").replace('-', "−")
}

/// The rulers below the rows.
pub fn rulers(frame: &Frame, scene: &Scene) -> impl IntoView + use<> {
    let decided = |chain: &str, below: Option<f64>| {
        let u = scene.u.map(|(u, ..)| u);
        let words = match (u, below) {
            (Some(u), Some(below)) => format!("{} {}", near(below), if u < below { "accepts" } else { "refuses" }),
            _ => "–".into(),
        };
        track(&format!("{chain} accepts below"), below, u.map(|u| (share(u, (0.0, 1.0)), "line")).as_slice(), words)
    };
    let u = frame.proposes.then(|| {
        let marks: Vec<(f64, &str)> = scene.u.map(|(u, ..)| (u, "u")).into_iter().collect();
        view! {
            <div
                class="ruler"
                data-help="One uniform number u for both chains: a chain accepts the proposal where u lies below min(1, exp(E(state) − E(x′)))."
            >
                {track("u", None, &marks, scene.u.map_or_else(|| "–".into(), |(u, ..)| near(u)))}
                {decided("x", scene.u.map(|(_, x, _)| x))}
                {decided("y", scene.u.and_then(|(_, _, y)| y))}
                {ends("0", "1")}
            </div>
        }
    });
    let overlap = (!frame.proposes).then(|| {
        let words = match scene.overlap {
            Some((overlap, shared)) => {
                let drawn = if scene.step == Some(1) {
                    "x alone"
                } else if shared {
                    "as one"
                } else {
                    "apart"
                };
                overlap.map_or_else(|| drawn.to_string(), |overlap| format!("{} {drawn}", near(overlap)))
            }
            None => "–".into(),
        };
        view! {
            <div
                class="ruler"
                data-help="Overlap of the two laws of the even layers: the largest probability with which both chains can be given the same draw, as one; otherwise each is drawn apart, from what the other law lacks."
            >
                {track("overlap", scene.overlap.and_then(|(overlap, _)| overlap), &[], words)}
                {ends("0", "1")}
            </div>
        }
    });
    let place = |seen: Option<&Seen>, kind: &'static str| seen.map(|seen| (share(seen.energy, frame.energies), kind));
    let moved = |before: Option<&Seen>, after: Option<&Seen>| {
        let marks: Vec<(f64, &str)> = [place(before, "before"), place(after, "after")].into_iter().flatten().collect();
        let words = match (before, after) {
            (Some(before), Some(after)) => format!("{} → {}", short(before.energy), short(after.energy)),
            (None, Some(after)) => short(after.energy),
            _ => "–".into(),
        };
        (marks, words)
    };
    let (x_marks, x_words) = moved(scene.x.0.as_ref(), Some(&scene.x.1));
    let (y_marks, y_words) = moved(scene.y.0.as_ref(), scene.y.1.as_ref());
    let proposed = frame.proposes.then(|| {
        let marks: Vec<(f64, &str)> = place(scene.proposal.as_ref(), "proposed").into_iter().collect();
        track("E of x′", None, &marks, scene.proposal.as_ref().map_or_else(|| "–".into(), |seen| short(seen.energy)))
    });
    view! {
        {u}
        {overlap}
        <div class="ruler" data-help="Energies on one axis: the further to the left, the more probable the state. A ring is before the step, a dot after it.">
            {track("E of x", None, &x_marks, x_words)}
            {proposed}
            {track("E of y", None, &y_marks, y_words)}
            {ends(&short(frame.energies.0), &short(frame.energies.1))}
        </div>
    }
}

/// Where a value lies between two others, 0 to 1.
fn share(value: f64, (low, high): (f64, f64)) -> f64 {
    ((value - low) / (high - low)).clamp(0.0, 1.0)
}

/// A line of a ruler: its name, how far it is filled, marks on it, and the same in words.
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

/// What the ends of the tracks above are.
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
