//! A chart on the page: its title and legend, the plot, a readout at the pointer, its numbers as a table, and files to save.

use crate::canvas::{Chart, Colours, Plane, Scale, Series, Surface, Svg, redraws, short};
use crate::ui::download;
use crate::ui::notices::Notices;
use crate::ui::save::Save;
use crate::ui::table::{FoldedTable, Heading, row};
use dbm_protocol::NamedBytes;
use leptos::html::Canvas;
use leptos::prelude::*;
use web_sys::PointerEvent;

/// Most lines of the table: a chart with more points shows every nth.
const LINES: usize = 200;
/// Width and height of the SVG.
const PAPER: (f64, f64) = (720.0, 400.0);
/// Height of a line of text below the plot.
const LINE: f64 = 20.0;

/// The figure. Its table is built when it is unfolded.
#[component]
pub fn ChartFigure(
    /// The chart to show.
    #[prop(into)]
    chart: Signal<Chart>,
    /// Its title, also used when it is saved.
    title: &'static str,
    /// What the chart shows, in a sentence, for visitors who cannot see it; kept up to date.
    #[prop(into)]
    summary: Signal<String>,
    /// Name of the saved file, without its extension.
    file: &'static str,
    /// Its numbers as CSV, if there is more to say about a point than the chart shows.
    #[prop(optional)]
    rows: Option<Callback<(), String>>,
) -> impl IntoView {
    let notices = Notices::of_page();
    let canvas = NodeRef::<Canvas>::new();
    let here = RwSignal::new(None::<f64>);
    redraws(canvas, move || (chart.get(), here.get()), |surface, colours, (chart, here)| chart.draw(surface, colours, here));
    let point = move |event: PointerEvent| {
        let Some(canvas) = canvas.get_untracked() else { return };
        if let Some(surface) = Surface::measure(&canvas) {
            let x = chart.with_untracked(|chart| chart.x_at(&surface, f64::from(event.offset_x()) * surface.ratio));
            here.set(chart.with_untracked(|chart| nearest(chart, x)));
        }
    };
    let said = move || here.get().map_or_else(String::new, |x| chart.with(|chart| at(chart, x)));
    let save = move |form: usize| {
        let bytes = match rows {
            _ if form == 0 => svg(&chart.get_untracked(), &Colours::now()),
            Some(rows) => rows.run(()),
            None => csv(&chart.get_untracked()),
        };
        download::file(
            notices,
            &NamedBytes { name: format!("{file}.{}", ["svg", "csv"][form.min(1)]), bytes: bytes.into_bytes() },
        );
    };
    view! {
        <figure class="chart" aria-label=title>
            <div class="chart-head">
                <h3>{title}</h3>
                <ul class="legend">
                    {move || chart.with(|chart| chart.series.iter().map(key).collect_view())}
                </ul>
                <Save what=title forms=&["SVG", "CSV"] save />
            </div>
            <div class="chart-plot">
                <span class="axis-name" data-help=move || chart.with(|chart| chart.y.help.clone())>
                    {move || chart.with(|chart| chart.y.label.clone())}
                </span>
                <canvas
                    node_ref=canvas
                    role="img"
                    aria-label=move || summary.get()
                    on:pointermove=point
                    on:pointerdown=point
                    on:pointerleave=move |_| here.set(None)
                ></canvas>
                <span class="axis-name across" data-help=move || chart.with(|chart| chart.x.help.clone())>
                    {move || chart.with(|chart| chart.x.label.clone())}
                </span>
            </div>
            <p class="readout" aria-hidden="true">{said}</p>
            <FoldedTable
                class="chart-table"
                summary="As a table"
                label=format!("{title}, as a table")
                headings=Signal::derive(move || chart.with(columns))
                rows=move || chart.with(lines)
            />
        </figure>
    }
}

/// An entry of the legend.
fn key(series: &Series) -> impl IntoView + use<> {
    let dash: Vec<String> = series.dash.iter().map(ToString::to_string).collect();
    let class = format!("hue-{}", series.hue % 6);
    view! {
        <li>
            <svg class=class viewBox="0 0 24 8" aria-hidden="true">
                <line x1="0" y1="4" x2="24" y2="4" stroke-dasharray=dash.join(" ") />
            </svg>
            {series.name.clone()}
        </li>
    }
}

/// All x values, ascending, each once.
fn places(chart: &Chart) -> Vec<f64> {
    let mut all: Vec<f64> =
        chart.series.iter().flat_map(|series| series.points.iter().map(|point| point.x)).filter(|x| x.is_finite()).collect();
    all.sort_by(f64::total_cmp);
    all.dedup();
    all
}

