//! The views, and ready-made addresses of them.

use crate::ui::address::{self, OnShow, View};
use crate::ui::texts::rows;
use leptos::html::Details;
use leptos::prelude::*;

/// Name, what it shows, and the fragment of the address that is it.
const PRESETS: &str = include_str!("presets.txt");

/// The menu of views.
#[component]
pub fn Menu() -> impl IntoView {
    let shown = OnShow::of_page().view;
    view! {
        <nav class="menu" aria-label="Views">
            {View::ALL
                .map(|view| {
                    view! {
                        <a
                            href=format!("#view={}", view.name())
                            aria-current=move || (shown.get() == view).then_some("page")
                            on:click=move |event| {
                                if !(event.ctrl_key() || event.meta_key() || event.shift_key()) {
                                    event.prevent_default();
                                    address::go(view);
                                }
                            }
                        >
                            {view.title()}
                        </a>
                    }
                })
                .collect_view()}
        </nav>
    }
}

/// The presets, folded until pressed.
#[component]
pub fn Presets() -> impl IntoView {
    let menu = NodeRef::<Details>::new();
    let close = move || {
        if let Some(menu) = menu.get_untracked() {
            menu.set_open(false);
        }
    };
    view! {
        <details class="save presets" name="save" node_ref=menu on:keydown=move |event| if event.key() == "Escape" { close() }>
            <summary>"Presets"</summary>
            <div>
                {rows(PRESETS)
                    .map(|[name, what, fragment]| {
                        view! {
                            <a
                                href=format!("#{fragment}")
                                on:click=move |event| {
                                    event.prevent_default();
                                    close();
                                    address::replace_all(fragment);
                                }
                            >
                                <b>{name}</b>
                                <span>{what}</span>
                            </a>
                        }
                    })
                    .collect_view()}
            </div>
        </details>
    }
}
