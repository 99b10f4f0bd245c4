//! What files hold, described for the page.

use dbm_data::DataError;
use dbm_data::columns::{Columns, Kind, Table};
use dbm_data::raw::{Content, Encoding, Preview, Raw};
use dbm_protocol::{ColumnInfo, EncodingChoice, EncodingPreview, Grid, ModelChoice, Understood, UnderstoodKind};

/// Pictures of a preview, and rows.
const PICTURES: usize = 24;
const ROWS: usize = 8;
/// Levels of a category that are named.
const NAMED: usize = 6;

/// Everything the preview shows at first.
pub fn understood(raw: &Raw) -> Result<Understood, DataError> {
    let encoding = raw.suggest();
    let about = raw.about(&encoding)?;
    let (rows, columns) = about.shape;
    let kind = match &raw.content {
        Content::Pictures(_) => {
            let (low, high) = about.range.unwrap_or_default();
            UnderstoodKind::Pictures { shape: (rows as u32, columns as u32), low, high, classes: about.classes as u32 }
        }
        Content::Table(table) => UnderstoodKind::Table { columns: column_abouts(table, &encoding), rows: first_rows(table) },
    };
    Ok(Understood {
        name: raw.name.clone(),
        count: about.count as u32,
        kind,
        notes: raw.notes.clone(),
        encoding: choice(&encoding),
        look: look(raw, &encoding, about.missing_share)?,
    })
}

/// How it looks under an encoding, which changes nothing about the share that is missing. Of pictures only some are looked at: this follows a slider.
pub fn look(raw: &Raw, encoding: &Encoding, share_missing: f64) -> Result<EncodingPreview, DataError> {
    let (share_of_ones, _) = raw.ones(encoding)?;
    let (width, bytes) = match &raw.content {
        Content::Pictures(pictures) => pictures.encoded_size(encoding),
        Content::Table(table) => {
            let units = table.columns(encoding).n_units();
            (units, (table.n_rows() * units.div_ceil(8)) as u64)
        }
    };
    let (image, count, bits) = match raw.preview(encoding, PICTURES)? {
        Preview::Pictures { rows, shape, after, .. } => (shape, rows.len(), after),
        Preview::Table { .. } => ((0, 0), 0, Vec::new()),
    };
    // The preview has greys of 8 bits, whatever the depth: eight bits a value show them as they are.
    let bits = bits.iter().flat_map(|grey| (0..8).rev().map(move |bit| grey >> bit & 1)).collect();
    let image = (image.0 as u32, 8 * image.1 as u32);
    Ok(EncodingPreview {
        width: width as u32,
        share_of_ones,
        share_missing,
        bytes: bytes as f64,
        preview: Grid { model: ModelChoice::Training, step: 0, count: count as u32, image, depth: 8, bits },
    })
}

fn column_abouts(table: &Table, encoding: &Encoding) -> Vec<ColumnInfo> {
    let Columns { columns } = table.columns(encoding);
    let missing = |column: usize| (0..table.n_rows()).filter(|&row| table.is_missing(row, column)).count();
    let about = |(place, column): (usize, dbm_data::columns::Column)| ColumnInfo {
        kind: describe(&column.kind),
        units: column.kind.units() as u32,
        missing: missing(place) as u32,
        threshold: if let Kind::Number { threshold, .. } = column.kind { Some(threshold) } else { None },
        name: column.name,
    };
    columns.into_iter().enumerate().map(about).collect()
}

fn describe(kind: &Kind) -> String {
    match kind {
        Kind::Binary { low, high } => format!("{low} or {high}"),
        Kind::Number { .. } => "number, high above".into(),
        Kind::Category { levels } => {
            let more = if levels.len() > NAMED { format!(" and {} more", levels.len() - NAMED) } else { String::new() };
            let named: Vec<&str> = levels.iter().take(NAMED).map(String::as_str).collect();
            format!("one of {}{more}", named.join(", "))
        }
        Kind::Aside => "set aside".into(),
    }
}

fn first_rows(table: &Table) -> Vec<Vec<String>> {
    let cell = |row: usize, column: usize| {
        if table.is_missing(row, column) { String::new() } else { table.cell(row, column).to_owned() }
    };
    (0..table.n_rows().min(ROWS)).map(|row| (0..table.n_columns()).map(|column| cell(row, column)).collect()).collect()
}

fn choice(encoding: &Encoding) -> EncodingChoice {
    EncodingChoice {
        bits: encoding.bits,
        threshold: encoding.threshold,
        columns: encoding.columns.iter().map(|(name, threshold)| (name.clone(), *threshold)).collect(),
    }
}

/// What the page chose.
pub fn encoding(choice: EncodingChoice) -> Encoding {
    Encoding { bits: choice.bits, threshold: choice.threshold, columns: choice.columns.into_iter().collect() }
}