/// The x value nearest to `x` that has a point.
fn nearest(chart: &Chart, x: f64) -> Option<f64> {
    let far = |place: f64| if chart.x.scale == Scale::Logarithmic { (place / x).ln().abs() } else { (place - x).abs() };
    places(chart).into_iter().min_by(|a, b| far(*a).total_cmp(&far(*b)))
}

/// The value of a series at an x value, as text.
fn value(series: &Series, x: f64) -> Option<String> {
    let point = series.points.iter().find(|point| point.x == x)?;
    let around = if point.high > point.low { format!(" ({} to {})", short(point.low), short(point.high)) } else { String::new() };
    Some(if series.at_least.contains(&x) { "at least " } else { "" }.to_string() + &short(point.y) + &around)
}

/// The readout at an x value.
fn at(chart: &Chart, x: f64) -> String {
    let values: Vec<String> =
        chart.series.iter().filter_map(|series| value(series, x).map(|value| format!("{} {value}", series.name))).collect();
    format!("{} {}: {}", chart.x.label, short(x), values.join(", "))
}

/// The columns of its table.
fn columns(chart: &Chart) -> Vec<Heading> {
    let series = chart.series.iter().map(|series| &series.name);
    [&chart.x.label].into_iter().chain(series).map(|title| (title.clone(), "")).collect()
}

/// The lines of its table.
fn lines(chart: &Chart) -> impl IntoView + use<> {
    let all = places(chart);
    let every = all.len().div_ceil(LINES).max(1);
    let cell = |series, x| value(series, x).unwrap_or_else(|| "–".into());
    let line = |&x: &f64| row(&short(x), chart.series.iter().map(|series| cell(series, x)));
    all.iter().rev().step_by(every).rev().map(line).collect_view()
}

/// The chart as a separate picture, with its axes and lines explained below it.
fn svg(chart: &Chart, colours: &Colours) -> String {
    let svg = Svg::new(colours, PAPER.0, PAPER.1);
    chart.draw(&svg, colours, None);
    svg.grow(colours, LINE * (chart.series.len() as f64 + 2.0));
    let mut y = PAPER.1 + LINE;
    svg.write(colours, &format!("{} by {}", chart.y.label, chart.x.label), (46.0, y), "left", 12.0);
    for series in &chart.series {
        y += LINE;
        svg.line(series.colour(colours), 2.0, series.dash, &[(46.0, y), (86.0, y)]);
        svg.write(colours, &series.name, (94.0, y), "left", 12.0);
    }
    svg.finish()
}

/// Its numbers, one line per point.
fn csv(chart: &Chart) -> String {
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
    let head = format!("series,{},{},low,high\n", quoted(&chart.x.label), quoted(&chart.y.label));
    chart.series.iter().flat_map(|series| series.points.iter().map(move |point| (series, point))).fold(
        head,
        |text, (series, point)| {
            text + &format!("{},{},{},{},{}\n", quoted(&series.name), point.x, point.y, point.low, point.high)
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canvas::Point;

    #[test]
    fn a_chart_says_what_it_shows_at_a_place_and_as_csv() {
        let series = |name: &str, points: &[(f64, f64)]| Series {
            name: name.into(),
            points: points.iter().map(|&(x, y)| Point::new(x, y)).collect(),
            ..Series::default()
        };
        let mut chart =
            Chart { series: vec![series("a", &[(1.0, 2.0), (3.0, 4.5)]), series("b, c", &[(3.0, 7.0)])], ..Chart::default() };
        chart.x.label = "d".into();
        chart.series[1].points[0].high = 9.0;
        assert_eq!((nearest(&chart, 2.2), places(&chart)), (Some(3.0), vec![1.0, 3.0]));
        assert_eq!(at(&chart, 3.0), "d 3: a 4.5, b, c 7 (7 to 9)");
        chart.series[0].at_least.push(3.0);
        assert_eq!(value(&chart.series[0], 3.0).as_deref(), Some("at least 4.5"));
        let drawn = svg(&chart, &Colours::default());
        assert!(drawn.contains("height=\"480\"") && drawn.contains(" by d</text>") && drawn.contains(">b, c</text>"), "{drawn}");
        assert_eq!(csv(&chart), "series,\"d\",\"\",low,high\n\"a\",1,2,2,2\n\"a\",3,4.5,4.5,4.5\n\"b, c\",3,7,7,9\n");
    }
}
