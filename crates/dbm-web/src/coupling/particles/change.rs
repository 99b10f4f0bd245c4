//! What the correction changes: the mean of the first runs, the corrected mean, and the difference, as pictures or unit by unit.

use super::results::Together;
use super::state::Particles;
use crate::canvas::shape::Shape;
use crate::canvas::{Fill, Layer, filter_tiles, fixed, short, shows, shows_layer};
use crate::ui::table::{NumberTable, headings};
use dbm_protocol::{Filters, ModelChoice};
use leptos::html::Canvas;
use leptos::prelude::*;

/// The first runs' estimate of the visible units, and what the correction adds to it: as pictures, or unit by unit if there are
/// few.
pub fn change(particles: Particles) -> impl IntoView {
    let together = particles.together;
    let shape = Memo::new(move |_| particles.shape());
    let some = Memo::new(move |_| together.with(|together| together.pairs > 0));
    let values = move |which: fn(&Together) -> Vec<f64>| together.with(which);
    let words = move || {
        let unit = if shape.get().is_some_and(|shape| !shape.wrapped) { "pixel" } else { "unit" };
        together.with(|together| if some.get() { together.change_words(unit) } else { String::new() })
    };
    let scale = Memo::new(move |_| {
        together.with(|together| together.change.correction.iter().fold(0.0, |most: f64, x| most.max(x.abs())))
    });
    let share = move |label: &'static str, which: fn(&Together) -> Vec<f64>| {
        let canvas = NodeRef::<Canvas>::new();
        shows_layer(canvas, move || Some(layer(shape.get()?, values(which))));
        picture(canvas, label, Signal::derive(String::new), shape)
    };
    let difference = move || {
        let canvas = NodeRef::<Canvas>::new();
        let shown = move || Some(signed(shape.get()?, &values(|together| together.change.correction.clone()), scale.get()));
        shows(canvas, shown, |surface, colours, filters| filter_tiles(surface, colours, &filters, 1));
        picture(canvas, "correction", Signal::derive(move || format!("up to ±{}", short(scale.get()))), shape)
    };
    view! {
        <div>
            <div class="figure-head">
                <h3>"What the correction changes"</h3>
            </div>
            <div class="particles-change">
                {move || match shape.get() {
                    Some(_) => {
                        view! {
                            <div class="particles-pictures">
                                {share("first runs alone", |together| together.change.first.clone())}
                                {share("corrected", corrected)}
                                {difference()}
                            </div>
                        }
                            .into_any()
                    }
                    None if some.get() => {
                        view! {
                            <NumberTable label="Visible units" headings=headings(include_str!("units.txt")) class="particles-units">
                                {move || together.with(units)}
                            </NumberTable>
                        }
                            .into_any()
                    }
                    None => {
                        view! { <p class="help empty">"The mean of the first runs, the corrected mean, and the difference."</p> }
                            .into_any()
                    }
                }}
            </div>
            <p class="particles-words">{words}</p>
        </div>
    }
}

fn corrected(together: &Together) -> Vec<f64> {
    together.change.first.iter().zip(&together.change.correction).map(|(first, more)| first + more).collect()
}

/// A picture with its name, and further remarks.
fn picture(canvas: NodeRef<Canvas>, label: &'static str, more: Signal<String>, shape: Memo<Option<Shape>>) -> impl IntoView {
    let ratio = move || shape.get().map_or_else(|| "1 / 1".into(), |shape| shape.ratio(1, 1));
    view! {
        <figure>
            <canvas node_ref=canvas class="samples" style:aspect-ratio=ratio role="img" aria-label=format!("Mean picture: {label}")></canvas>
            <figcaption>
                <b>{label}</b>
                " "
                {more}
            </figcaption>
        </figure>
    }
}

/// The probability of each unit being high, as ink.
pub fn layer(shape: Shape, shares: Vec<f64>) -> Layer {
    Layer { shape, unknown: vec![1; shape.units], fill: Fill::Shares(shares), ..Layer::default() }
}

/// Signed values as one picture, with one hue for negative and another for positive ones.
fn signed(shape: Shape, values: &[f64], scale: f64) -> Filters {
    let level = |x: &f64| (128.0 + 127.0 * (x / scale.max(1e-9)).clamp(-1.0, 1.0)).round() as u8;
    let image = (shape.rows as u32, (shape.columns * shape.depth) as u32);
    let mut levels: Vec<u8> = values.iter().map(level).collect();
    levels.resize((image.0 * image.1) as usize, 128);
    Filters { model: ModelChoice::Pretrained, step: 0, layer: 1, count: 1, image, scale: scale as f32, levels }
}

/// For each visible unit the probability of being high, uncorrected and corrected, as marks between low and high and as numbers.
fn units(together: &Together) -> impl IntoView + use<> {
    let mark = |class: &'static str, share: f64| view! { <i class=class style:left=format!("{:.1}%", 100.0 * share.clamp(0.0, 1.0))></i> };
    let row = |(unit, (&first, &more)): (usize, (&f64, &f64))| {
        view! {
            <tr>
                <th scope="row">{unit + 1}</th>
                <td class="unit-track">
                    <span aria-hidden="true">{mark("alone", first)} {mark("with", first + more)}</span>
                </td>
                {[first, first + more, more].map(|share| view! { <td>{fixed(share, 3)}</td> })}
            </tr>
        }
    };
    together.change.first.iter().zip(&together.change.correction).enumerate().map(row).collect_view()
}
