//! The state of Complete. It sends the view's requests to the worker and receives the answers.

use super::answer_set::AnswerSet;
use super::picture::{Picture, Tool};
use super::recording::{self, Recording};
use super::settings::{CompletionSettings, PictureStart, Watched};
use crate::canvas::prefers_less_motion;
use crate::canvas::shape::Shape;
use crate::ui::form::Form;
use crate::worker::client::LongRequest;
use crate::worker::session::{Session, ShippedModel};
use dbm_protocol::{Command, CompletionRequest, Event, Greys, ModelChoice, PictureToComplete, fresh_seed};
use leptos::prelude::*;

/// A watched pair is cut after this many steps.
const PAIR_STEPS: u32 = 50;

/// What the large canvas shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnCanvas {
    /// The picture and its unknown region.
    #[default]
    Picture,
    /// An answer, by its index among all answers.
    Answer(usize),
    /// One picture made of all answers.
    Consensus,
    /// The share of answers with ink, pixel by pixel.
    Agreement,
    /// The present state of the recording.
    Recording,
}

/// What the address says about a picture that has not arrived yet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PictureInAddress {
    /// Its unknown region, in the format of [`Picture::mask_text`].
    pub mask: Option<String>,
    /// Its ink, in the format of [`Picture::ink_text`].
    pub ink: Option<String>,
    /// Whether to complete it (`false`) or to clean it up (`true`) at once; `None` for neither.
    pub clean_up: Option<bool>,
}

/// The state of the view: a handle that lives as long as the page.
#[derive(Clone, Copy)]
pub struct CompletionState {
    /// The models and data that the worker holds.
    pub session: Session,
    /// The visitor's choices.
    pub settings: RwSignal<CompletionSettings>,
    /// The picture to complete.
    pub picture: RwSignal<Picture>,
    /// What a click on the canvas does.
    pub tool: RwSignal<Tool>,
    /// Width of the brush, in cells.
    pub brush: RwSignal<f64>,
    /// Where the present stroke has got to, in cells.
    pub stroke: StoredValue<Option<(f64, f64)>>,
    /// What the large canvas shows.
    pub on_canvas: RwSignal<OnCanvas>,
    /// The latest answers.
    pub answers: RwSignal<Option<AnswerSet>>,
    /// The request that completes or cleans up.
    pub work: LongRequest,
    /// The answer or pair watched last.
    pub recording: RwSignal<Option<Recording>>,
    /// Index of the state of it that is shown.
    pub frame: RwSignal<usize>,
    /// Whether it is playing.
    pub playing: RwSignal<bool>,
    /// What the address says about the next picture, until that arrives.
    pub to_come: RwSignal<Option<PictureInAddress>>,
    /// Counts the recordings requested: the results of an earlier one are dropped.
    watching: StoredValue<u32>,
    /// The request for the next picture, and the layout it was made for.
    awaited: StoredValue<Option<(u32, Shape)>>,
}

impl CompletionState {
    /// An empty view, which gets a picture as soon as there is a model.
    pub fn new() -> Self {
        let session = Session::of_page();
        let state = Self {
            session,
            settings: RwSignal::default(),
            picture: RwSignal::default(),
            tool: RwSignal::default(),
            brush: RwSignal::new(3.0),
            stroke: StoredValue::default(),
            on_canvas: RwSignal::default(),
            answers: RwSignal::default(),
            work: LongRequest::new(session.client),
            recording: RwSignal::default(),
            frame: RwSignal::default(),
            playing: RwSignal::default(),
            to_come: RwSignal::default(),
            watching: StoredValue::default(),
            awaited: StoredValue::default(),
        };
        Effect::new(move |_| {
            state.session.sets.data.track();
            if let Some(shape) = state.shape_on_view() {
                untrack(|| state.fit_picture(shape));
            }
        });
        // Answers to another question are not shown as answers to this one.
        Effect::new(move |_| {
            let of_answers =
                matches!(state.on_canvas.get_untracked(), OnCanvas::Answer(_) | OnCanvas::Consensus | OnCanvas::Agreement);
            if !state.has_answers() && of_answers {
                state.show(OnCanvas::Picture);
            }
        });
        state
    }

    /// The choices as a form.
    pub fn form(self) -> Form {
        Form::over("", self.settings, move |after| self.settings.set(after))
    }

    /// Whether pictures are digits; the first one is.
    pub fn is_digit(self) -> bool {
        self.picture.with(|picture| picture.shape.units == 0 || picture.shape.is_picture(28, 28))
    }

    /// Whether there is no model to ask.
    pub fn lacks_model(self) -> bool {
        self.session.about().is_none()
    }

