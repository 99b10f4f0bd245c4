//! Tables: of numbers, which scroll in their own box, and of texts from files.

use leptos::html::Div;
use leptos::prelude::*;

/// The rows of a table of texts, from a file next to the code that shows it: one line per row, columns separated by bars; a
/// missing column is empty.
pub fn rows<const N: usize>(file: &'static str) -> impl Iterator<Item = [&'static str; N]> {
    file.lines().map(|line| {
        let mut columns = line.split(" | ");
        std::array::from_fn(|_| columns.next().unwrap_or_default())
    })
}

/// A column's heading, and its hover help; the help may be empty.
pub type Heading = (String, &'static str);

/// The columns of a table in a text file: one heading per line, followed by a bar and its hover help.
pub fn headings(table: &'static str) -> Vec<Heading> {
    rows(table).map(|[title, help]| (title.into(), help)).collect()
}

/// The table; its children are the rows.
#[component]
pub fn NumberTable(
    /// Its name for screen readers.
    #[prop(into)]
    label: String,
    /// The columns' headings, from left to right.
    #[prop(into)]
    headings: Signal<Vec<Heading>>,
    /// An extra class for the box.
    #[prop(optional)]
    class: &'static str,
    /// The scrolling box.
    #[prop(optional)]
    node_ref: NodeRef<Div>,
    children: Children,
) -> impl IntoView {
    let heads = move || {
        let head = |(title, help): Heading| {
            view! {
                <th scope="col" data-help=Some(help).filter(|help| !help.is_empty())>
                    {title}
                </th>
            }
        };
        headings.get().into_iter().map(head).collect_view()
    };
    view! {
        <div class=format!("scrolls {class}") tabindex="0" role="region" aria-label=label node_ref=node_ref>
            <table class="numbers">
                <thead>
                    <tr>{heads}</tr>
                </thead>
                <tbody>{children()}</tbody>
            </table>
        </div>
    }
}

/// A row of texts with its heading.
pub fn row(head: &str, cells: impl IntoIterator<Item = String>) -> AnyView {
    let cells = cells.into_iter().map(|text| view! { <td>{text}</td> }).collect_view();
    view! {
        <tr>
            <th scope="row">{head.to_string()}</th>
            {cells}
        </tr>
    }
    .into_any()
}

/// A table that is folded; its rows are built when it is unfolded.
#[component]
pub fn FoldedTable(
    /// The class of the fold.
    class: &'static str,
    /// The text that unfolds it.
    summary: &'static str,
    /// The table's name for screen readers.
    #[prop(into)]
    label: String,
    /// The columns' headings, from left to right.
    #[prop(into)]
    headings: Signal<Vec<Heading>>,
    /// Builds its rows.
    #[prop(into)]
    rows: ViewFn,
) -> impl IntoView {
    let open = RwSignal::new(false);
    view! {
        <details class=class on:toggle=move |event| open.set(event_target::<web_sys::HtmlDetailsElement>(&event).open())>
            <summary>{summary}</summary>
            <NumberTable label headings>{move || open.get().then(|| rows.run())}</NumberTable>
        </details>
    }
}
