//! A folder to run the command in.
#![allow(dead_code)] // each test file uses its own part

use std::path::PathBuf;
use std::process::{Command, Output};

/// A folder of its own for one test, gone with it.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("dbm-test-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub fn dbm(&self, arguments: &str) -> Output {
        Command::new(env!("CARGO_BIN_EXE_dbm")).args(arguments.split_whitespace()).current_dir(&self.0).output().unwrap()
    }

    /// Runs what must succeed; returns what it printed.
    pub fn ok(&self, arguments: &str) -> String {
        let output = self.dbm(arguments);
        assert!(output.status.success(), "dbm {arguments}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Runs what must fail with this exit code; returns what it said.
    pub fn fails(&self, code: i32, arguments: &str) -> String {
        let output = self.dbm(arguments);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "dbm {arguments}: {said}");
        assert!(!said.contains("panicked"), "{said}");
        said
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.0.join(name)).unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
