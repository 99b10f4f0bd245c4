//! Grey digits as 8 bit planes, 6272 visible units: widths that this machine can carry, and steps of the paper's own size.

mod paper_size;
mod planes;
mod widths;

use super::report::{Entry, Verdict, duration, machine};
use super::workspace::Workspace;
use crate::Error;
use crate::plot::gallery::{Gallery, gallery};
use dbm_core::format_bytes;
use dbm_data::picture::Tile;
use dbm_data::{Dataset, npy};
use dbm_score::{Classifier, PIXELS, Reference, SIDE, Scores};
use paper_size::{PAPER_STEPS, PaperSize};
use planes::Plane;
use std::fmt::Write;
use widths::{Ink, SAMPLES, SHOWN, Width};

/// What real digits come to.
struct Real {
    scores: Scores,
    ink: Ink,
    first: Vec<u8>,
}

/// Trains all widths and takes the steps of the paper's size.
///
/// # Errors
/// Data that are not bit planes of 28 x 28 pixels, a model that does not fit into memory, and what goes wrong with files.
pub fn run(workspace: &Workspace, training: &Dataset, test: &Dataset) -> Result<Entry, Error> {
    for data in [training, test] {
        let depth = planes::visible(data)?.depth();
        if data.examples.width() != PIXELS * depth {
            let pixels = data.examples.width() / depth;
            return Err(Error::Input(format!(
                "{}: digits of 28 x 28 pixels were expected, but these have {pixels}; give MNIST",
                data.name
            )));
        }
    }
    // First, while the process holds nothing else.
    let whole = paper_size::run(workspace, (training, test))?;
    let count = workspace.pick(SAMPLES, 40);
    let references = planes::greys(test, 0..count.min(test.examples.len()))?;
    let reference = Reference::new(workspace.session, Classifier::shipped()?, &references)?;
    let sizes = (count, &training.name, training.examples.len(), &test.name, test.examples.len());
    let (scores, floor_seconds) = workspace.cell("floor", &sizes, || {
        Ok(reference.scores(workspace.session, &planes::greys(training, 0..count.min(training.examples.len()))?)?)
    })?;
    let real = Real { scores, ink: Ink::of(&references), first: references[..references.len().min(SHOWN * PIXELS)].to_vec() };
    let mut all = Vec::new();
    for width in widths::WIDTHS {
        all.push(widths::run(workspace, width, (training, test), &reference)?);
    }
    let seconds = floor_seconds + whole.log.seconds() + whole.looking + all.iter().map(|width| width.seconds).sum::<f64>();
    workspace.write("bit-planes.csv", csv(&all, &real).as_bytes())?;
    workspace.write("bit-planes-steps.csv", steps_csv(&whole).as_bytes())?;
    workspace.write("bit-planes-paper-size.npy", &npy::write_u8(&[whole.first.len() / PIXELS, PIXELS], &whole.first))?;
    workspace.write_figure("bit-planes", &figure(&all, &whole, &real)?)?;
    Ok(entry(workspace, &all, &whole, &real, seconds))
}

fn figure(all: &[Width], whole: &PaperSize, real: &Real) -> Result<String, Error> {
    let panel = |title: String, subtitle: String, levels: &[u8]| Gallery {
        title,
        subtitle: Some(subtitle),
        tiles: levels.chunks_exact(PIXELS).map(|levels| Tile::levels(Some((SIDE, SIDE)), levels)).collect(),
        columns: 5,
        row_labels: vec![],
        column_labels: vec![],
    };
    let mut panels = vec![panel("Test digits".into(), "as they are, in 256 levels".into(), &real.first)];
    panels.extend(all.iter().map(|width| {
        let title = format!("6272-{0}-{0}", width.hidden);
        panel(title, format!("samples after {} steps", width.steps), &width.first)
    }));
    let steps = format!("samples after {} steps", whole.log.steps.len());
    panels.push(panel(named(&whole.sizes), steps, &whole.first));
    gallery(&panels, 3)
}

fn named(sizes: &[usize]) -> String {
    sizes.iter().map(usize::to_string).collect::<Vec<_>>().join("-")
}

fn csv(all: &[Width], real: &Real) -> String {
    let mut text = String::from(
        "pictures,steps,count,digit_frechet_distance,precision,recall,density,coverage,distinct,class_entropy,confidence,\
         black,grey,bright,inverted,mean_sweeps,searches_capped,reconstruction_error_before,reconstruction_error_after,\
         held_1,held_2,held_3,held_4,held_5,held_6,held_7,held_8,seconds\n",
    );
    let scores = |s: &Scores, ink: &Ink| {
        let o = &s.overlap;
        format!(
            "{},{},{},{},{},{},{},{},{},{},{},{},{}",
            s.count,
            s.digit_frechet_distance,
            o.precision,
            o.recall,
            o.density,
            o.coverage,
            s.distinct,
            s.classes.entropy.abs(),
            s.confidence,
            ink.black,
            ink.grey,
            ink.bright,
            ink.inverted
        )
    };
    for width in all {
        let held: Vec<String> = width.planes.iter().map(|plane| plane.held().to_string()).collect();
        let _ = writeln!(
            text,
            "6272-{0}-{0},{1},{2},{3},{4},{5},{6},{7},{8}",
            width.hidden,
            width.steps,
            scores(&width.scores, &width.ink),
            width.sweeps,
            width.capped,
            width.reconstruction[0],
            width.reconstruction[1],
            held.join(","),
            width.seconds
        );
    }
    let _ = writeln!(text, "training digits,,{}{}", scores(&real.scores, &real.ink), ",".repeat(13));
    text
}

