//! The model as a graph: layers as rows of units, weights as edges that can be dragged, and the chosen pattern below.

use super::parameters::{self, Parameter, unit_name};
use super::settings::LARGEST;
use super::state::ProofState;
use crate::canvas::short;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, KeyboardEvent, PointerEvent};

/// Width of the drawing, in its own pixels.
const WIDTH: f64 = 400.0;
/// Distance between two layers.
const APART: f64 = 112.0;
/// Largest radius of a unit.
const RADIUS: f64 = 23.0;
/// How much a drag of one pixel changes a parameter.
const DRAG: f64 = 0.01;
/// A press that moves less than this is not a drag.
const STILL: f64 = 4.0;

/// The positions of units and edges.
#[derive(Clone, PartialEq)]
struct Layout {
    sizes: Vec<u32>,
    radius: f64,
}

impl Layout {
    fn new(sizes: Vec<u32>) -> Self {
        let most = f64::from(sizes.iter().copied().max().unwrap_or(1));
        let radius = RADIUS.min(0.4 * WIDTH / most);
        Self { sizes, radius }
    }

    /// The visible layer is at the bottom.
    fn place(&self, layer: usize, unit: usize) -> (f64, f64) {
        let n = f64::from(self.sizes[layer]);
        let step = (WIDTH / n).min(96.0);
        let x = WIDTH / 2.0 + (unit as f64 - (n - 1.0) / 2.0) * step;
        let y = RADIUS + 8.0 + (self.sizes.len() - 1 - layer) as f64 * APART;
        (x, y)
    }

    fn height(&self) -> f64 {
        self.place(0, 0).1 + RADIUS + 50.0
    }

    /// The ends of an edge, at the rims of its units.
    fn edge(&self, layer: usize, from: usize, to: usize) -> [f64; 4] {
        let ((x1, y1), (x2, y2)) = (self.place(layer, from), self.place(layer + 1, to));
        let share = self.radius / (x2 - x1).hypot(y2 - y1);
        let (dx, dy) = ((x2 - x1) * share, (y2 - y1) * share);
        [x1 + dx, y1 + dy, x2 - dx, y2 - dy]
    }
}

/// The part of a disc below a level, as a path; the level is at `share` of its height.
fn level(x: f64, y: f64, radius: f64, share: f64) -> String {
    let share = share.clamp(0.0, 1.0);
    let up = radius * (1.0 - 2.0 * share);
    let half = (radius * radius - up * up).max(0.0).sqrt();
    if share > 0.999 {
        return format!(
            "M{} {y}a{radius} {radius} 0 1 0 {} 0a{radius} {radius} 0 1 0 {} 0Z",
            x - radius,
            2.0 * radius,
            -2.0 * radius
        );
    }
    let large = u8::from(share > 0.5);
    format!("M{:.2} {:.2}A{radius:.2} {radius:.2} 0 {large} 0 {:.2} {:.2}Z", x - half, y + up, x + half, y + up)
}

/// A press in progress.
#[derive(Clone, Copy)]
struct Press {
    place: usize,
    from: f64,
    value: f32,
    moved: bool,
}

/// Id of a parameter's element.
fn id(place: usize) -> String {
    format!("proof-parameter-{place}")
}

fn focus(place: usize) {
    if let Some(element) = document().get_element_by_id(&id(place)) {
        // SVG elements have the same method.
        let _ = element.unchecked_ref::<HtmlElement>().focus();
    }
}

/// Handles a key for the focused parameter.
fn key(proof: ProofState, here: RwSignal<usize>, end: usize, event: &KeyboardEvent) {
    if event.ctrl_key() || event.meta_key() || event.alt_key() {
        return;
    }
    let place = here.get_untracked();
    let step = if event.shift_key() { 0.25 } else { 0.05 };
    match event.key().as_str() {
        "ArrowUp" => proof.nudge(place, step),
        "ArrowDown" => proof.nudge(place, -step),
        "PageUp" => proof.nudge(place, 0.25),
        "PageDown" => proof.nudge(place, -0.25),
        "Home" => proof.set(place, 0.0),
        "ArrowRight" => return go((place + 1) % end, here, event),
        "ArrowLeft" => return go((place + end - 1) % end, here, event),
        "Enter" | " " => {}
        _ => return,
    }
    event.prevent_default();
    if proof.settings.with_untracked(|settings| settings.show != Some(place)) {
        // The edit continues: all changes so far remain one step.
        proof.settings.update(|settings| settings.show = Some(place));
    }
}

fn go(place: usize, here: RwSignal<usize>, event: &KeyboardEvent) {
    event.prevent_default();
    here.set(place);
    focus(place);
}

