//! Meeting times and search lengths of the recent gradient steps, both phases, live.

use crate::canvas::bins::Summary;
use crate::canvas::{Colours, Scale, Svg, histogram, redraws};
use crate::ui::download;
use crate::ui::save::Save;
use crate::worker::session::Session;
use dbm_core::gradient::EstimatorKind;
use dbm_core::words::Setting;
use dbm_protocol::{Histogram, Metrics, NamedBytes, PhaseMetrics};
use leptos::html::Canvas;
use leptos::prelude::*;

/// Units in all, up to which couplings that take more than one step are seen now and then.
const SMALL: u32 = 30;

/// What stands in a cell for which there is nothing.
const NOTHING: &str = "–";

/// The estimator of the present run, whatever the form says meanwhile.
fn kind(session: Session) -> EstimatorKind {
    session.plan.with(|plan| plan.as_ref().map(|plan| plan.settings.estimator.kind)).unwrap_or_default()
}

/// How long the two chains of each coupling took to meet.
#[component]
pub fn MeetingTime() -> impl IntoView {
    let session = Session::of_page();
    let kind = Memo::new(move |_| kind(session));
    let small =
        move || session.training.with(|about| about.as_ref().is_some_and(|about| about.sizes.iter().sum::<u32>() <= SMALL));
    let about = move || {
        let on_small = small().then(|| kind.get().words_of_plots("meeting on a small model")).flatten();
        on_small.or_else(|| kind.get().words_of_plots("meeting"))
    };
    let is_gibbs = move || kind.get().has(Setting::MaxTries);
    let heads = move |at: usize| match at {
        3 if is_gibbs() => "tries cut",
        at => ["mean", "max", "τ > 1", "accepted", "cut"][at],
    };
    let cells = move |phase: &PhaseMetrics| {
        if phase.meeting_time.counts.is_empty() {
            return [NOTHING; 5].map(Into::into);
        }
        let summary = Summary::of(&phase.meeting_time);
        let fourth = if is_gibbs() { Some(phase.tries_capped.to_string()) } else { phase.acceptance.map(percent) };
        [
            format!("{:.2}", summary.mean),
            summary.max.to_string(),
            percent(summary.above_one),
            fourth.unwrap_or_else(|| NOTHING.into()),
            summary.capped.to_string(),
        ]
    };
    let warning = move || {
        let tries = session.plan.with(|plan| plan.as_ref().map_or(0, |plan| plan.settings.estimator.max_tries));
        session.metrics.with(|metrics| meeting_warning(metrics, tries))
    };
    view! {
        <section class="figure" aria-labelledby="meeting-title">
            <div class="figure-head">
                <h3 id="meeting-title">"Meeting time"</h3>
                <p
                    class="figures-text"
                    data-help="Steps until the two coupled chains of an estimate meet; 1 is at once. Bars are on a log scale, so that the tail is seen; those cut at the cap stand apart at the right."
                >
                    "τ in steps, log scale"
                </p>
            </div>
            <Plot
                of=|phase| &phase.meeting_time
                why=move |_| kind.get().words_of_plots("no meeting")
                scale=Scale::Logarithmic
                label="Histogram of meeting times"
            />
            <Table of=|phase| &phase.meeting_time heads=heads cells=cells />
            <p class="help problem">{warning}</p>
            <p class="help">{about}</p>
        </section>
    }
}

/// A share in per cent, with as many places as a narrow column holds.
fn percent(share: f64) -> String {
    match 100.0 * share {
        0.0 => "0 %".into(),
        small if small < 10.0 => format!("{small:.2} %"),
        large => format!("{large:.1} %"),
    }
}

