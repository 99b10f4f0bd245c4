//! Downloads: pictures, arrays, tables and logs, as bytes.

use dbm_data::npy;
use dbm_data::picture::{Tile, grid};
use dbm_data::raw::Visible;
use dbm_protocol::{BitsFormat, Grid, LogFormat, LogRow, NamedBytes, Product};

/// Pictures side by side, and pixels a value.
const COLUMNS: usize = 8;
const SCALE: usize = 4;

/// Makes the file.
///
/// # Errors
/// Where the bits are no whole number of pictures, or more than PNG holds, in words.
pub fn write(product: Product) -> Result<NamedBytes, String> {
    match product {
        Product::Bits { name, format, grid, visible } => bits(&name, format, &grid, &visible),
        Product::Log { format, rows } => log(format, &rows),
    }
}

fn bits(name: &str, format: BitsFormat, pictures: &Grid, visible: &str) -> Result<NamedBytes, String> {
    let visible =
        if visible.is_empty() { None } else { Some(Visible::from_json(name, visible).map_err(|error| error.to_string())?) };
    let (rows, columns, depth) = (pictures.image.0 as usize, pictures.image.1 as usize, usize::from(pictures.depth.max(1)));
    let (units, count) = (rows.saturating_mul(columns), pictures.count as usize);
    if units == 0 || count == 0 || units.checked_mul(count) != Some(pictures.bits.len()) {
        let got = pictures.bits.len();
        return Err(format!(
            "{name}: {count} pictures of {rows} x {columns} bits were expected, but {got} bits came; make them anew"
        ));
    }
    // Values where several bits make one; bits themselves otherwise.
    let grey = visible
        .as_ref()
        .filter(|_| depth > 1)
        .map(|visible| pictures.bits.chunks_exact(units).flat_map(|one| visible.grey(one)).collect::<Vec<u8>>());
    let columns = columns / depth;
    let shape = (rows, columns);
    let (ending, bytes) = match format {
        BitsFormat::Png => {
            let tiles: Vec<Tile> = match &grey {
                Some(grey) => grey.chunks_exact(rows * columns).map(|one| Tile::levels(Some(shape), one)).collect(),
                None => pictures.bits.chunks_exact(units).map(|one| Tile::bits(Some(shape), one)).collect(),
            };
            ("png", grid(&tiles, COLUMNS, SCALE).map_err(|error| error.to_string())?)
        }
        BitsFormat::Npy => {
            let values = grey.as_ref().unwrap_or(&pictures.bits);
            // A row of bits that is no picture has no rows of its own.
            let whole = [count, rows, columns];
            let shape = if rows > 1 { &whole[..] } else { &[count, columns] };
            ("npy", npy::write_u8(shape, values))
        }
        BitsFormat::Csv => {
            let bytes = match &visible {
                Some(Visible::Table(table)) if table.n_units() == units => table.decode(&pictures.bits, &[], |_| Vec::new()),
                _ => lines(grey.as_ref().unwrap_or(&pictures.bits), rows * columns),
            };
            ("csv", bytes)
        }
    };
    Ok(NamedBytes { name: format!("{name}.{ending}"), bytes })
}

/// Numbers, a line each example.
fn lines(values: &[u8], width: usize) -> Vec<u8> {
    let line = |row: &[u8]| row.iter().map(u8::to_string).collect::<Vec<_>>().join(",") + "\n";
    values.chunks_exact(width.max(1)).map(line).collect::<String>().into_bytes()
}

fn log(format: LogFormat, rows: &[LogRow]) -> Result<NamedBytes, String> {
    if rows.is_empty() {
        return Err("there is no log yet: train first".into());
    }
    Ok(match format {
        LogFormat::Json => {
            let bytes = serde_json::to_vec_pretty(rows).map_err(|error| error.to_string())?;
            NamedBytes { name: "training-log.json".into(), bytes }
        }
        LogFormat::Csv => NamedBytes { name: "training-log.csv".into(), bytes: csv(rows).into_bytes() },
    })
}