/// The drawing, whose parameters are changed by dragging or with keys.
pub fn graph(proof: ProofState) -> impl IntoView {
    let layout = Memo::new(move |_| Layout::new(proof.sizes()));
    let here = RwSignal::new(0_usize);
    let press = StoredValue::new(None::<Press>);
    let end = Memo::new(move |_| layout.with(|layout| parameters::count(&layout.sizes)));
    Effect::new(move |_| {
        let show = proof.settings.with(|settings| settings.show);
        here.set(show.unwrap_or_default().min(end.get().saturating_sub(1)));
    });
    let down = move |event: PointerEvent| {
        let Some(target) = event.target().and_then(|target| target.dyn_into::<Element>().ok()) else { return };
        let Some(group) = target.closest("[data-place]").ok().flatten() else { return };
        let Some(place) = group.get_attribute("data-place").and_then(|place| place.parse().ok()) else { return };
        let Some(value) = untrack(|| proof.value(place)) else { return };
        if event.button() != 0 {
            return;
        }
        proof.end_edit();
        press.set_value(Some(Press { place, from: f64::from(event.client_y()), value, moved: false }));
        let _ = target.set_pointer_capture(event.pointer_id());
    };
    let moved = move |event: PointerEvent| {
        let Some(mut at) = press.get_value() else { return };
        let up = at.from - f64::from(event.client_y());
        if !at.moved && up.abs() < STILL {
            return;
        }
        if !at.moved {
            at.moved = true;
            press.set_value(Some(at));
            proof.show(Some(at.place));
        }
        proof.set(at.place, at.value + (up * DRAG) as f32);
    };
    let released = move |_: PointerEvent| {
        if let Some(at) = press.get_value() {
            press.set_value(None);
            proof.show(Some(at.place));
            here.set(at.place);
            focus(at.place);
        }
    };
    // A finger drags the chosen parameter; anywhere else it scrolls the page. Browsers support `touch-action` on parts of a
    // drawing only incompletely.
    let touched = move |event: web_sys::Event| {
        let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        if target.is_some_and(|target| target.closest(".shown").ok().flatten().is_some()) {
            event.prevent_default();
        }
    };
    let cancelled = move |_: PointerEvent| press.set_value(None);
    view! {
        <figure class="proof-graph">
            <div class="chart-head">
                <h3 data-help="Rows of units, the visible ones lowest. An edge is a weight: blue and whole above zero, ochre and dashed below, wider where larger. A unit is filled as high as it is likely to be high.">
                    "The model"
                </h3>
                <ul class="legend" inner_html=include_str!("legend.html")></ul>
            </div>
            <svg
                viewBox=move || format!("0 0 {WIDTH} {}", layout.with(Layout::height))
                role="group"
                aria-label="The model’s weights and biases. Left and right go from one to the next; up and down change it by 0.05, with Shift by 0.25; Home makes it 0."
                on:keydown=move |event| key(proof, here, end.get_untracked(), &event)
                on:touchstart=move |event| touched(event.into())
                on:pointerdown=down
                on:pointermove=moved
                on:pointerup=released
                on:pointercancel=cancelled
            >
                {move || layout.with(|layout| picture(proof, here, layout))}
            </svg>
            <figcaption class="help" data-help="Drag a weight or bias to change it. By keyboard: ← and → choose, ↑ and ↓ change, Home makes it 0.">
                "Drag an edge or a unit up or down. Press a square to flip a bit."
            </figcaption>
        </figure>
    }
}

/// Edges, then units on top of them, then the chosen pattern.
fn picture(proof: ProofState, here: RwSignal<usize>, layout: &Layout) -> impl IntoView + use<> {
    let (mut edges, mut units) = (Vec::new(), Vec::new());
    for (place, parameter) in parameters::all(&layout.sizes).into_iter().enumerate() {
        let name = parameter.name(&layout.sizes);
        match parameter {
            Parameter::Weight { layer, from, to } => edges.push(edge(proof, here, place, layout.edge(layer, from, to), name)),
            Parameter::Bias { layer, unit } => units.push(disc(proof, here, place, layout, (layer, unit), name)),
        }
    }
    let bits = (0..layout.sizes[0] as usize).map(|unit| bit(proof, layout, unit)).collect_view();
    view! {
        <g>{edges}</g>
        <g>{units}</g>
        <g aria-hidden="true">{bits}</g>
    }
}

/// The dashes of a line, by the sign of its value.
fn sign(value: f32) -> &'static str {
    if value < 0.0 { "5 4" } else { "none" }
}

/// The width of a line, by its value.
fn width(value: f32) -> String {
    if value == 0.0 { "0.6".into() } else { format!("{:.2}", 0.8 + 3.4 * value.abs().min(3.0)) }
}

