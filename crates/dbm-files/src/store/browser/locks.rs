//! Web Locks: names that one tab holds, and that the browser frees when it dies.

use super::js_error::text;
use crate::store::Locks;
use js_sys::{Array, Function, Promise, Reflect};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

/// Prefix of this page's lock names: all locks of the origin share one space.
const PREFIX: &str = "dbm-lab-";

/// The browser's locks; if it has none, everything is free.
pub struct TabLocks {
    manager: Option<JsValue>,
    /// The locks that this tab holds, and how to release them.
    mine: Rc<RefCell<BTreeMap<String, Function>>>,
}

impl Default for TabLocks {
    fn default() -> Self {
        let manager = Reflect::get(&js_sys::global(), &"navigator".into())
            .and_then(|navigator| Reflect::get(&navigator, &"locks".into()))
            .ok()
            .filter(JsValue::is_object);
        Self { manager, mine: Rc::default() }
    }
}

impl TabLocks {
    fn call(&self, method: &str, arguments: &[JsValue]) -> Result<Promise, JsValue> {
        let manager = self.manager.as_ref().ok_or(JsValue::NULL)?;
        let method: Function = Reflect::get(manager, &method.into())?.dyn_into()?;
        Ok(Reflect::apply(&method, manager, &arguments.iter().collect::<Array>())?.unchecked_into())
    }

    /// Requests a lock; the promise says whether it was free.
    fn request(&self, name: &str) -> Promise {
        Promise::new(&mut |answer, _| {
            let (mine, held, refused) = (Rc::clone(&self.mine), name.to_string(), answer.clone());
            let granted = Closure::once_into_js(move |lock: JsValue| -> JsValue {
                let _ = answer.call1(&JsValue::NULL, &JsValue::from(lock.is_object()));
                if !lock.is_object() {
                    return JsValue::UNDEFINED;
                }
                // The lock is held until this promise is resolved.
                Promise::new(&mut |free, _| drop(mine.borrow_mut().insert(held.clone(), free))).into()
            });
            let options = js_sys::Object::new();
            let _ = Reflect::set(&options, &"ifAvailable".into(), &true.into());
            let failed = Closure::once_into_js(move |_: JsValue| refused.call1(&JsValue::NULL, &false.into()).map(|_| ()));
            match self.call("request", &[format!("{PREFIX}{name}").into(), options.into(), granted]) {
                // A granted lock has already answered; that its end is no answer does not matter then.
                Ok(promise) => drop(
                    Reflect::get(&promise, &"catch".into())
                        .map(|catch| catch.dyn_into::<Function>().map(|catch| catch.call1(&promise, &failed))),
                ),
                Err(_) => drop(failed.unchecked_into::<Function>().call1(&JsValue::NULL, &JsValue::NULL)),
            }
        })
    }
}

impl Locks for TabLocks {
    async fn hold(&self, name: &str) -> bool {
        if self.manager.is_none() || self.mine.borrow().contains_key(name) {
            return true;
        }
        JsFuture::from(self.request(name)).await.is_ok_and(|free| free.is_truthy())
    }

    fn release(&self, name: &str) {
        if let Some(free) = self.mine.borrow_mut().remove(name) {
            // Resolving a promise does not throw.
            let _ = free.call0(&JsValue::NULL);
        }
    }

    async fn held(&self) -> Vec<String> {
        let Ok(query) = self.call("query", &[]) else { return Vec::new() };
        let Ok(found) = JsFuture::from(query).await else { return Vec::new() };
        let held = Reflect::get(&found, &"held".into()).unwrap_or_default();
        let held = held.dyn_into::<Array>().unwrap_or_default();
        held.iter().filter_map(|lock| text(&lock, "name")?.strip_prefix(PREFIX).map(String::from)).collect()
    }

    fn work(&self) -> bool {
        self.manager.is_some()
    }
}
