//! The pretrained model's file, or the visitor's own in its place: fetched once, with progress, and given to every worker that
//! starts.

use super::held::{Change, Opening, Session};
use super::shipped::ShippedModel;
use crate::ui::address::{self, View};
use crate::ui::number::decimal;
use crate::ui::problem::words;
use crate::worker::client::Failure;
use dbm_protocol::{Command, Event, ModelChoice, NamedBytes};
use js_sys::Uint8Array;
use js_sys::futures::JsFuture;
use leptos::prelude::*;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{ReadableStreamDefaultReader, Response};

/// Whether a file is a model: a safetensors file starts with the length of its header, which is JSON.
pub fn is_model(bytes: &[u8]) -> bool {
    bytes.get(8..10) == Some(b"{\"")
}

impl Session {
    /// Fetches the model that is wanted and gives it to the worker, if that is ready by then.
    ///
    /// # Errors
    /// Those of giving the model, or data, to the worker. A failure to fetch it is reported here.
    pub async fn fetch_model(self) -> Result<(), Failure> {
        let (which, fetched) = loop {
            let which = self.models.wanted.get_untracked().unwrap_or_default();
            self.models.opening.set(Opening::Fetching(0.0, None));
            let fetched = self.download(which).await;
            // The address may have requested another one meanwhile.
            if self.models.wanted.get_untracked().unwrap_or_default() == which {
                break (which, fetched);
            }
        };
        self.models.wanted.set(None);
        match fetched {
            Ok(bytes) => {
                self.models.shipped.set(which);
                self.models.model_file.set_value(Some(bytes));
                self.models.opening.set(Opening::Reading);
                if self.client.is_ready() {
                    self.perform(self.send_model());
                }
            }
            Err(why) => {
                self.notices.error(format!(
                    "The pretrained model ({}) could not be fetched: {why}. Choose it under Model to try again; training works without it.",
                    which.file()
                ));
                if which != ShippedModel::default() {
                    return Box::pin(self.fetch_model()).await;
                }
                self.models.opening.set(Opening::Missing);
                self.models.model.set(ModelChoice::Training);
            }
        }
        self.use_present_data().await
    }

    /// Puts one of the pretrained models on view, fetching it unless it is open already.
    pub fn show(self, which: ShippedModel) {
        let is_open = self.models.opened.with_untracked(Option::is_none) && self.models.shipped.get_untracked() == which;
        let before = self.models.opening.get_untracked();
        match before {
            Opening::Open if is_open => self.models.model.set(ModelChoice::Pretrained),
            Opening::Open | Opening::Missing => {
                self.models.wanted.set(Some(which));
                self.perform(self.change_model(before));
            }
            // Another is still on its way: once it arrives, it is not the one that is wanted.
            Opening::Fetching(..) | Opening::Reading => {
                self.models.model.set(ModelChoice::Pretrained);
                self.models.wanted.set((!is_open).then_some(which));
            }
        }
    }

    /// Puts the model in training on view, whatever is being fetched.
    pub fn show_training(self) {
        self.models.wanted.set(None);
        self.models.model.set(ModelChoice::Training);
    }

    /// Fetches the wanted pretrained model to replace the open one. The open one stays if the fetch fails or another model is
    /// chosen meanwhile.
    async fn change_model(self, before: Opening) -> Result<(), Failure> {
        let fetched = loop {
            let Some(which) = self.models.wanted.get_untracked() else { break None };
            let fetched = self.download(which).await;
            if self.models.wanted.get_untracked() == Some(which) {
                break Some((which, fetched));
            }
        };
        self.models.opening.set(before);
        let Some((which, fetched)) = fetched else { return Ok(()) };
        let opened = match fetched {
            Ok(bytes) => self.give_model(NamedBytes { name: which.file().into(), bytes }).await,
            Err(why) => {
                let why = format!(
                    "{} could not be fetched: {why}. The model that is open stays; choose again to try again.",
                    which.file()
                );
                Err(Failure::Refused(why))
            }
        };
        self.models.wanted.set(None);
        opened?;
        self.models.opened.set(None);
        self.models.shipped.set(which);
        Ok(())
    }

    /// Puts the visitor's own model on view, if there is one.
    pub fn show_own(self) {
        let Some(own) = self.models.own.get_untracked() else { return };
        self.models.wanted.set(None);
        if self.models.opened.with_untracked(Option::is_some) {
            self.models.model.set(ModelChoice::Pretrained);
        } else {
            self.perform(self.open_model(own.name, own.bytes));
        }
    }

