//! Descriptions of files for the page.

use dbm_data::DataError;
use dbm_data::coding::Greys;
use dbm_data::columns::{ColumnKind, Columns, Table};
use dbm_data::raw::{Content, Encoding, Preview, Raw, Summary};
use dbm_protocol::{ColumnInfo, EncodingPreview, Grid, KindChoice, ModelChoice, Understood, UnderstoodKind};

/// Pictures and rows in a preview.
const PICTURES: usize = 24;
const ROWS: usize = 8;
/// Words of a column that are shown, and columns up to which they are.
const WORDS: usize = 5;
const MOST_COLUMNS: usize = 1000;
/// Number of category levels that are named.
const NAMED: usize = 6;

/// Everything the preview shows at first.
pub fn understood(raw: &Raw, summary: &Summary) -> Result<Understood, DataError> {
    let encoding = raw.suggest();
    let (rows, columns) = summary.shape;
    let kind = match &raw.content {
        Content::Pictures(_) => {
            let (low, high) = summary.range.unwrap_or_default();
            UnderstoodKind::Pictures { shape: (rows as u32, columns as u32), low, high, classes: summary.classes as u32 }
        }
        Content::Table(table) => UnderstoodKind::Table { columns: column_abouts(table, &encoding), rows: first_rows(table) },
    };
    Ok(Understood {
        name: raw.name.clone(),
        count: summary.count as u32,
        kind,
        reading: raw.reading.clone(),
        notes: raw.notes.clone(),
        doubts: raw.doubts.clone(),
        look: preview(raw, &encoding, summary)?,
        encoding,
    })
}

/// The result of encoding the files. Only some pictures are encoded, because this follows a slider.
pub fn preview(raw: &Raw, encoding: &Encoding, summary: &Summary) -> Result<EncodingPreview, DataError> {
    let Preview { units, bytes, share_of_ones, pictures } = raw.preview(encoding, PICTURES)?;
    let (rows, columns) = if pictures.is_empty() { (0, 0) } else { summary.shape };
    // The pictures have 8-bit greys at any depth: eight bits per value show them unchanged.
    let bits = pictures.iter().flatten().flat_map(|grey| (0..8).rev().map(move |bit| grey >> bit & 1)).collect();
    let image = (rows as u32, 8 * columns as u32);
    Ok(EncodingPreview {
        width: units as u32,
        share_of_ones,
        share_missing: summary.missing_share,
        bytes,
        preview: Grid {
            model: ModelChoice::Training,
            step: 0,
            count: pictures.len() as u32,
            image,
            greys: Greys::binary(8),
            bits,
        },
    })
}

fn column_abouts(table: &Table, encoding: &Encoding) -> Vec<ColumnInfo> {
    let Columns { columns, .. } = table.columns(encoding);
    let missing = |column: usize| (0..table.n_rows()).filter(|&row| table.is_missing(row, column)).count();
    let about = |(place, column): (usize, dbm_data::columns::Column)| ColumnInfo {
        kind: describe(&column.kind),
        choice: choice(&column.kind),
        words: words(table, place),
        units: column.kind.units() as u32,
        missing: missing(place) as u32,
        threshold: if let ColumnKind::Number { threshold, .. } = column.kind { Some(threshold) } else { None },
        levels: match column.kind {
            ColumnKind::Category { levels, ordered: true } => levels,
            _ => Vec::new(),
        },
        name: column.name,
    };
    columns.into_iter().enumerate().map(about).collect()
}

fn choice(kind: &ColumnKind) -> KindChoice {
    match kind {
        ColumnKind::Binary { .. } => KindChoice::YesNo,
        ColumnKind::Number { .. } => KindChoice::Number,
        ColumnKind::Category { ordered: true, .. } => KindChoice::Ordered,
        ColumnKind::Category { .. } => KindChoice::Category,
        ColumnKind::Ignored => KindChoice::LeaveOut,
    }
}

/// The words of a column, unless it is one of so many that nobody looks at each.
fn words(table: &Table, column: usize) -> Vec<(String, u32, bool)> {
    if table.n_columns() > MOST_COLUMNS {
        return Vec::new();
    }
    table.words_of(column, WORDS).into_iter().map(|(text, count, missing)| (text, count as u32, missing)).collect()
}

fn describe(kind: &ColumnKind) -> String {
    match kind {
        ColumnKind::Binary { low, high } => format!("{low} or {high}"),
        ColumnKind::Number { .. } => "number: counts as 1 above".into(),
        ColumnKind::Category { ordered: true, .. } => "from low to high".into(),
        ColumnKind::Category { levels, .. } => {
            let more = if levels.len() > NAMED { format!(" and {} more", levels.len() - NAMED) } else { String::new() };
            let named: Vec<&str> = levels.iter().take(NAMED).map(String::as_str).collect();
            format!("one of {}{more}", named.join(", "))
        }
        ColumnKind::Ignored => "set aside".into(),
    }
}

fn first_rows(table: &Table) -> Vec<Vec<String>> {
    let cell = |row: usize, column: usize| {
        if table.is_missing(row, column) { String::new() } else { table.cell(row, column).to_owned() }
    };
    (0..table.n_rows().min(ROWS)).map(|row| (0..table.n_columns()).map(|column| cell(row, column)).collect()).collect()
}