fn steps_csv(whole: &PaperSize) -> String {
    let mut text = String::from("step,seconds,positive_sweeps,negative_sweeps\n");
    for (step, (seconds, [positive, negative])) in whole.log.steps.iter().zip(&whole.log.sweeps).enumerate() {
        let _ = writeln!(text, "{},{seconds},{positive},{negative}", step + 1);
    }
    text
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

fn entry(workspace: &Workspace, all: &[Width], whole: &PaperSize, real: &Real, seconds: f64) -> Entry {
    let best = all.iter().min_by(|a, b| a.scores.digit_frechet_distance.total_cmp(&b.scores.digit_frechet_distance));
    // Samples among the real digits, and of all classes.
    let precise = all.iter().any(|width| width.scores.overlap.precision >= 0.5 && width.scores.classes.entropy_share >= 0.8);
    let median = whole.log.median();
    let ours = match best {
        Some(best) => format!(
            "The best of widths 500 to 2000 within minutes, 6272-{0}-{0}, has a digit Frechet distance of {1:.0} in grey (training digits: {2:.1}), {3} of its samples being distinct; \
             {4} takes {median:.1} s a step and {5}: 100 000 steps would take {6}.",
            best.hidden,
            best.scores.digit_frechet_distance,
            real.scores.digit_frechet_distance,
            percent(best.scores.distinct),
            named(&whole.sizes),
            peak(whole),
            long(median * PAPER_STEPS as f64),
        ),
        None => String::new(),
    };
    Entry {
        name: "bit-planes".into(),
        place: 5,
        title: "Bit planes: 8-bit digits".into(),
        paper: "With 8 bits a pixel, 6272-6272-6272 and 100 000 steps, the samples are clean digits (an Inception FID of 10.33)."
            .into(),
        ours,
        verdict: if precise { Verdict::InPart } else { Verdict::Differs },
        why: why(all, whole, real),
        command: format!("dbm experiment bit-planes --data MNIST{}", if workspace.toy { " --toy" } else { "" }),
        seed: workspace.seed,
        machine: machine(workspace.session),
        seconds,
        body: body(workspace, all, whole, real),
        figures: vec![(
            "bit-planes".into(),
            "Modes that searches from noise end in, their 8 bit planes read as grey levels; the first 20 of each, not chosen."
                .into(),
        )],
        data: vec!["bit-planes.csv".into(), "bit-planes-steps.csv".into()],
    }
}

fn why(all: &[Width], whole: &PaperSize, real: &Real) -> String {
    let held = |plane: Option<&Plane>| plane.map_or(0.0, |plane| plane.held());
    let each = |of: &dyn Fn(&Width) -> f64| all.iter().map(|width| percent(of(width))).collect::<Vec<_>>().join(", ");
    let widest = all.last().map(|width| &width.planes[..]).unwrap_or_default();
    format!(
        "At the paper's size these are {} of its 100 000 steps; hidden layers narrower than the visible one go further in the same time, but of widths {} only {} of the \
         samples are distinct, the rest copies. \
         A sample is a mode, every bit at its likelier value: {} of the pixels are grey (1 to 250), of test digits {}. {}: of the variance of the highest \
         plane of test digits {} passes through the hidden units of the widest model, of the lowest {}.",
        whole.log.steps.len(),
        all.iter().map(|width| width.hidden.to_string()).collect::<Vec<_>>().join(", "),
        each(&|width| width.scores.distinct),
        each(&|width| width.ink.grey),
        percent(real.ink.grey),
        if held(widest.first()) > 1.5 * held(widest.last()) {
            "And the planes are not alike"
        } else {
            "The planes are much alike"
        },
        percent(held(widest.first())),
        percent(held(widest.last())),
    )
}

fn peak(whole: &PaperSize) -> String {
    match whole.log.peak {
        Some(bytes) => format!("{} of memory", format_bytes(u128::from(bytes))),
        None => format!("{} of memory by count", format_bytes(u128::from(whole.footprint))),
    }
}

/// A projection, in the unit that suits it.
fn long(seconds: f64) -> String {
    if seconds >= 2.0 * 86_400.0 { format!("{:.1} days", seconds / 86_400.0) } else { duration(seconds) }
}

fn body(workspace: &Workspace, all: &[Width], whole: &PaperSize, real: &Real) -> String {
    let mut text = String::from(
        "| Model | Steps | Training | Digit Frechet distance | Precision | Recall | Coverage | Distinct | Class entropy | Black pixels | Grey pixels | Inverted pictures | Reconstruction error |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    let row = |s: &Scores, ink: &Ink| {
        format!(
            "{:.1} | {:.3} | {:.3} | {:.3} | {} | {:.2} of {:.2} | {} | {} | {}",
            s.digit_frechet_distance,
            s.overlap.precision,
            s.overlap.recall,
            s.overlap.coverage,
            percent(s.distinct),
            s.classes.entropy.abs(), // of one class it is a negative zero
            std::f64::consts::LN_10,
            percent(ink.black),
            percent(ink.grey),
            percent(ink.inverted),
        )
    };
    for width in all {
        let _ = writeln!(
            text,
            "| 6272-{0}-{0} | {1} | {2} | {3} | {4:.4} to {5:.4} |",
            width.hidden,
            width.steps,
            duration(width.seconds),
            row(&width.scores, &width.ink),
            width.reconstruction[0],
            width.reconstruction[1],
        );
    }
    let _ = writeln!(text, "| training digits | | | {} | |", row(&real.scores, &real.ink));
    let _ = write!(
        text,
        "\n{} samples each, in grey levels, held against {} test digits in grey; black and grey pixels of the training digits' line are the test digits'. Grey: 1 to 250. \
         An inverted picture is one most of whose pixels are bright, the twin of a digit with all signs flipped. How much of a plane's variance passes through the hidden units, of test digits, by mean field (100 % where all of it does, 0 % where a unit's \
         share of high bits would do as well, below where it would do better):\n\n",
        all.first().map_or(0, |width| width.scores.count),
        real.scores.count,
    );
    text.push_str(
        "| Plane, of value | 128 | 64 | 32 | 16 | 8 | 4 | 2 | 1 |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    let planes = |text: &mut String, name: String, planes: &[Plane]| {
        let cells: Vec<String> = planes.iter().map(|plane| percent(plane.held())).collect();
        let _ = writeln!(text, "| {name} | {} |", cells.join(" | "));
    };
    for width in all {
        planes(&mut text, format!("6272-{0}-{0}", width.hidden), &width.planes);
    }
    planes(&mut text, named(&whole.sizes), &whole.planes);
    let Some(hidden) = all.first().map(|width| width.hidden) else { return text };
    let _ = write!(text, "\n{}\n\n{}\n", measured(whole), commands(workspace, hidden));
    text
}

/// The paragraph on the paper's size.
fn measured(whole: &PaperSize) -> String {
    let log = &whole.log;
    let (shortest, longest) = log.steps.iter().fold((f64::INFINITY, 0.0_f64), |(low, high), &s| (low.min(s), high.max(s)));
    let last = log.sweeps.last().copied().unwrap_or_default();
    let memory = match log.peak {
        Some(bytes) => format!(
            "The process held {} at most (`VmHWM`), all of the data included; the formula of `Footprint` counts {}",
            format_bytes(u128::from(bytes)),
            format_bytes(u128::from(whole.footprint))
        ),
        None => format!("The formula of `Footprint` counts {}", format_bytes(u128::from(whole.footprint))),
    };
    format!(
        "**{}**, {} parameters. The orthogonal start took {} on all threads; it is paid once, and is in no step. {} steps of Adam at {:e}, batch 100: **{:.2} s a step** \
         (median; {shortest:.2} to {longest:.2}), so 100 000 steps would take **{}**. {memory}. In the last step a search took {:.1} sweeps with the digit clamped and {:.1} without; \
         {} of {} couplings took more than one step. The reconstruction error {} from {:.4} to {:.4}. Of {} samples {} differ, {:.1} sweeps a search; {} of their pixels are black \
         and {} of them are inverted.",
        named(&whole.sizes),
        whole.parameters,
        duration(log.start),
        log.steps.len(),
        widths::RATE,
        log.median(),
        long(log.median() * PAPER_STEPS as f64),
        last[0],
        last[1],
        log.late_meetings,
        log.chains,
        if whole.reconstruction < log.reconstruction { "fell" } else { "did not fall: it went" },
        log.reconstruction,
        whole.reconstruction,
        whole.first.len() / PIXELS,
        whole.distinct,
        whole.sweeps,
        percent(whole.ink.black),
        percent(whole.ink.inverted),
    )
}

fn commands(workspace: &Workspace, hidden: usize) -> String {
    let width = widths::WIDTHS[0];
    let recipe = widths::recipe(workspace, width);
    let command = recipe.command().replace("--data MNIST", "--data MNIST --bits-per-value 8");
    format!("Each width is a run of its own, here of {hidden}: `{command}`.")
}
