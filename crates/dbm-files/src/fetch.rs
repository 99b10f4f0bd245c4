//! Data from elsewhere: an address given by the visitor, or MNIST from one of its mirrors, cached by the browser.

use crate::reader::Report;
use crate::reader::addresses::{self, AddressPart, MIRRORS, MNIST};
use crate::reader::verify;
use dbm_protocol::NamedBytes;
use dbm_protocol::transport::scope;
use js_sys::{Reflect, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{AbortController, Cache, CacheStorage, ReadableStreamDefaultReader, RequestInit, Response, Url};

/// The cache in which the browser stores fetched and verified files.
const CACHE: &str = "dbm-lab-data";
/// A response larger than this is not read further.
const LARGEST: f64 = 1024.0 * 1024.0 * 1024.0;
/// A mirror that sends nothing for this many milliseconds is given up.
const SILENCE: i32 = 15_000;

/// The files of MNIST, images first: from the cache, or from the first mirror that sends exactly the right files.
pub async fn mnist(report: Report<'_>) -> Result<Vec<NamedBytes>, String> {
    let mut files = Vec::new();
    for part in &MNIST {
        files.push(NamedBytes { name: part.name.into(), bytes: mnist_part(part, report).await? });
    }
    Ok(files)
}

async fn mnist_part(part: &AddressPart, report: Report<'_>) -> Result<Vec<u8>, String> {
    // A missing cache (private mode, a page without https) does not prevent fetching.
    let cache = open_cache().await.ok();
    if let Some(cache) = &cache
        && let Some(bytes) = from_cache(cache, part).await
    {
        return Ok(bytes);
    }
    let mut failures = Vec::new();
    for mirror in MIRRORS {
        let address = absolute(&format!("{mirror}{}.gz", part.name))?;
        let host = address.split('/').nth(2).unwrap_or(&address).to_string();
        let mut on_progress = |done: f64, total: f64| report(&format!("Fetching {} from {host}", part.name), done, total);
        let fetched = match download(&address, &mut on_progress).await {
            Ok(bytes) => verify::unpacked(part, &host, &bytes).map(|content| (bytes, content)),
            Err(why) => Err(format!("{host}: {why}")),
        };
        match fetched {
            Ok((bytes, content)) => {
                if let Some(cache) = &cache {
                    to_cache(cache, part, &bytes).await;
                }
                return Ok(content);
            }
            Err(why) => failures.push(why),
        }
    }
    Err(format!(
        "MNIST could not be fetched: {}. The data in use stay; generated digits need no network, and you can drop MNIST’s files here.",
        failures.join("; ")
    ))
}

async fn open_cache() -> Result<Cache, JsValue> {
    // A page over plain http has none.
    let caches = Reflect::get(&scope(), &"caches".into())?;
    let caches: CacheStorage = caches.dyn_into()?;
    let cache = JsFuture::from(caches.open(CACHE)).await?;
    cache.dyn_into()
}

fn cache_key(part: &AddressPart) -> String {
    format!("./{}.gz?sha256={}", part.name, part.sha256)
}

async fn from_cache(cache: &Cache, part: &AddressPart) -> Option<Vec<u8>> {
    let found = JsFuture::from(cache.match_with_str(&cache_key(part))).await.ok()?;
    let response: Response = found.dyn_into().ok()?;
    let buffer = JsFuture::from(response.array_buffer().ok()?).await.ok()?;
    // Cached files are verified again: they may have been cut short.
    verify::unpacked(part, "the cache", &Uint8Array::new(&buffer).to_vec()).ok()
}

/// A cache that is full or refuses only costs the next visit a download.
async fn to_cache(cache: &Cache, part: &AddressPart, bytes: &[u8]) {
    let body = Uint8Array::from(bytes);
    if let Ok(response) = Response::new_with_opt_js_u8_array(Some(&body)) {
        let _ = JsFuture::from(cache.put_with_str(&cache_key(part), &response)).await;
    }
}

/// The content of an address, if this page may fetch it.
pub async fn file(address: &str, report: Report<'_>) -> Result<NamedBytes, String> {
    let absolute = addresses::of_file(&absolute(address)?);
    addresses::allowed(&absolute, &page())?;
    let path = absolute.split(['?', '#']).next().unwrap_or_default();
    let name = path.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or("data").to_string();
    let shown = addresses::shown(address);
    let mut on_progress = |done: f64, total: f64| report(&format!("Fetching {shown}"), done, total);
    // Why a request fails the browser keeps to itself.
    let elsewhere = if absolute.starts_with(&scope().location().origin()) {
        ""
    } else {
        " (a host may send on to another, which this page may not ask)"
    };
    let bytes = download(&absolute, &mut on_progress)
        .await
        .map_err(|why| format!("{shown}: {why}; check the address, or download the file and drop it here{elsewhere}"))?;
    Ok(NamedBytes { name, bytes })
}

fn absolute(address: &str) -> Result<String, String> {
    let url = Url::new_with_base(address, &page());
    url.map(|url| url.href())
        .map_err(|_| format!("{}: this is not an address; give one like ?data=folder/table.csv", addresses::shown(address)))
}

fn page() -> String {
    scope().location().href()
}

/// Reads a response piece by piece; gives up after a long silence, or beyond the maximum size.
async fn download(address: &str, on_progress: &mut dyn FnMut(f64, f64)) -> Result<Vec<u8>, String> {
    let controller = AbortController::new().map_err(message)?;
    let timeout = SilenceTimeout::new(controller.clone());
    let options = RequestInit::new();
    options.set_signal(Some(&controller.signal()));
    options.set_credentials(web_sys::RequestCredentials::Omit);
    timeout.restart();
    let response = JsFuture::from(scope().fetch_with_str_and_init(address, &options)).await;
    let response: Response = response.map_err(|problem| timeout.message(problem))?.dyn_into().map_err(message)?;
    if !response.ok() {
        return Err(format!("the server answered {} {}", response.status(), response.status_text()));
    }
    let header = |name: &str| response.headers().get(name).ok().flatten();
    // For a compressed response, the length is the compressed one.
    let announced = header("content-length").filter(|_| header("content-encoding").is_none());
    let total = announced.and_then(|length| length.parse::<f64>().ok()).unwrap_or(0.0);
    let Some(body) = response.body() else { return Err("the answer was empty".into()) };
    let reader: ReadableStreamDefaultReader = body.get_reader().unchecked_into();
    let mut bytes = Vec::new();
    loop {
        timeout.restart();
        let part = JsFuture::from(reader.read()).await;
        let part = part.map_err(|problem| format!("{} after {}", timeout.message(problem), amount(bytes.len(), total)))?;
        let get = |name: &str| Reflect::get(&part, &name.into());
        if get("done").ok().and_then(|done| done.as_bool()) != Some(false) {
            break;
        }
        if let Ok(chunk) = get("value").and_then(JsCast::dyn_into::<Uint8Array>) {
            if bytes.len() as f64 + f64::from(chunk.length()) > LARGEST {
                controller.abort();
                return Err("more than 1024 MiB arrived; use a part of it".into());
            }
            bytes.extend_from_slice(&chunk.to_vec());
            on_progress(bytes.len() as f64, total);
        }
    }
    if (bytes.len() as f64) < total {
        return Err(format!("the answer ended after {}", amount(bytes.len(), total)));
    }
    Ok(bytes)
}

/// How much has arrived, and the total if it was announced.
fn amount(bytes: usize, total: f64) -> String {
    if total > 0.0 { format!("{bytes} of {total} bytes") } else { format!("{bytes} bytes") }
}

/// Aborts a request that has been silent for too long.
struct SilenceTimeout {
    controller: AbortController,
    timer: std::cell::Cell<Option<i32>>,
    abort: Closure<dyn FnMut()>,
}

impl SilenceTimeout {
    fn new(controller: AbortController) -> Self {
        let aborted = controller.clone();
        Self { controller, timer: std::cell::Cell::new(None), abort: Closure::new(move || aborted.abort()) }
    }

    fn restart(&self) {
        self.stop();
        let abort = self.abort.as_ref().unchecked_ref();
        self.timer.set(scope().set_timeout_with_callback_and_timeout_and_arguments_0(abort, SILENCE).ok());
    }

    fn stop(&self) {
        if let Some(timer) = self.timer.take() {
            scope().clear_timeout_with_handle(timer);
        }
    }

    fn message(&self, problem: JsValue) -> String {
        if self.controller.signal().aborted() { format!("nothing arrived for {} s", SILENCE / 1000) } else { message(problem) }
    }
}

impl Drop for SilenceTimeout {
    fn drop(&mut self) {
        self.stop();
    }
}

fn message(problem: impl Into<JsValue>) -> String {
    let problem = problem.into();
    let message = Reflect::get(&problem, &"message".into()).ok().and_then(|message| message.as_string());
    message.unwrap_or_else(|| "the browser did not say why".into())
}
