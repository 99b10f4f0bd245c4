//! The table on the screen: gaps marked, filled cells coloured by their probability; a click on one explains it.

use super::state::{Gaps, OpenedTable, SHOWN};
use crate::ui::button::Button;
use crate::ui::select::Check;
use crate::worker::session::Session;
use dbm_protocol::{CellDetails, CellState, RowsAsked};
use leptos::prelude::*;

/// Alternatives shown.
const VALUES: usize = 6;

/// The rows shown.
pub fn rows(gaps: Gaps) -> impl IntoView {
    let columns = Memo::new(move |_| gaps.asked.with(|asked| asked.first_column));
    let heads = move || {
        let (first, count) = (columns.get() as usize, SHOWN.1 as usize);
        gaps.table.with(|table| {
            let names = table.iter().flat_map(|table| &table.columns).skip(first).take(count);
            names.map(|name| view! { <th scope="col" title=name.clone()>{name.clone()}</th> }).collect_view()
        })
    };
    let body = move || {
        let first = columns.get_untracked();
        gaps.rows.with(|rows| {
            let row = |(at, cells): &(u32, Vec<(String, CellState)>)| {
                let at = *at;
                let cells = (first..).zip(cells).map(|(column, (text, state))| cell(gaps, (at, column), text.clone(), *state));
                view! {
                    <tr>
                        <th scope="row">{at + 1}</th>
                        {cells.collect_view()}
                    </tr>
                }
            };
            rows.rows.iter().map(row).collect_view()
        })
    };
    view! {
        <div class="scrolls filled-table" tabindex="0" role="region" aria-label="The table">
            <table class="rows">
                <thead>
                    <tr>
                        <th scope="col"><span class="unseen">"Row"</span></th>
                        {heads}
                    </tr>
                </thead>
                <tbody>{body}</tbody>
            </table>
        </div>
    }
}

fn cell(gaps: Gaps, (row, column): (u32, u32), text: String, state: CellState) -> AnyView {
    let session = Session::of_page();
    match state {
        CellState::Known => view! { <td title=text.clone()>{text.clone()}</td> }.into_any(),
        CellState::Missing => view! { <td class="gap"><span class="unseen">"missing"</span></td> }.into_any(),
        CellState::Filled(probability) => {
            let chosen =
                move || gaps.cell.with(|cell| cell.as_ref().is_some_and(|cell| (cell.row, cell.column) == (row, column)));
            let label = format!("{text}, filled in, probability {probability:.2}");
            view! {
                <td class="filled" style=("--sure", format!("{:.0}%", 100.0 * probability))>
                    <button
                        type="button"
                        aria-label=label
                        aria-pressed=move || chosen().to_string()
                        on:click=move |_| session.perform(gaps.look_at(row, column))
                    >
                        {text}
                    </button>
                </td>
            }
            .into_any()
        }
    }
}

/// Which rows and columns are shown.
pub fn pager(gaps: Gaps) -> impl IntoView {
    let of = Signal::derive(move || gaps.rows.with(|rows| rows.of));
    let width = Signal::derive(move || gaps.table.with(|table| table.as_ref().map_or(0, |table| table.columns.len() as u32)));
    view! {
        <div class="pager">
            {turner(gaps, "rows", |asked| &mut asked.from, SHOWN.0, of)}
            <Check
                label="Only rows with gaps"
                value=move || gaps.asked.with(|asked| asked.only_gaps)
                on_change=move |only: bool| {
                    gaps.change(|asked| {
                        asked.only_gaps = only;
                        asked.from = 0;
                    });
                }
            />
            <p class="figures-text sureness" aria-hidden="true">
                "Filled, probability 0.5" <span></span> "1"
            </p>
            <Show when=move || { width.get() > SHOWN.1 }>
                {turner(gaps, "columns", |asked| &mut asked.first_column, SHOWN.1, width)}
            </Show>
        </div>
    }
}

/// Turns to the next or previous rows or columns, and says which are shown.
fn turner(gaps: Gaps, what: &'static str, place: fn(&mut RowsAsked) -> &mut u32, step: u32, of: Signal<u32>) -> impl IntoView {
    let first = move || *place(&mut gaps.asked.get());
    let shown = move || format!("{} to {} of {} {what}", first() + 1, (first() + step).min(of.get()), of.get());
    view! {
        <Button
            label=format!("Previous {what}")
            disabled=move || first() == 0
            on_press=move |()| gaps.change(|asked| *place(asked) = place(asked).saturating_sub(step))
        />
        <Button
            label=format!("Next {what}")
            disabled=move || { first() + step >= of.get() }
            on_press=move |()| gaps.change(|asked| *place(asked) += step)
        />
        <span class="figures-text" data-longest="100000 to 100000 of 100000 columns">
            <span>{shown}</span>
        </span>
    }
}

/// What the clicked cell may hold.
pub fn details(gaps: Gaps) -> impl IntoView {
    let shown = move || {
        let cell = gaps.cell.get();
        let table = gaps.table.get();
        cell.zip(table).map(|(cell, table)| explained(&cell, &table))
    };
    view! {
        <div class="cell-details" role="status">
            {move || match shown() {
                Some(details) => details.into_any(),
                None if gaps.filled.with(Option::is_some) => {
                    view! { <p class="help">"Click a filled cell: its other values, and the rows most like its own, appear here."</p> }.into_any()
                }
                None => ().into_any(),
            }}
        </div>
    }
}

fn explained(cell: &CellDetails, table: &OpenedTable) -> impl IntoView + use<> {
    let name = table.columns.get(cell.column as usize).cloned().unwrap_or_default();
    let bar = |(value, probability): &(String, f64)| {
        view! {
            <li>
                <span>{value.clone()}</span>
                <span class="share"><span style:width=format!("{:.1}%", 100.0 * probability)></span></span>
                <span class="number">{format!("{probability:.3}")}</span>
            </li>
        }
    };
    let more = cell.values.len().saturating_sub(VALUES);
    let rest: f64 = cell.values.iter().skip(VALUES).map(|(_, probability)| probability).sum();
    let rest = (more > 0).then(|| bar(&(format!("{more} others"), rest)));
    let alike = cell.alike.iter().map(|alike| {
        let (row, value) = (alike.row + 1, alike.value.clone());
        view! {
            <tr>
                <th scope="row">{format!("row {row}")}</th>
                <td>{value}</td>
                <td>{format!("{} of {}", alike.equal, alike.known)}</td>
            </tr>
        }
    });
    let some = !cell.alike.is_empty();
    view! {
        <div>
            <h4>{format!("Row {}, {name}", cell.row + 1)}</h4>
            <ul class="values">{cell.values.iter().take(VALUES).map(bar).collect_view()} {rest}</ul>
        </div>
        <div>
            <h4>"Rows most like it"</h4>
            <table class="numbers">
                <thead>
                    <tr>
                        <th scope="col"><span class="unseen">"Row"</span></th>
                        <th scope="col">{name.clone()}</th>
                        <th scope="col">"equal cells"</th>
                    </tr>
                </thead>
                <tbody>{alike.collect_view()}</tbody>
            </table>
            {(!some).then(|| view! { <p class="help">"In no other row is this cell known."</p> })}
        </div>
    }
}