/// How many sweeps the local searches took, or the mean-field iterations where there are such.
#[component]
pub fn SearchSweeps() -> impl IntoView {
    let session = Session::of_page();
    let kind = Memo::new(move |_| kind(session));
    let mean_field = move || kind.get().has(Setting::MeanFieldSweeps);
    let cells = move |phase: &PhaseMetrics| {
        let lengths = lengths(phase);
        let summary = Summary::of(lengths);
        let counted = |text: String| if lengths.counts.is_empty() { NOTHING.into() } else { text };
        [
            counted(format!("{:.1}", summary.mean)),
            counted(summary.max.to_string()),
            phase.energy.map_or_else(|| NOTHING.into(), |energy| format!("{energy:.1}").replace('-', "−")),
            counted(summary.capped.to_string()),
        ]
    };
    view! {
        <section class="figure" aria-labelledby="sweeps-title">
            <div class="figure-head">
                <h3 id="sweeps-title">{move || if mean_field() { "Mean-field sweeps" } else { "Search sweeps" }}</h3>
                <p
                    class="figures-text"
                    data-help="Sweeps that each search for a local mode took, the last of which changed nothing; those cut at the cap stand apart at the right."
                >
                    {move || if mean_field() { "sweeps until it settles" } else { "T until nothing changes" }}
                </p>
            </div>
            <Plot
                of=lengths
                why=move |positive| no_search(kind.get())[usize::from(!positive)]
                scale=Scale::Linear
                label="Histogram of sweeps"
            />
            <Table of=lengths heads=|at| ["mean", "max", "energy", "cut"][at] cells=cells />
            <p class="help problem">{move || session.metrics.with(|metrics| search_warning(metrics, kind.get()))}</p>
            <p class="help">{move || kind.get().words_of_plots("search")}</p>
        </section>
    }
}

/// Why the positive and the negative phase have no search lengths, where they have none.
fn no_search(kind: EstimatorKind) -> [Option<&'static str>; 2] {
    ["no positive search", "no negative search"].map(|place| kind.words_of_plots(place))
}

/// A phase's search lengths, or those of its mean-field iterations.
fn lengths(phase: &PhaseMetrics) -> &Histogram {
    if phase.mean_field.counts.is_empty() { &phase.sweeps } else { &phase.mean_field }
}

/// How many of both phases' values were cut, how many there are, and the cap.
fn cut(metrics: &Metrics, of: fn(&PhaseMetrics) -> &Histogram) -> (u32, u64, u32) {
    let [positive, negative] = [&metrics.positive, &metrics.negative].map(of);
    let total = Summary::of(positive).total + Summary::of(negative).total;
    (positive.capped + negative.capped, total, negative.cap)
}

/// What the caps have done to the recent steps' couplings; nothing where none was reached.
fn meeting_warning(metrics: &Metrics, max_tries: u32) -> String {
    let (capped, total, cap) = cut(metrics, |phase| &phase.meeting_time);
    let tries = metrics.positive.tries_capped + metrics.negative.tries_capped;
    let couplings = (capped > 0).then(|| {
        format!("{capped} of {total} couplings were cut at {cap}, and their estimates are biased: a larger cap cuts fewer.")
    });
    let draws = (tries > 0).then(|| format!("{tries} coupled draws were cut at {max_tries} tries, which biases as well."));
    couplings.into_iter().chain(draws).collect::<Vec<_>>().join(" ")
}

/// What the caps have done to the recent steps' searches, or mean-field iterations.
fn search_warning(metrics: &Metrics, kind: EstimatorKind) -> String {
    match (cut(metrics, lengths), kind) {
        ((0, ..), _) => String::new(),
        ((capped, total, _), kind) if kind.has(Setting::MeanFieldSweeps) => {
            let cap = metrics.positive.mean_field.cap;
            format!("{capped} of {total} iterations were cut at {cap} before they had settled, and used as they were.")
        }
        ((capped, total, cap), kind) if kind.is_unbiased() => {
            format!("{capped} of {total} searches were cut at {cap}, short of a mode. This biases nothing.")
        }
        ((capped, total, cap), _) => format!("{capped} of {total} searches were cut at {cap}, short of a mode."),
    }
}

