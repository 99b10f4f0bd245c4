//! Seconds since some fixed moment, in the browser and in native tests.

use dbm_core::Host;

#[cfg(target_arch = "wasm32")]
pub fn now() -> f64 {
    use wasm_bindgen::JsCast;
    let scope: web_sys::DedicatedWorkerGlobalScope = js_sys::global().unchecked_into();
    scope.performance().map_or(0.0, |performance| performance.now() / 1e3)
}

#[cfg(not(target_arch = "wasm32"))]
pub fn now() -> f64 {
    use std::sync::LazyLock;
    use std::time::Instant;
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed().as_secs_f64()
}

/// This worker: one thread and that clock.
pub struct SingleThread;

impl Host for SingleThread {
    fn map<T: Send, R: Send>(&self, items: Vec<T>, f: impl Fn(T) -> R + Sync + Send) -> Vec<R> {
        items.into_iter().map(f).collect()
    }

    fn now(&self) -> f64 {
        now()
    }
}