    /// Gives the worker the file, if it has arrived.
    pub(super) async fn send_model(self) -> Result<(), Failure> {
        let Some(bytes) = self.models.model_file.get_value() else { return Ok(()) };
        self.models.opening.set(Opening::Reading);
        let name = self.models.opened.get_untracked().unwrap_or_else(|| self.models.shipped.get_untracked().file().into());
        match self.ask(Command::OpenModel(NamedBytes { name, bytes })).await {
            Ok(Event::ModelOpened(about)) => {
                self.models.pretrained.set(Some(about));
                self.models.opening.set(Opening::Open);
                Ok(())
            }
            other => {
                self.models.opening.set(Opening::Missing);
                other.map(|_| ()).map_err(|failure| match failure {
                    Failure::Refused(why) => {
                        Failure::Refused(format!("The pretrained model could not be opened: {why} Training works without it."))
                    }
                    other => other,
                })
            }
        }
    }

    /// Opens a file of the visitor's instead of the pretrained model.
    ///
    /// # Errors
    /// As [`Session::ask`]; the open model stays.
    pub async fn open_model(self, name: String, bytes: Vec<u8>) -> Result<(), Failure> {
        let own = NamedBytes { name: name.clone(), bytes };
        self.give_model(own.clone()).await?;
        self.models.opened.set(Some(name));
        self.models.own.set(Some(own));
        self.models.looks_at_pretrained.set(true);
        Ok(())
    }

    async fn give_model(self, file: NamedBytes) -> Result<(), Failure> {
        if let Event::ModelOpened(about) = self.ask(Command::OpenModel(file.clone())).await? {
            self.models.model_file.set_value(Some(file.bytes));
            self.models.pretrained.set(Some(about));
            self.models.opening.set(Opening::Open);
            self.samples_of(ModelChoice::Pretrained).set(None);
            self.models.model.set(ModelChoice::Pretrained);
        }
        Ok(())
    }

    /// Resumes the opened model's run on the data in use, which it fits.
    ///
    /// # Errors
    /// As [`Session::ask`]; the present run stays.
    pub async fn resume(self) -> Result<(), Failure> {
        let (Some(checkpoint), Some(plan)) = (self.models.model_file.get_value(), self.run.plan.get_untracked()) else {
            return Ok(());
        };
        let Some(source) = self.source(self.sets.choice_in_use.get_untracked()) else { return Ok(()) };
        self.models.model.set(ModelChoice::Training);
        address::go(View::Train);
        let answer = self.ask(Command::UseData { source, plan, checkpoint }).await;
        self.take_data(answer, Change::Resumed)
    }

    /// The bytes of the pretrained model, or of the visitor's own if that is open instead; fetched if nothing has requested them
    /// yet.
    ///
    /// # Errors
    /// Why they could not be fetched.
    pub async fn opened_file(self) -> Result<Uint8Array, Failure> {
        if self.models.model_file.with_value(Option::is_none) {
            let which = self.models.shipped.get_untracked();
            let fetched = self.download(which).await;
            let why = |why| Failure::Refused(format!("the pretrained model ({}) could not be fetched: {why}", which.file()));
            self.models.model_file.set_value(Some(fetched.map_err(why)?));
        }
        let bytes = self.models.model_file.with_value(|file| file.as_deref().map(Uint8Array::from));
        bytes.ok_or(Failure::Ended)
    }

    async fn download(self, which: ShippedModel) -> Result<Vec<u8>, String> {
        let explain = |problem: JsValue| words(&problem);
        let response = JsFuture::from(window().fetch_with_str(which.file())).await.map_err(explain)?;
        let response: Response = response.dyn_into().map_err(|_| "the browser gave no answer".to_string())?;
        if !response.ok() {
            return Err(format!("the server answered {} {}", response.status(), response.status_text()));
        }
        let header = |name| response.headers().get(name).ok().flatten();
        if header("content-type").unwrap_or_default().starts_with("text/html") {
            return Err("a safetensors file was expected, but got a web page".into());
        }
        let total = header("content-length").and_then(|length| decimal(&length));
        let Some(body) = response.body() else { return Err("the answer was empty".into()) };
        let reader: ReadableStreamDefaultReader = body.get_reader().unchecked_into();
        let mut bytes = Vec::new();
        loop {
            let part = JsFuture::from(reader.read()).await.map_err(explain)?;
            let get = |name: &str| js_sys::Reflect::get(&part, &name.into());
            if let Ok(chunk) = get("value").and_then(JsCast::dyn_into::<Uint8Array>) {
                bytes.extend_from_slice(&chunk.to_vec());
                self.models.opening.set(Opening::Fetching(bytes.len() as f64, total));
            }
            if get("done").ok().and_then(|done| done.as_bool()) != Some(false) {
                break;
            }
        }
        match total {
            Some(total) if total > bytes.len() as f64 && header("content-encoding").is_none() => {
                Err(format!("{total} bytes were announced, but got {}", bytes.len()))
            }
            _ => Ok(bytes),
        }
    }
}
