//! A folder to run the command in, and access to what it prints and writes there.

use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Command, Output};

/// A separate folder for one test, removed afterwards.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("dbm-test-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_dbm"));
        command.args(arguments.split_whitespace()).current_dir(&self.0);
        command
    }

    /// Runs what must succeed; returns what it printed.
    pub fn ok(&self, arguments: &str) -> String {
        let Output { status, stdout, stderr } = self.command(arguments).output().unwrap();
        assert!(status.success(), "dbm {arguments}: {}", String::from_utf8_lossy(&stderr));
        String::from_utf8(stdout).unwrap()
    }

    /// The same with `--json`: its output, line by line.
    pub fn events(&self, arguments: &str) -> Vec<Value> {
        self.ok(&format!("--json {arguments}")).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// The last line: the result of the command.
    pub fn json(&self, arguments: &str) -> Value {
        self.events(arguments).pop().unwrap_or_else(|| panic!("dbm {arguments} said nothing"))
    }

    /// Runs what must fail with this exit code; returns the error message.
    pub fn fails(&self, code: i32, arguments: &str) -> String {
        let output = self.command(arguments).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "dbm {arguments}: {said}");
        assert!(!said.contains("panicked"), "{said}");
        said
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        std::fs::write(self.0.join(name), bytes).unwrap();
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.0.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub fn text(&self, name: &str) -> String {
        String::from_utf8(self.read(name)).unwrap()
    }

    /// The header of an NPY file.
    pub fn npy_header(&self, name: &str) -> String {
        let bytes = self.read(name);
        assert!(bytes.starts_with(b"\x93NUMPY"), "{name}");
        String::from_utf8_lossy(&bytes[10..128]).into_owned()
    }

    /// A PNG file: its properties and samples.
    pub fn png(&self, name: &str) -> (png::OutputInfo, Vec<u8>) {
        let mut reader = png::Decoder::new(std::io::Cursor::new(self.read(name))).read_info().unwrap();
        let mut samples = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut samples).unwrap();
        (info, samples)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A row of a CSV file, by column.
pub type Row = BTreeMap<String, String>;

/// The rows below the header.
pub fn table(csv: &[u8]) -> Vec<Row> {
    let mut lines = std::str::from_utf8(csv).unwrap().lines().map(|line| line.split(',').map(str::to_string).collect::<Vec<_>>());
    let head = lines.next().unwrap();
    lines
        .map(|line| {
            assert_eq!(line.len(), head.len(), "{line:?}");
            head.iter().cloned().zip(line).collect()
        })
        .collect()
}

/// The number of this name in a row.
pub fn cell(row: &Row, name: &str) -> f64 {
    row.get(name).and_then(|cell| cell.parse().ok()).unwrap_or_else(|| panic!("{name}: {row:?}"))
}

/// The number of this name; a dot descends into an object or a list.
pub fn number(value: &Value, name: &str) -> f64 {
    let found = value.pointer(&format!("/{}", name.replace('.', "/")));
    found.and_then(Value::as_f64).unwrap_or_else(|| panic!("{name} in {value}"))
}
