//! The state of the views, in the address's fragment: `#view=train&t.hidden=800,200&t.seed=7`.
//!
//! Each key has one owner, given by its prefix (`t.` is Train, `i.` its instruments, `c.` Complete, `x.` two runs side by side,
//! `m.` Coupling, `p.` Proof; `view` is the shell's). Owners leave out default values. Writing replaces the address in place;
//! only changing to another view adds an entry to the history.

use js_sys::JsString;
use leptos::prelude::*;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::time::Duration;
use wasm_bindgen::prelude::*;

/// One of the four views.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum View {
    /// A model learns.
    Train,
    /// A model fills in what is hidden.
    #[default]
    Complete,
    /// Two chains meet.
    Coupling,
    /// The mean of an estimator converges to the exact gradient, or does not.
    Proof,
}

impl View {
    /// In the order of the menu.
    pub const ALL: [Self; 4] = [Self::Train, Self::Complete, Self::Coupling, Self::Proof];

    /// Its title in the menu.
    pub const fn title(self) -> &'static str {
        ["Train", "Complete", "Coupling", "Proof"][self as usize]
    }

    /// Its name in the address.
    pub const fn name(self) -> &'static str {
        ["train", "complete", "coupling", "proof"][self as usize]
    }

    /// The view with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|view| view.name() == name)
    }

    /// The view that the address asks for; otherwise that of a first visit.
    pub fn now() -> Self {
        get("view").and_then(|name| Self::named(&name)).unwrap_or_default()
    }

    /// Prefixes of the keys that describe its state.
    const fn prefixes(self) -> &'static [&'static str] {
        match self {
            Self::Train => &["t.", "i.", "x."],
            Self::Complete => &["c."],
            Self::Coupling => &["m."],
            Self::Proof => &["p."],
        }
    }

    /// Suggested height in pixels of a frame that shows it alone. Complete fits if the frame is 760 wide; the others scroll in
    /// their frame.
    pub const fn embedded_height(self) -> u32 {
        [960, 1120, 960, 960][self as usize]
    }

    /// The part of the address that belongs to this view.
    pub fn pairs(self) -> Vec<(String, String)> {
        let own = |key: &str| self.prefixes().iter().any(|prefix| key.starts_with(prefix));
        pairs().into_iter().filter(|(key, _)| own(key)).collect()
    }

    /// The absolute address of the whole page with this view, in the state that these pairs describe.
    pub fn link(self, mut pairs: Vec<(String, String)>) -> String {
        pairs.insert(0, ("view".into(), self.name().into()));
        absolute(None, &pairs)
    }

    /// The same for this view alone, for somebody else's page.
    pub fn embedded(self, pairs: &[(String, String)]) -> String {
        absolute(Some(("embed", self.name().into())), pairs)
    }
}

/// The page's own address with a key before the fragment, and this fragment. The data set that the page was opened with stays in
/// the address.
fn absolute(first: Option<(&str, String)>, pairs: &[(String, String)]) -> String {
    let href = window().location().href().unwrap_or_default();
    let keys = first.into_iter().chain(asked("data").map(|data| ("data", data)));
    let search: Vec<_> = keys.map(|(key, value)| format!("{key}={}", escaped(&value))).collect();
    let part = |mark, text: String| if text.is_empty() { text } else { format!("{mark}{text}") };
    let page = href.split(['?', '#']).next().unwrap_or_default();
    format!("{page}{}{}", part('?', search.join("&")), part('#', fragment(pairs)))
}

/// What the address asks for before the fragment: `?data=…`, `?embed=…`.
pub fn asked(name: &str) -> Option<String> {
    let search = window().location().search().ok()?;
    web_sys::UrlSearchParams::new_with_str(&search).ok()?.get(name)
}

/// Whether the address asks for more than the page itself.
pub fn asked_anything() -> bool {
    !pairs().is_empty() || window().location().search().is_ok_and(|search| !search.is_empty())
}