    /// Whether nothing is hidden, or there is no model to ask.
    pub fn has_nothing_to_ask(self) -> bool {
        self.lacks_model() || self.picture.with(|picture| picture.n_unknown() == 0)
    }

    /// How many classes the model on view distinguishes; 0 for none.
    pub fn n_classes(self) -> u32 {
        self.session.about().map_or(0, |about| about.classes)
    }

    /// The chosen class, if the model on view has it.
    pub fn class(self) -> Option<u8> {
        self.settings.with(|settings| settings.class).filter(|&class| u32::from(class) < self.n_classes())
    }

    /// Which model answers: the one in training, or one of the opened ones.
    fn whose(self) -> (ModelChoice, Option<String>, ShippedModel) {
        (self.session.models.model.get(), self.session.models.opened.get(), self.session.models.shipped.get())
    }

    /// Whether there are answers to the present question.
    pub fn has_answers(self) -> bool {
        let asks = |request: &CompletionRequest| {
            self.picture.with(|picture| picture.bits() == request.values && picture.unknown() == request.unknown)
                && (request.clean_up || request.class == self.class())
        };
        self.answers
            .with(|answers| answers.as_ref().is_some_and(|answers| answers.whose == self.whose() && asks(&answers.request)))
    }

    /// What the latest answers filled in, one byte per unit.
    pub fn answered(self) -> Option<Vec<u8>> {
        self.answers.with(|answers| answers.as_ref().map(|answers| answers.request.filled()))
    }

    /// Rows and columns of the picture, for the style sheet.
    pub fn aspect_ratio(self) -> String {
        self.picture.with(|picture| picture.shape.ratio(1, 1))
    }

    /// The request for completing the present picture with the present settings, or for cleaning it up.
    pub fn request(self, clean_up: bool) -> CompletionRequest {
        let settings = self.settings.get();
        let (values, unknown) = self.picture.with(|picture| (picture.bits().to_vec(), picture.unknown().to_vec()));
        let (answers, (method, sweeps)) = (settings.answers.0, settings.completion_method(clean_up));
        CompletionRequest {
            model: self.session.models.model.get(),
            values,
            unknown,
            answers,
            method,
            sweeps,
            clean_up,
            class: self.class().filter(|_| !clean_up),
            seed: settings.answer_seed,
        }
    }

    /// Requests answers, or cleans the picture up. If nothing is unknown, there is nothing to answer.
    pub fn complete(self, clean_up: bool) {
        let request = untrack(|| self.request(clean_up));
        if !(clean_up || request.unknown.contains(&1)) {
            return;
        }
        let truth = self.picture.with_untracked(|picture| picture.truth().map(<[u8]>::to_vec));
        let (whose, step) = (untrack(|| self.whose()), self.session.run.metrics.with_untracked(|metrics| metrics.step));
        let answer = self.work.ask(Command::Complete(request.clone()));
        self.session.perform(async move {
            if let Some(Event::Completions(completions)) = answer.await? {
                let answers = AnswerSet { completions, request, truth, whose, step };
                let best = answers.distinct(self.settings.get_untracked().order).first().map_or(0, |first| first.place);
                self.answers.set(Some(answers));
                // A visitor who has begun another question keeps seeing it.
                if untrack(|| self.has_answers()) && self.stroke.get_value().is_none() {
                    self.show(OnCanvas::Answer(best));
                }
            }
            Ok(())
        });
    }

    /// Requests other answers to the same question.
    pub fn complete_again(self) {
        self.settings.update(|settings| settings.answer_seed = fresh_seed());
        self.complete(self.answers.with_untracked(|answers| answers.as_ref().is_some_and(|answers| answers.request.clean_up)));
    }

    /// Requests the first answer or a pair, and shows it state by state.
    pub fn watch(self) {
        let settings = self.settings.get_untracked();
        let request = untrack(|| self.request(false));
        let (hidden, visible) = (request.unknown.clone(), request.values.len());
        let command = match settings.watched {
            Watched::Answer => Command::Watch(request),
            Watched::Pair(kernel) => Command::WatchPair { request, kernel, steps: PAIR_STEPS },
        };
        let answer = self.session.client.ask(command);
        let watching = self.watching.get_value().wrapping_add(1);
        self.watching.set_value(watching);
        self.session.perform(async move {
            let answered = answer.await?;
            if self.watching.get_value() != watching {
                return Ok(());
            }
            let states = match answered {
                Event::Watched(trace) => recording::of_answer(trace),
                Event::Pair(trace) => recording::of_pair(&trace, visible),
                _ => Vec::new(),
            };
            if !states.is_empty() {
                self.frame.set(0);
                self.recording.set(Some(Recording { states, unknown: hidden }));
                self.show(OnCanvas::Recording);
                self.playing.set(!prefers_less_motion());
            }
            Ok(())
        });
    }

