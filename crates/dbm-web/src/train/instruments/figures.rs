//! Meeting times and search lengths of the recent gradient steps, both phases, live.

use crate::canvas::bins::Summary;
use crate::canvas::{Scale, fixed};
use crate::ui::histogram::phases;
use crate::ui::term::Term;
use crate::worker::session::Session;
use dbm_core::gradient::{EstimatorKind, EstimatorSettings};
use dbm_core::settings::Setting;
use dbm_protocol::{Histogram, Metrics, PhaseMetrics};
use leptos::prelude::*;

/// Units in all, up to which couplings occasionally take more than one step.
const SMALL: u32 = 30;

/// A figure of the recent steps' counts: bars of both phases, their numbers, and words about them.
struct Figure {
    /// Id of its heading.
    id: &'static str,
    /// Its heading, and the name of what is counted.
    titles: fn(EstimatorKind) -> [&'static str; 2],
    help: &'static str,
    /// Names of the bars, also for screen readers.
    label: [&'static str; 2],
    /// How bar lengths follow counts.
    scale: Scale,
    /// The histogram of a phase to show.
    of: fn(&PhaseMetrics) -> &Histogram,
    /// Why the estimator leaves this histogram empty in the positive and in the negative phase.
    why: fn(EstimatorKind) -> [Option<&'static str>; 2],
    /// Headings of the table's columns.
    heads: fn(EstimatorKind) -> Vec<&'static str>,
    /// The cells of a phase's row; `None` for an empty one.
    cells: fn(EstimatorKind, &PhaseMetrics) -> Vec<Option<String>>,
    /// What the caps have done to the recent steps; empty if none was reached.
    warning: fn(&Metrics, &EstimatorSettings) -> String,
    /// A line about the figure, depending on whether the model is small.
    about: fn(EstimatorKind, bool) -> Option<&'static str>,
}

/// How long the two chains of each coupling took to meet.
const MEETING_TIME: Figure = Figure {
    id: "meeting-title",
    titles: |_| ["Meeting time", "τ in steps, log scale"],
    help: "Steps until the two coupled chains of an estimate meet; 1 is at once. Bars are on a log scale, so that the tail shows; those cut at the cap are apart, at the right.",
    label: ["Histogram of meeting times", "Histogram of meeting times; the table below has the numbers"],
    scale: Scale::Logarithmic,
    of: |phase| &phase.meeting_time,
    why: |kind| [kind.words_of_plots("no meeting"); 2],
    heads: |kind| vec!["mean", "max", "τ > 1", if kind.has(Setting::MaxTries) { "tries cut" } else { "accepted" }, "cut"],
    cells: |kind, phase| {
        if phase.meeting_time.counts.is_empty() {
            return Vec::new();
        }
        let all = Summary::of(&[&phase.meeting_time]);
        let cut = if kind.has(Setting::MaxTries) { Some(phase.tries_capped.to_string()) } else { phase.acceptance.map(percent) };
        let capped = Some(all.capped.to_string());
        vec![Some(format!("{:.2}", all.mean)), Some(all.max.to_string()), Some(percent(all.above_one)), cut, capped]
    },
    warning: |metrics, estimator| meeting_warning(metrics, estimator.max_tries),
    about: |kind, small| {
        let on_small = if small { kind.words_of_plots("meeting on a small model") } else { None };
        on_small.or_else(|| kind.words_of_plots("meeting"))
    },
};

/// How many sweeps the local searches took, or how many mean-field iterations if the estimator uses those.
const SEARCH_SWEEPS: Figure = Figure {
    id: "sweeps-title",
    titles: |kind| {
        let mean_field = kind.has(Setting::MeanFieldSweeps);
        if mean_field { ["Mean-field sweeps", "sweeps until it settles"] } else { ["Search sweeps", "T until nothing changes"] }
    },
    help: "Sweeps that each search for a local mode took, the last of which changed nothing; those cut at the cap are apart, at the right.",
    label: ["Histogram of sweeps", "Histogram of sweeps; the table below has the numbers"],
    scale: Scale::Linear,
    of: lengths,
    why: no_search,
    heads: |_| vec!["mean", "max", "energy", "cut"],
    cells: |_, phase| {
        let (lengths, energy) = (lengths(phase), phase.energy.map(|energy| fixed(energy, 1)));
        let all = Some(Summary::of(&[lengths])).filter(|_| !lengths.counts.is_empty());
        vec![
            all.map(|all| format!("{:.1}", all.mean)),
            all.map(|all| all.max.to_string()),
            energy,
            all.map(|all| all.capped.to_string()),
        ]
    },
    warning: |metrics, estimator| search_warning(metrics, estimator.kind),
    about: |kind, _| kind.words_of_plots("search"),
};

/// Meeting times, and search sweeps.
pub fn both_figures(session: Session) -> impl IntoView {
    [&MEETING_TIME, &SEARCH_SWEEPS].map(|of| figure(session, of)).into_iter().collect_view()
}

fn figure(session: Session, figure: &'static Figure) -> impl IntoView {
    // The estimator of the present run, whatever the form says by now.
    let estimator = Memo::new(move |_| {
        session.run.plan.with(|plan| plan.as_ref().map(|plan| plan.settings.estimator.clone())).unwrap_or_default()
    });
    let kind = Memo::new(move |_| estimator.with(|estimator| estimator.kind));
    let small = move || {
        session.models.training.with(|about| about.as_ref().is_some_and(|about| about.sizes.iter().sum::<u32>() <= SMALL))
    };
    let title = move |place: usize| (figure.titles)(kind.get())[place].to_string();
    let help = Signal::derive(move || format!("{} {}", figure.help, (figure.about)(kind.get(), small()).unwrap_or_default()));
    view! {
        <section class="figure" aria-labelledby=figure.id data-tour=figure.id.strip_suffix("-title")>
            <div class="figure-head">
                <h3 id=figure.id>
                    <Term words=Signal::derive(move || title(0)) help />
                </h3>
                <p class="figures-text">{move || title(1)}</p>
            </div>
            {plot(session, figure, kind)}
            {table(session, figure, kind)}
            <p class="help problem">
                {move || session.run.metrics.with(|metrics| estimator.with(|estimator| (figure.warning)(metrics, estimator)))}
            </p>
        </section>
    }
}

/// A share in per cent, with the decimals that fit a narrow column.
fn percent(share: f64) -> String {
    match 100.0 * share {
        0.0 => "0 %".into(),
        small if small < 10.0 => format!("{small:.2} %"),
        large => format!("{large:.1} %"),
    }
}

/// Why the positive and the negative phase have no search lengths, if they have none.
fn no_search(kind: EstimatorKind) -> [Option<&'static str>; 2] {
    ["no positive search", "no negative search"].map(|place| kind.words_of_plots(place))
}

/// A phase's search lengths, or its numbers of mean-field iterations.
fn lengths(phase: &PhaseMetrics) -> &Histogram {
    if phase.mean_field.counts.is_empty() { &phase.sweeps } else { &phase.mean_field }
}

/// How many values of both phases were cut, how many there are, and the cap.
fn cut(metrics: &Metrics, of: fn(&PhaseMetrics) -> &Histogram) -> (u32, u64, u32) {
    let both = [&metrics.positive, &metrics.negative].map(of);
    let all = Summary::of(&both);
    (all.capped, all.total, both[1].cap)
}

/// What the caps have done to the recent steps' couplings; empty if none was reached.
fn meeting_warning(metrics: &Metrics, max_tries: u32) -> String {
    let (capped, total, cap) = cut(metrics, |phase| &phase.meeting_time);
    let tries = metrics.positive.tries_capped + metrics.negative.tries_capped;
    let couplings = (capped > 0).then(|| {
        format!("{capped} of {total} couplings were cut at {cap}, and their estimates are biased: a larger cap cuts fewer.")
    });
    let draws = (tries > 0).then(|| format!("{tries} coupled draws were cut at {max_tries} tries, which also biases."));
    couplings.into_iter().chain(draws).collect::<Vec<_>>().join(" ")
}

/// What the caps have done to the recent steps' searches or mean-field iterations.
fn search_warning(metrics: &Metrics, kind: EstimatorKind) -> String {
    match (cut(metrics, lengths), kind) {
        ((0, ..), _) => String::new(),
        ((capped, total, _), kind) if kind.has(Setting::MeanFieldSweeps) => {
            let cap = metrics.positive.mean_field.cap;
            format!("{capped} of {total} iterations were cut at {cap} before they had settled, and used as they were.")
        }
        ((capped, total, cap), kind) if kind.is_unbiased() => {
            format!("{capped} of {total} searches were cut at {cap}, short of a mode. This causes no bias.")
        }
        ((capped, total, cap), _) => format!("{capped} of {total} searches were cut at {cap}, short of a mode."),
    }
}

/// Both phases' bars.
fn plot(session: Session, &Figure { label, scale, of, why, .. }: &'static Figure, kind: Memo<EstimatorKind>) -> impl IntoView {
    let both = move || session.run.metrics.with(|metrics| [of(&metrics.positive).clone(), of(&metrics.negative).clone()]);
    let rbm = move || session.models.training.with(|about| about.as_ref().is_some_and(|about| about.sizes.len() == 2));
    let notes = Memo::new(move |_| session.run.metrics.with(|metrics| notes(metrics, of, why(kind.get()), rbm())));
    view! { <div class="plot">{phases(label, scale, both, move || notes.get())}</div> }
}

/// What the empty halves of a plot mean: the upper half is the positive phase.
fn notes(metrics: &Metrics, of: fn(&PhaseMetrics) -> &Histogram, why: [Option<&'static str>; 2], rbm: bool) -> [&'static str; 2] {
    let none = |phase: &PhaseMetrics| of(phase).counts.is_empty();
    let (positive, negative) = (none(&metrics.positive), none(&metrics.negative));
    let upper = match why[0] {
        _ if !positive => "",
        Some(why) => why,
        None if rbm && metrics.recent_steps > 0 => "With one hidden layer the positive phase is exact and needs no chain.",
        None => "Shown while training.",
    };
    let lower = match why[1] {
        Some(why) if negative && why != upper => why,
        _ => "",
    };
    [upper, lower]
}

/// The numbers, phase by phase.
fn table(session: Session, figure: &'static Figure, kind: Memo<EstimatorKind>) -> impl IntoView {
    let of = figure.of;
    let columns = 0..(figure.heads)(kind.get_untracked()).len();
    let head = |at: usize| view! { <th scope="col">{move || (figure.heads)(kind.get())[at]}</th> };
    let row = |phase: fn(&Metrics) -> &PhaseMetrics| {
        let texts = Memo::new(move |_| {
            session.run.metrics.with(|metrics| {
                let cells = (figure.cells)(kind.get(), phase(metrics));
                cells.into_iter().map(|cell| cell.filter(|_| metrics.recent_steps > 0)).collect::<Vec<_>>()
            })
        });
        let cell = move |at: usize| {
            let text = move || texts.with(|texts| texts.get(at).cloned().flatten().unwrap_or_else(|| "–".into()));
            view! { <td>{text}</td> }
        };
        columns.clone().map(cell).collect_view()
    };
    let caption = move || {
        session.run.metrics.with(|metrics| {
            let filled =
                [&metrics.positive, &metrics.negative].map(of).into_iter().find(|histogram| !histogram.counts.is_empty());
            match (metrics.recent_steps, filled) {
                (0, _) => "No steps yet".to_string(),
                (steps, None) => format!("Last {steps} steps"),
                (steps, Some(filled)) => format!("Last {steps} steps; cut at {}", filled.cap),
            }
        })
    };
    view! {
        <table class="numbers">
            <caption>{caption}</caption>
            <thead>
                <tr>
                    <td></td>
                    {columns.clone().map(head).collect_view()}
                </tr>
            </thead>
            <tbody>
                <tr class="positive">
                    <th scope="row" title="visible layer clamped to the data">"clamped"</th>
                    {row(|metrics| &metrics.positive)}
                </tr>
                <tr class="negative">
                    <th scope="row" title="no layer clamped, or the known pixels only">"free"</th>
                    {row(|metrics| &metrics.negative)}
                </tr>
            </tbody>
        </table>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn histogram(count: u32, capped: u32, cap: u32) -> Histogram {
        Histogram { counts: if count > 0 { vec![(3, count)] } else { vec![] }, capped, cap }
    }

    fn metrics(positive: PhaseMetrics, negative: PhaseMetrics) -> Metrics {
        Metrics { recent_steps: 1, positive, negative, ..Metrics::default() }
    }

    #[test]
    fn caps_that_were_reached_are_told_with_what_they_do() {
        let coupled = |capped| PhaseMetrics { meeting_time: histogram(20, capped, 10), ..PhaseMetrics::default() };
        assert_eq!(meeting_warning(&metrics(coupled(0), coupled(0)), 5), "");
        let words = meeting_warning(&metrics(coupled(2), PhaseMetrics { tries_capped: 7, ..coupled(3) }), 5);
        assert!(words.starts_with("5 of 40 couplings were cut at 10") && words.contains("biased"), "{words}");
        assert!(words.contains("7 coupled draws were cut at 5 tries"), "{words}");

        let searched = PhaseMetrics { sweeps: histogram(20, 1, 30), ..PhaseMetrics::default() };
        assert!(search_warning(&metrics(searched.clone(), searched.clone()), EstimatorKind::UcdLmi).contains("causes no bias"));
        assert!(!search_warning(&metrics(searched.clone(), searched), EstimatorKind::Lmi).contains("causes no bias"));
        let iterated = PhaseMetrics { mean_field: histogram(20, 4, 100), ..PhaseMetrics::default() };
        let words = search_warning(&metrics(iterated, PhaseMetrics::default()), EstimatorKind::Pcd);
        assert!(words.starts_with("4 of 20 iterations were cut at 100"), "{words}");
    }

    #[test]
    fn an_empty_half_of_a_plot_says_why() {
        let searched = PhaseMetrics { sweeps: histogram(20, 0, 30), ..PhaseMetrics::default() };
        let iterated = PhaseMetrics { mean_field: histogram(20, 0, 100), ..PhaseMetrics::default() };
        let say = |positive: &PhaseMetrics, negative: &PhaseMetrics, kind: EstimatorKind, rbm| {
            notes(&metrics(positive.clone(), negative.clone()), lengths, no_search(kind), rbm)
        };
        let none = PhaseMetrics::default();
        assert_eq!(say(&searched, &searched, EstimatorKind::UcdLmi, false), ["", ""]);
        assert!(say(&none, &searched, EstimatorKind::UcdLmi, true)[0].contains("one hidden layer"));
        assert_eq!(say(&none, &none, EstimatorKind::Cd, true), ["CD has no search.", ""]);
        assert_eq!(say(&iterated, &none, EstimatorKind::Pcd, false), ["", "The free chains of PCD have no search."]);
        assert_eq!(notes(&Metrics::default(), lengths, [None, None], false), ["Shown while training.", ""]);
    }
}
