//! The menu of views, and presets: ready-made addresses of them.

use crate::ui::address::{self, OnShow, View};
use crate::ui::dropdown::{Dropdown, DropdownMenu};
use crate::ui::table::rows;
use leptos::prelude::*;
use web_sys::MouseEvent;

/// For each preset its name, what it shows, and its fragment of the address.
const PRESETS: &str = include_str!("presets.txt");

/// The menu of views.
pub fn menu_of_views() -> impl IntoView {
    let shown = OnShow::of_page().view;
    view! {
        <nav class="menu" aria-label="Views">
            {View::ALL
                .map(|view| {
                    view! {
                        <a
                            href=format!("#view={}", view.name())
                            data-longest=view.title()
                            aria-current=move || (shown.get() == view).then_some("page")
                            on:click=move |event| {
                                if !(event.ctrl_key() || event.meta_key() || event.shift_key()) {
                                    event.prevent_default();
                                    address::go(view);
                                }
                            }
                        >
                            <span>{view.title()}</span>
                        </a>
                    }
                })
                .collect_view()}
        </nav>
    }
}

/// The presets, folded until clicked.
pub fn presets_menu() -> impl IntoView {
    let dropdown = Dropdown::default();
    let preset = move |[name, what, fragment]: [&'static str; 3]| {
        let choose = move |event: MouseEvent| {
            event.prevent_default();
            dropdown.close();
            address::replace_all(fragment);
        };
        view! {
            <a href=format!("#{fragment}") on:click=choose>
                <b>{name}</b>
                <span>{what}</span>
            </a>
        }
    };
    view! {
        <DropdownMenu dropdown class="presets" label="Presets">
            <div>{rows(PRESETS).map(preset).collect_view()}</div>
        </DropdownMenu>
    }
}