    /// The layout of the visible layer of the model on view.
    pub fn shape_on_view(self) -> Option<Shape> {
        self.session.about().as_ref().map(Shape::of_model)
    }

    /// Where a picture for the model on view can come from: `start` itself, or the nearest possibility.
    pub fn possible_start(self, start: PictureStart) -> PictureStart {
        let shape = self.shape_on_view();
        let data_fit = || {
            self.session.sets.data.with(|data| data.as_ref().map(|data| data.width as usize)) == shape.map(|shape| shape.units)
        };
        match start {
            PictureStart::Generated if !shape.is_some_and(|shape| shape.is_picture(28, 28)) => {
                self.possible_start(PictureStart::Data)
            }
            PictureStart::Data if !data_fit() => PictureStart::Sample,
            other => other,
        }
    }

    /// Gets a picture that the model on view can complete, if the present one does not fit or the address asks for one.
    fn fit_picture(self, shape: Shape) {
        let in_address = self.to_come.with(Option::is_some);
        let fits = self.picture.with(|picture| picture.shape == shape) && !in_address;
        if fits || self.awaited.get_value().is_some_and(|(_, awaited)| awaited == shape) {
            return;
        }
        if !in_address {
            // A picture of a new shape does not begin blank: one that the model knows is better.
            let start = Some(self.settings.get().start).filter(|&start| start != PictureStart::Blank);
            let start = self.possible_start(start.unwrap_or(PictureStart::Data));
            self.settings.update(|settings| settings.start = start);
        }
        self.new_picture();
    }

    /// Requests another picture of the same kind.
    pub fn another_picture(self) {
        self.settings.update(|settings| settings.picture_seed = fresh_seed());
        self.new_picture();
    }

    /// Requests the picture of the chosen start and seed; a blank one is made at once. Does nothing while there is no model.
    pub fn new_picture(self) {
        let Some(shape) = untrack(|| self.shape_on_view()) else { return };
        let CompletionSettings { start, picture_seed: seed, .. } = self.settings.get_untracked();
        let data_to_come = self.session.sets.data.with_untracked(Option::is_none) && self.to_come.with_untracked(Option::is_some);
        if start == PictureStart::Data && data_to_come {
            return;
        }
        let Some(source) = untrack(|| self.possible_start(start)).source() else {
            return self.take_picture(Picture::blank(shape));
        };
        let answer = self.session.client.ask(Command::Picture { source, model: self.session.models.model.get_untracked(), seed });
        let request = answer.id;
        self.awaited.set_value(Some((request, shape)));
        self.session.perform(async move {
            let answered = answer.await;
            if self.awaited.get_value().is_none_or(|(awaited, _)| awaited != request) {
                return Ok(()); // another one was requested meanwhile
            }
            self.awaited.set_value(None);
            if let Event::Picture(PictureToComplete { image, bits, missing, .. }) = answered? {
                let shape = untrack(|| self.shape_on_view()).filter(|shape| shape.units == bits.len());
                self.take_picture(Picture::with_gaps(shape.unwrap_or_else(|| Shape::of(image, Greys::default())), bits, missing));
            }
            Ok(())
        });
    }

    /// Puts a new picture on the canvas, with its lower half unknown or as the address says.
    fn take_picture(self, mut picture: Picture) {
        self.awaited.set_value(None);
        let PictureInAddress { mask, ink, clean_up } = self.to_come.try_update(Option::take).flatten().unwrap_or_default();
        let CompletionSettings { start, picture_seed: seed, .. } = self.settings.get_untracked();
        picture.set_ink(&ink.unwrap_or_default());
        picture.set_mask(start.mask(), seed);
        picture.set_mask(&mask.unwrap_or_default(), seed);
        picture.forget();
        if self.picture.with_untracked(|before| before.shape) != picture.shape {
            self.brush.set(if picture.shape.rows <= 12 { 1.0 } else { 3.0 });
        }
        self.picture.set(picture);
        self.show(OnCanvas::Picture);
        self.answers.set(None);
        self.recording.set(None);
        if let Some(clean_up) = clean_up {
            self.complete(clean_up);
        }
    }

    /// Shows something on the large canvas, and stops playing.
    pub fn show(self, what: OnCanvas) {
        self.playing.set(false);
        self.on_canvas.set(what);
    }

    /// Edits the picture and shows it again.
    pub fn edit(self, edit: impl FnOnce(&mut Picture)) {
        self.show(OnCanvas::Picture);
        self.picture.update(edit);
    }
}
