//! The samples seen while the model trained, thinned, and the film made from them.

use crate::worker::export;
use crate::worker::session::Session;
use dbm_core::settings::RunPlan;
use dbm_protocol::{DataInfo, Grid, ModelChoice, Product};
use leptos::prelude::*;
use std::cell::RefCell;

/// The most frames of a film, and the most bytes: larger frames mean fewer of them.
const FRAMES: usize = 120;
const BYTES: usize = 32 << 20;

thread_local! {
    static FILM: RefCell<Film> = RefCell::default();
}

#[derive(Default)]
struct Film {
    /// What identifies its run: the same plan on the same data is the same run, whether rewound or restored.
    run: Option<(RunPlan, DataInfo)>,
    frames: Vec<Grid>,
}

/// Collects samples from now on.
pub fn follow(session: Session) {
    let seen = session.samples_of(ModelChoice::Training);
    Effect::new(move |_| {
        let Some(grid) = seen.get() else { return };
        let run = session.run.plan.get_untracked().zip(session.sets.data.get_untracked());
        FILM.with_borrow_mut(|film| {
            if film.run != run {
                *film = Film { run, frames: Vec::new() };
            }
            add(&mut film.frames, grid);
        });
    });
}

/// Adds a grid, replacing those of its own step and of later ones. If there are too many, drops the frame whose neighbours are
/// closest to each other, so that the film shows the whole run in roughly equal strides. The first and the last stay.
fn add(film: &mut Vec<Grid>, grid: Grid) {
    let most = (BYTES / grid.bits.len().max(1)).clamp(2, FRAMES);
    film.retain(|before| before.step < grid.step && before.image == grid.image);
    film.push(grid);
    if film.len() > most
        && let Some(close) = (1..film.len() - 1).min_by_key(|&at| film[at + 1].step - film[at - 1].step)
    {
        film.remove(close);
    }
}

/// Saves the film and says what it is, or that there is none.
pub fn save(session: Session) {
    let frames = FILM.with_borrow(|film| film.frames.clone());
    let steps: Vec<u32> = frames.iter().map(|grid| grid.step).collect();
    let ([first, .., last], Some(about)) = (&steps[..], session.models.training.get_untracked()) else {
        return session.notices.news("There is no film yet: it shows the samples seen during training. Press Train first.");
    };
    let name = format!("samples-steps-{first}-to-{last}");
    let said = format!("A film of {} frames, steps {first} to {last}", frames.len());
    session.perform(async move {
        let bytes = export::written(session, Product::Film { name, frames, visible: about.visible }).await?;
        session.notices.news(format!("{said}: {} kB, an animated PNG.", bytes.div_ceil(1000)));
        Ok(())
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbm_protocol::Greys;

    fn grid(step: u32, bits: usize) -> Grid {
        Grid {
            model: ModelChoice::Training,
            step,
            count: 1,
            image: (1, bits as u32),
            greys: Greys::default(),
            bits: vec![0; bits],
        }
    }

    #[test]
    fn a_film_covers_the_whole_run_evenly_and_stays_bounded() {
        let mut film = Vec::new();
        for step in 0..=5000 {
            add(&mut film, grid(step, 4));
            assert!(film.len() <= FRAMES && film[0].step == 0 && film.last().unwrap().step == step);
        }
        let strides: Vec<u32> = film.windows(2).map(|pair| pair[1].step - pair[0].step).collect();
        let (least, most) = (strides[..strides.len() - 1].iter().min().unwrap(), strides.iter().max().unwrap());
        assert!(film.len() == FRAMES && 2 * most <= 5 * least, "{strides:?}");
        let mut large = Vec::new();
        for step in 0..20 {
            add(&mut large, grid(step, BYTES / 5));
        }
        assert_eq!(large.len(), 5);
    }

    #[test]
    fn what_is_seen_anew_takes_the_place_of_what_came_after_it() {
        let mut film = Vec::new();
        for (step, bits) in [(0, 4), (5, 4), (9, 4), (5, 4), (7, 4)] {
            add(&mut film, grid(step, bits));
        }
        let steps = |film: &[Grid]| film.iter().map(|grid| grid.step).collect::<Vec<_>>();
        assert_eq!(steps(&film), [0, 5, 7]);
        add(&mut film, grid(8, 6));
        assert_eq!(steps(&film), [8], "pictures of another shape are another film");
    }
}
