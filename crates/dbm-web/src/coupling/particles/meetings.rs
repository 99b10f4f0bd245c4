//! How long the pairs take to meet, shown above the meeting times of uniform proposals on the same model.

use super::results::{Together, percent};
use super::state::Particles;
use crate::canvas::bins::Summary;
use crate::canvas::{Scale, short};
use crate::ui::histogram::phases;
use crate::ui::table::{NumberTable, headings};
use dbm_protocol::Histogram;
use leptos::prelude::*;

/// Names of the plot, also for screen readers,
const LABELS: [&str; 2] = [
    "Meeting times of runs",
    "Histogram of meeting times: runs of particles above, uniform proposals below; the table has the numbers",
];
/// and of its halves.
const NAMES: [&str; 2] = ["Runs of particles", "Uniform proposals"];

/// Meeting times of the pairs, above those of uniform proposals, with the numbers below.
pub fn meeting_times(particles: Particles) -> impl IntoView {
    let together = particles.together;
    let both = move || together.with(|together| [together.particles.clone(), together.uniform.clone()]);
    let notes = move || if together.with(|together| together.pairs == 0) { NAMES } else { [""; 2] };
    let [save, plot] = phases(LABELS, Scale::Logarithmic, both, notes);
    let row = move |class: &'static str, name: &'static str, cells: fn(&Together) -> [String; 6]| {
        let texts = Memo::new(move |_| together.with(|together| (together.pairs > 0).then(|| cells(together))));
        let cell = move |at: usize| view! { <td>{move || texts.with(|texts| texts.as_ref().map_or_else(|| "–".into(), |texts| texts[at].clone()))}</td> };
        view! {
            <tr class=class>
                <th scope="row">{name}</th>
                {(0..6).map(cell).collect_view()}
            </tr>
        }
    };
    let [of_particles, of_uniform]: [fn(&Together) -> [String; 6]; 2] = [
        |together| {
            let [mean, above, max, cut] = row_of(&together.particles);
            let (offered, accepted) = together.offered;
            [mean, above, max, cut, percent(f64::from(accepted) / f64::from(offered.max(1))), short(together.log_z.1)]
        },
        |together| {
            let [mean, above, max, cut] = row_of(&together.uniform);
            [mean, above, max, cut, "–".into(), "–".into()]
        },
    ];
    view! {
        <div>
            <div class="figure-head">
                <h3>"Steps until they meet"</h3>
                {save}
            </div>
            <div class="plot">{plot}</div>
            <NumberTable label="Meeting times" headings=headings(include_str!("columns.txt")) class="particles-numbers">
                {row("positive", "Runs", of_particles)}
                {row("negative", "Uniform", of_uniform)}
            </NumberTable>
            <p class="particles-words">
                {move || together.with(|together| if together.pairs == 0 { String::new() } else { together.meeting_words() })}
            </p>
        </div>
    }
}

/// Mean, share above one, largest, and number of cut chains.
fn row_of(histogram: &Histogram) -> [String; 4] {
    let all = Summary::of(&[histogram]);
    [
        format!("{:.2}", all.mean),
        format!("{} %", short((1000.0 * all.above_one).round() / 10.0)),
        all.max.to_string(),
        all.capped.to_string(),
    ]
}