/// A parameter as a slider, drawn according to its value.
fn slider(
    proof: ProofState,
    here: RwSignal<usize>,
    place: usize,
    (class, name): (&'static str, String),
    probability: Option<Memo<f64>>,
    drawn: impl FnOnce(Memo<f32>) -> AnyView,
) -> AnyView {
    let value = Memo::new(move |_| proof.value(place).unwrap_or_default());
    let shown = Memo::new(move |_| proof.settings.with(|settings| settings.show == Some(place)));
    let words = move |high: Memo<f64>| format!("{}; high with probability {}", short(f64::from(value.get())), short(high.get()));
    view! {
        <g
            id=id(place)
            class=class
            class:shown=move || shown.get()
            class:below=move || { value.get() < 0.0 }
            data-place=place.to_string()
            role="slider"
            tabindex=move || if here.get() == place { "0" } else { "-1" }
            aria-label=name
            aria-orientation="vertical"
            aria-valuemin=(-LARGEST).to_string()
            aria-valuemax=LARGEST.to_string()
            aria-valuenow=move || value.get().to_string()
            aria-valuetext=move || probability.map(words)
        >
            {drawn(value)}
        </g>
    }
    .into_any()
}

fn edge(proof: ProofState, here: RwSignal<usize>, place: usize, [x1, y1, x2, y2]: [f64; 4], name: String) -> AnyView {
    let drawn = |value: Memo<f32>| {
        view! {
            <line class="halo" x1=x1 y1=y1 x2=x2 y2=y2 />
            <line class="ink" x1=x1 y1=y1 x2=x2 y2=y2 stroke-width=move || width(value.get()) stroke-dasharray=move || sign(value.get()) />
            <line class="hit" x1=x1 y1=y1 x2=x2 y2=y2 />
        }
        .into_any()
    };
    slider(proof, here, place, ("edge", name), None, drawn)
}

fn disc(
    proof: ProofState,
    here: RwSignal<usize>,
    place: usize,
    layout: &Layout,
    (layer, unit): (usize, usize),
    name: String,
) -> AnyView {
    let ((x, y), radius) = (layout.place(layer, unit), layout.radius);
    let label = unit_name(&layout.sizes, layer, unit);
    let among = layout.sizes[..layer].iter().sum::<u32>() as usize + unit;
    let probability = Memo::new(move |_| {
        proof.exact.with(|exact| exact.as_ref().and_then(|exact| exact.unit_probabilities.get(among).copied())).unwrap_or(0.0)
    });
    let drawn = |value: Memo<f32>| {
        let (width, sign) = (move || width(value.get()), move || sign(value.get()));
        view! {
            <circle class="halo" cx=x cy=y r=radius + 4.0 />
            <circle class="back" cx=x cy=y r=radius />
            <path class="fill" d=move || level(x, y, radius, probability.get()) />
            <circle class="ink" cx=x cy=y r=radius stroke-width=width stroke-dasharray=sign />
            <text x=x y=y + 1.0>{label}</text>
        }
        .into_any()
    };
    slider(proof, here, place, ("unit", name), Some(probability), drawn)
}

/// A bit of the chosen pattern, below its unit.
fn bit(proof: ProofState, layout: &Layout, unit: usize) -> impl IntoView + use<> {
    let (x, y) = layout.place(0, unit);
    let side = (2.0 * layout.radius).min(30.0);
    let high = Memo::new(move |_| proof.is_high(proof.settings.with(|settings| settings.pattern), unit));
    let flip = move |_| {
        let pattern = proof.settings.with_untracked(|settings| settings.pattern);
        proof.flip_bit(pattern, unit);
    };
    view! {
        <rect
            class="bit"
            class:high=move || high.get()
            x=x - side / 2.0
            y=y + RADIUS + 14.0
            width=side
            height=side
            on:click=flip
        />
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_have_room_and_edges_end_at_their_rims() {
        for sizes in [vec![4, 3, 2], vec![16, 8], vec![1, 1], vec![23, 1]] {
            let layout = Layout::new(sizes.clone());
            for (layer, &n) in sizes.iter().enumerate() {
                let first = layout.place(layer, 0);
                let last = layout.place(layer, n as usize - 1);
                assert!(first.0 - layout.radius >= 0.0 && last.0 + layout.radius <= WIDTH && first.1 + RADIUS < layout.height());
            }
            let [x1, y1, ..] = layout.edge(0, 0, 0);
            let (x, y) = layout.place(0, 0);
            assert!(((x1 - x).hypot(y1 - y) - layout.radius).abs() < 1e-9);
        }
    }

    #[test]
    fn a_disc_is_filled_to_its_level() {
        assert_eq!(level(10.0, 10.0, 5.0, 0.5), "M5.00 10.00A5.00 5.00 0 0 0 15.00 10.00Z");
        assert!(level(10.0, 10.0, 5.0, 0.9).contains(" 0 1 0 ") && level(10.0, 10.0, 5.0, 1.0).starts_with("M5 10a5 5"));
        assert!(!level(0.0, 0.0, 5.0, f64::NAN.max(0.0)).contains("NaN"));
    }
}