/// A header and a line a row.
fn csv(rows: &[LogRow]) -> String {
    let line = |cells: Vec<String>| cells.join(",") + "\n";
    let header = rows.iter().take(1).map(|row| line(cells(row).into_iter().map(|(name, _)| name).collect()));
    header.chain(rows.iter().map(|row| line(cells(row).into_iter().map(|(_, value)| value).collect()))).collect()
}

/// The name of each column and what a row has there; what there is none of is empty.
fn cells(row: &LogRow) -> Vec<(String, String)> {
    let option = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
    let mut cells: Vec<(String, String)> = Vec::new();
    let mut add = |prefix: &str, name: &str, value: String| cells.push((format!("{prefix}{name}"), value));
    add("", "step", row.step.to_string());
    add("", "seconds", row.seconds.to_string());
    add("", "workers", row.workers.to_string());
    add("", "steps_per_second", row.steps_per_second.to_string());
    add("", "reconstruction_error", option(row.reconstruction_error));
    add("", "pseudo_log_likelihood", option(row.pseudo_log_likelihood));
    add("", "free_energy_data", option(row.free_energy_data));
    add("", "free_energy_samples", option(row.free_energy_samples));
    add("", "log_likelihood", option(row.log_likelihood));
    for (prefix, phase) in [("positive_", row.positive), ("negative_", row.negative)] {
        add(prefix, "mean_meeting_time", option(phase.mean_meeting_time));
        add(prefix, "longest_meeting_time", option(phase.longest_meeting_time.map(f64::from)));
        add(prefix, "couplings_capped", phase.couplings_capped.to_string());
        add(prefix, "mean_search_sweeps", option(phase.mean_search_sweeps));
        add(prefix, "energy", option(phase.energy));
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbm_protocol::ModelChoice;

    fn pictures(bits: Vec<u8>, image: (u32, u32), depth: u8) -> Grid {
        let count = bits.len() as u32 / (image.0 * image.1);
        Grid { model: ModelChoice::Training, step: 0, count, image, depth, bits }
    }

    #[test]
    fn bits_become_pictures_arrays_and_lines() {
        let two = || pictures(vec![1, 0, 0, 1, 0, 1, 1, 0], (2, 2), 1);
        let png = bits("samples", BitsFormat::Png, &two(), "").unwrap();
        assert!(png.name == "samples.png" && png.bytes.starts_with(b"\x89PNG"));
        let npy = bits("samples", BitsFormat::Npy, &two(), "").unwrap();
        assert_eq!(npy::read_u8("x", &npy.bytes).unwrap(), (vec![2, 2, 2], two().bits));
        assert_eq!(bits("samples", BitsFormat::Csv, &two(), "").unwrap().bytes, b"1,0,0,1\n0,1,1,0\n");
        let short = Grid { count: 3, ..two() };
        assert!(bits("samples", BitsFormat::Csv, &short, "").unwrap_err().contains("8 bits came"));
    }

    #[test]
    fn values_of_several_bits_become_whole_again() {
        let visible = Visible::Planes { bits: 8, low: 0.0, high: 255.0 }.to_json();
        let grid = pictures(vec![1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 1, 1], (1, 16), 8);
        let csv = bits("x", BitsFormat::Csv, &grid, &visible).unwrap();
        assert_eq!(csv.bytes, b"129,7\n");
        assert_eq!(npy::read_u8("x", &bits("x", BitsFormat::Npy, &grid, &visible).unwrap().bytes).unwrap().0, [1, 2]);
    }

    #[test]
    fn the_log_has_a_column_for_everything() {
        let row = LogRow { step: 3, seconds: 0.5, reconstruction_error: Some(0.25), ..LogRow::default() };
        let text = String::from_utf8(log(LogFormat::Csv, &[row]).unwrap().bytes).unwrap();
        let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
        assert!(lines.len() == 2 && lines[0].len() == 19 && lines[1].len() == 19, "{text}");
        assert_eq!((lines[1][0], lines[1][4], lines[1][5]), ("3", "0.25", ""));
        let json: serde_json::Value = serde_json::from_slice(&log(LogFormat::Json, &[row]).unwrap().bytes).unwrap();
        assert_eq!(json[0]["reconstruction_error"], 0.25);
        assert!(log(LogFormat::Csv, &[]).unwrap_err().contains("train first"));
    }
}