/// Both phases' bars.
#[component]
fn Plot(
    /// Which of a phase's histograms.
    of: fn(&PhaseMetrics) -> &Histogram,
    /// Why the estimator fills no such histogram in the positive (`true`) or the negative phase.
    why: impl Fn(bool) -> Option<&'static str> + Copy + Send + Sync + 'static,
    /// How bar lengths follow counts.
    scale: Scale,
    /// What it is.
    label: &'static str,
) -> impl IntoView {
    let session = Session::of_page();
    let canvas = NodeRef::<Canvas>::new();
    redraws(
        canvas,
        move || session.metrics.with(|metrics| [of(&metrics.positive).clone(), of(&metrics.negative).clone()]),
        move |surface, colours, phases| histogram(surface, colours, [&phases[0], &phases[1]], scale),
    );
    let rbm = move || session.training.with(|about| about.as_ref().is_some_and(|about| about.sizes.len() == 2));
    let save = move |form| {
        let Some(canvas) = canvas.get_untracked() else { return };
        let name = label.to_ascii_lowercase().replace(' ', "-");
        if form == 0 {
            return download::canvas(session.notices, &canvas, format!("{name}.png"));
        }
        let colours = Colours::now();
        let svg = Svg::new(&colours, f64::from(canvas.client_width()), f64::from(canvas.client_height()));
        session
            .metrics
            .with_untracked(|metrics| histogram(&svg, &colours, [of(&metrics.positive), of(&metrics.negative)], scale));
        download::file(session.notices, &NamedBytes { name: format!("{name}.svg"), bytes: svg.finish().into_bytes() });
    };
    let notes = Memo::new(move |_| session.metrics.with(|metrics| notes(metrics, of, [why(true), why(false)], rbm())));
    view! {
        <div class="plot">
            <Save what=label forms=&["PNG", "SVG"] save />
            <canvas node_ref=canvas role="img" aria-label=format!("{label}; the table below has the numbers")></canvas>
            <p class="plot-note">{move || notes.get()[0]}</p>
            <p class="plot-note lower">{move || notes.get()[1]}</p>
        </div>
    }
}

/// What the empty halves of a plot mean: the upper one is the positive phase.
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
#[component]
fn Table<const N: usize>(
    /// Which of a phase's histograms.
    of: fn(&PhaseMetrics) -> &Histogram,
    /// Column heads, by their place.
    heads: impl Fn(usize) -> &'static str + Copy + Send + Sync + 'static,
    /// What stands in a phase's row.
    cells: impl Fn(&PhaseMetrics) -> [String; N] + Copy + Send + Sync + 'static,
) -> impl IntoView {
    let session = Session::of_page();
    let row = move |positive: bool| {
        let texts = Memo::new(move |_| {
            session.metrics.with(|metrics| {
                if metrics.recent_steps == 0 {
                    return [NOTHING; N].map(String::from).to_vec();
                }
                cells(if positive { &metrics.positive } else { &metrics.negative }).to_vec()
            })
        });
        (0..N)
            .map(move |at| view! { <td>{move || texts.with(|texts| texts.get(at).cloned().unwrap_or_default())}</td> })
            .collect_view()
    };
    let caption = move || {
        session.metrics.with(|metrics| {
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
                    {(0..N).map(|at| view! { <th scope="col">{move || heads(at)}</th> }).collect_view()}
                </tr>
            </thead>
            <tbody>
                <tr class="positive">
                    <th scope="row" title="visible layer clamped to the data">"clamped"</th>
                    {row(true)}
                </tr>
                <tr class="negative">
                    <th scope="row" title="no layer clamped, or the known pixels only">"free"</th>
                    {row(false)}
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
        assert!(search_warning(&metrics(searched.clone(), searched.clone()), EstimatorKind::UcdLmi).contains("biases nothing"));
        assert!(!search_warning(&metrics(searched.clone(), searched), EstimatorKind::Lmi).contains("biases nothing"));
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
