//! Corrections of how files were read: each has them read again at once.

use crate::ui::select::{Select, SelectOption};
use crate::worker::uploads::{Correction, Uploads};
use dbm_core::words::Choose;
use dbm_protocol::{Change, ColumnInfo, Doubt, KindChoice, READING, Reading, ordered};
use leptos::prelude::*;

/// Encodings that tables come in; others are detected, or named by the command.
const ENCODINGS: [&str; 12] = [
    "UTF-8",
    "windows-1252",
    "ISO-8859-2",
    "windows-1250",
    "windows-1251",
    "windows-1253",
    "windows-1254",
    "Shift_JIS",
    "EUC-KR",
    "GBK",
    "Big5",
    "UTF-16LE",
];

fn row(name: &str) -> (&'static str, &'static str) {
    READING.iter().find(|row| row.name == name).map_or(("", ""), |row| (row.label, row.help))
}

/// A setting with a few values.
fn choose(name: &'static str, options: Vec<SelectOption>, value: String) -> impl IntoView {
    let uploads = Uploads::of_page();
    let (label, help) = row(name);
    view! {
        <div class="field">
            <Select
                id=format!("reading-{name}")
                label
                help
                options
                value
                on_choose=move |text: String| uploads.correct(Correction::Setting(name, text))
            />
        </div>
    }
}

/// A setting that is typed.
fn typed(name: &'static str, value: String) -> impl IntoView {
    let uploads = Uploads::of_page();
    let (label, help) = row(name);
    let id = format!("reading-{name}");
    view! {
        <div class="field">
            <label for=id.clone() data-help=help>
                {label}
            </label>
            <input
                id=id
                type="text"
                value=value
                data-help=help
                on:change=move |event| uploads.correct(Correction::Setting(name, event_target_value(&event)))
            />
        </div>
    }
}

fn option(value: impl Into<String>, label: impl Into<String>) -> SelectOption {
    SelectOption::new(value, label)
}

fn yes_or_no(value: Option<bool>) -> (Vec<SelectOption>, String) {
    (vec![option("no", "no"), option("yes", "yes")], if value == Some(true) { "yes" } else { "no" }.into())
}

/// What was decided about the files as a whole.
pub fn settings(reading: &Reading, table: bool) -> impl IntoView + use<> {
    if table {
        let line = reading.header.unwrap_or(0);
        let mut lines = vec![option("no", "none"), option("1", "line 1"), option("2", "line 2"), option("3", "line 3")];
        if line > 3 {
            lines.push(option(line.to_string(), format!("line {line}")));
        }
        let header = if line == 0 { "no".into() } else { line.to_string() };
        let encoding = reading.encoding.clone().unwrap_or_default();
        let mut encodings: Vec<SelectOption> = ENCODINGS.iter().map(|name| option(*name, *name)).collect();
        if !ENCODINGS.contains(&encoding.as_str()) {
            encodings.push(option(encoding.clone(), encoding.clone()));
        }
        let separators = [("comma", "comma"), ("semicolon", "semicolon"), ("tab", "tab"), ("bar", "bar"), ("blank", "blanks")];
        let separator = match reading.separator {
            Some(';') => "semicolon",
            Some('\t') => "tab",
            Some('|') => "bar",
            Some(' ') => "blank",
            _ => "comma",
        };
        let decimal = if reading.decimal == Some(',') { "comma" } else { "point" };
        view! {
            <div class="settings corrections">
                {choose("header", lines, header)} {choose("encoding", encodings, encoding)}
                {choose("separator", separators.map(|(value, label)| option(value, label)).to_vec(), separator.into())}
                {choose("decimal", vec![option("point", "point"), option("comma", "comma")], decimal.into())}
                {typed("missing", reading.missing.join(", "))}
            </div>
        }
        .into_any()
    } else {
        let (inverts, invert) = yes_or_no(reading.invert);
        let (transposes, transpose) = yes_or_no(reading.transpose);
        let turns =
            [("0", "not"), ("1", "right"), ("2", "upside down"), ("3", "left")].map(|(value, label)| option(value, label));
        let tile = reading.tile.map(|(rows, columns)| typed("tile", format!("{rows}x{columns}")));
        view! {
            <div class="settings corrections">
                {choose("invert", inverts, invert)} {choose("turn", turns.to_vec(), reading.turn.unwrap_or(0).to_string())}
                {choose("transpose", transposes, transpose)} {tile}
            </div>
        }
        .into_any()
    }
}