/// Which parts of the page are shown: a context of the page.
#[derive(Clone, Copy, Default)]
pub struct OnShow {
    /// The view that is shown.
    pub view: RwSignal<View>,
    /// Whether Train shows two runs side by side.
    pub two_runs: RwSignal<bool>,
    /// The only view, embedded in somebody else's page (`?embed=…`): it keeps nothing, and starts nothing that its address does
    /// not ask for.
    pub embedded: Option<View>,
}

impl OnShow {
    /// The one that belongs to the page.
    pub fn of_page() -> Self {
        expect_context()
    }
}

/// Event of the window that announces a change of the address.
const CHANGED: &str = "dbm-address";
/// Browsers refuse to rewrite the address at every movement of a slider.
const PAUSE: Duration = Duration::from_millis(250);

thread_local! {
    /// What is to be written, by prefix.
    static WAITING: RefCell<BTreeMap<&'static str, Vec<(String, String)>>> = const { RefCell::new(BTreeMap::new()) };
}

/// All keys and values, in order.
pub fn pairs() -> Vec<(String, String)> {
    let hash = window().location().hash().unwrap_or_default();
    hash.trim_start_matches('#')
        .split('&')
        .filter_map(|pair| pair.split_once('='))
        .map(|(key, value)| (plain(key), plain(value)))
        .collect()
}

/// The value of a key.
pub fn get(key: &str) -> Option<String> {
    pairs().into_iter().find(|(name, _)| name == key).map(|(_, value)| value)
}

/// Soon replaces all keys with this prefix by these; of several calls only the last counts.
pub fn put(prefix: &'static str, values: Vec<(String, String)>) {
    let first = WAITING.with_borrow_mut(|waiting| {
        let first = waiting.is_empty();
        waiting.insert(prefix, values);
        first
    });
    if first {
        set_timeout(flush, PAUSE);
    }
}

/// Writes everything that is waiting.
pub fn flush() {
    let waiting = WAITING.take();
    if waiting.is_empty() {
        return;
    }
    let mut all = pairs();
    for (prefix, values) in waiting {
        all.retain(|(key, _)| !key.starts_with(prefix));
        all.extend(values);
    }
    write(&all, false);
}

/// Changes to a view, as a step in the browser's history.
pub fn go(view: View) {
    flush();
    if View::now() != view {
        let mut all = pairs();
        all.retain(|(key, _)| key != "view");
        all.insert(0, ("view".into(), view.name().into()));
        write(&all, true);
    }
}

/// Replaces the whole fragment with this one (without `#`), as a step in the history: for presets.
pub fn replace_all(fragment: &str) {
    WAITING.take();
    let _ = window().location().set_hash(fragment);
}

/// Calls `changed` whenever the address changes: by hand, by Back, by a preset, or by the page.
pub fn follow(changed: impl Fn() + 'static) {
    let listener = Closure::<dyn FnMut()>::new(changed).into_js_value();
    for event in ["hashchange", "popstate", CHANGED] {
        let _ = window().add_event_listener_with_callback(event, listener.unchecked_ref());
    }
}

fn write(all: &[(String, String)], step: bool) {
    let hash = fragment(all);
    let address = format!("#{hash}");
    if window().location().hash().ok().as_deref() == Some(&address) {
        return;
    }
    let Ok(history) = window().history() else { return };
    // If the browser refuses to show an address, the page still continues.
    let _ = if step {
        history.push_state_with_url(&JsValue::NULL, "", Some(&address))
    } else {
        history.replace_state_with_url(&JsValue::NULL, "", Some(&address))
    };
    if let Ok(event) = web_sys::Event::new(CHANGED) {
        let _ = window().dispatch_event(&event);
    }
}

/// Keys and values as a fragment, without `#`.
pub fn fragment(all: &[(String, String)]) -> String {
    let parts: Vec<String> = all.iter().map(|(key, value)| format!("{}={}", escaped(key), escaped(value))).collect();
    parts.join("&")
}

/// Commas and slashes need no escaping in a fragment.
fn escaped(text: &str) -> String {
    String::from(js_sys::encode_uri_component(text)).replace("%2C", ",").replace("%2F", "/").replace("%3A", ":")
}

fn plain(text: &str) -> String {
    js_sys::decode_uri_component(text).unwrap_or_else(|_| JsString::from(text)).into()
}
