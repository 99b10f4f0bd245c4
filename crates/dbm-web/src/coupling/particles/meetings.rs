//! How long the pairs take to meet, above what uniform proposals take on the same model.

use super::results::{Together, percent};
use super::state::Particles;
use crate::canvas::bins::Summary;
use crate::canvas::{Colours, Plane, Scale, Svg, histogram, redraws, short};
use crate::ui::download;
use crate::ui::notices::Notices;
use crate::ui::save::Save;
use crate::ui::table::{NumberTable, headings};
use dbm_protocol::{Histogram, NamedBytes};
use leptos::html::Canvas;
use leptos::prelude::*;

/// Meeting times of the pairs, above those of uniform proposals, with the numbers below.
pub fn meeting_times(particles: Particles) -> impl IntoView {
    let notices = Notices::of_page();
    let (canvas, together) = (NodeRef::<Canvas>::new(), particles.together);
    let both = move || together.with(|together| [together.particles.clone(), together.uniform.clone()]);
    let draw = |surface: &dyn Plane, colours: &Colours, both: &[Histogram; 2]| {
        histogram(surface, colours, [&both[0], &both[1]], Scale::Logarithmic);
    };
    redraws(canvas, both, move |surface, colours, both| draw(surface, colours, &both));
    let save = move |form: usize| {
        let Some(canvas) = canvas.get_untracked() else { return };
        if form == 0 {
            return download::canvas(notices, &canvas, "meeting-times-of-runs.png".into());
        }
        let colours = Colours::now();
        let svg = Svg::new(&colours, f64::from(canvas.client_width()), f64::from(canvas.client_height()));
        draw(&svg, &colours, &untrack(both));
        download::file(notices, &NamedBytes { name: "meeting-times-of-runs.svg".into(), bytes: svg.finish().into_bytes() });
    };
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
            [mean, above, max, cut, percent(accepted, offered), short(together.log_z.1)]
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
                <Save what="Meeting times of runs" forms=&["PNG", "SVG"] save />
            </div>
            <div class="plot">
                <canvas node_ref=canvas role="img" aria-label="Histogram of meeting times: runs of particles above, uniform proposals below; the table has the numbers"></canvas>
                <p class="plot-note">{move || together.with(|together| if together.pairs == 0 { "Runs of particles" } else { "" })}</p>
                <p class="plot-note lower">{move || together.with(|together| if together.pairs == 0 { "Uniform proposals" } else { "" })}</p>
            </div>
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

/// Mean, share above one, largest and cut.
fn row_of(histogram: &Histogram) -> [String; 4] {
    let all = Summary::of(&[histogram]);
    [
        format!("{:.2}", all.mean),
        format!("{} %", short((1000.0 * all.above_one).round() / 10.0)),
        all.max.to_string(),
        all.capped.to_string(),
    ]
}