/// What may have been misread, each with its correction; a second press takes it back. If the files are read that way for another reason,
/// there is nothing to press.
pub fn doubts(doubts: Vec<Doubt>, said: &[Correction], reading: &Reading) -> impl IntoView + use<> {
    let uploads = Uploads::of_page();
    let line = |(place, doubt): (usize, Doubt)| {
        let mut corrected = reading.clone();
        corrected.correct(&doubt.change);
        let correction = Correction::Change(doubt.change);
        let mine = said.contains(&correction);
        let elsewhere = !mine && corrected == *reading;
        let pressed = mine || elsewhere;
        view! {
            <li>
                <span>{doubt.text}</span>
                " "
                <button
                    id=format!("doubt-{place}")
                    type="button"
                    class="doubt"
                    aria-pressed=pressed.to_string()
                    disabled=elsewhere
                    on:click=move |_| uploads.correct(correction.clone())
                >
                    {doubt.label}
                </button>
            </li>
        }
    };
    view! { <ul class="doubts">{doubts.into_iter().enumerate().map(line).collect_view()}</ul> }
}

/// The head of a column: its name, and its kind, which can be changed.
pub fn head(place: usize, column: &ColumnInfo) -> impl IntoView + use<> {
    let uploads = Uploads::of_page();
    let name = column.name.clone();
    let choose = {
        let name = name.clone();
        move |event| {
            if let Some(kind) = KindChoice::named(&event_target_value(&event)) {
                uploads.correct(Correction::Change(Change::Kind(name.clone(), kind)));
            }
        }
    };
    let lines = KindChoice::CHOICES
        .iter()
        .map(|choice| view! { <option value=choice.name selected=choice.value == column.choice>{choice.label}</option> })
        .collect_view();
    view! {
        <th scope="col">
            <span>{name.clone()}</span>
            <select id=format!("kind-{place}") aria-label=format!("Kind of {name}") data-help=KindChoice::WORDS.help on:change=choose>
                {lines}
            </select>
        </th>
    }
}

/// The order of a column's values, which can be changed; nothing if they have none.
pub fn order(place: usize, column: &ColumnInfo) -> impl IntoView + use<> {
    let uploads = Uploads::of_page();
    let name = column.name.clone();
    (!column.levels.is_empty()).then(|| {
        let label = format!("Values of {name} from low to high");
        let set =
            move |event| uploads.correct(Correction::Change(Change::Levels(name.clone(), ordered(&event_target_value(&event)))));
        view! { <input id=format!("order-{place}") type="text" aria-label=label value=column.levels.join(" < ") on:change=set /> }
    })
}

/// The words of a column: a press says whether one means a missing value.
pub fn words(place: usize, column: &ColumnInfo) -> impl IntoView + use<> {
    let uploads = Uploads::of_page();
    let name = column.name.clone();
    let word = move |(at, (text, count, missing)): (usize, (String, u32, bool))| {
        let name = name.clone();
        let label = format!("{text} in {name}, {count} cells, {}", if missing { "missing" } else { "known" });
        let said = text.clone();
        let press = move |_| {
            let change = if missing {
                Change::Known(name.clone(), said.clone())
            } else {
                Change::Missing(vec![name.clone()], said.clone())
            };
            uploads.correct(Correction::Change(change));
        };
        view! {
            <button
                id=format!("word-{place}-{at}")
                type="button"
                class="word"
                class:gap=missing
                aria-pressed=missing.to_string()
                aria-label=label
                data-help="Marked words count as missing. Press one to change that."
                on:click=press
            >
                {text}
            </button>
        }
    };
    view! { <td>{column.words.iter().cloned().enumerate().map(word).collect_view()}</td> }
}
