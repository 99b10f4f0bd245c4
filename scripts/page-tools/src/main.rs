//! `page-tools split WASM NAME FOLDER`: divides a program at its lazy views into NAME.wasm and parts that are fetched later.
//!
//! `page-tools bind WASM NAME FOLDER [--keep-lld-exports]`: writes the program for browsers and the JavaScript beside it.

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let done = match words[..] {
        ["split", program, name, folder] => split(program, name, folder),
        ["bind", program, name, folder] => bind(program, name, folder, false),
        ["bind", program, name, folder, "--keep-lld-exports"] => bind(program, name, folder, true),
        _ => Err("expected 'split WASM NAME FOLDER' or 'bind WASM NAME FOLDER [--keep-lld-exports]'".into()),
    };
    if let Err(error) = done {
        eprintln!("error: page-tools {}: {error:?}", words.join(" "));
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

/// The parts share the main one's table and memory.
fn split(program: &str, name: &str, folder: &str) -> Result<(), Box<dyn Error>> {
    let (bytes, folder) = (std::fs::read(program)?, Path::new(folder));
    let (main, script) = (folder.join(format!("{name}.wasm")), format!("./{name}.js"));
    let mut options = wasm_split_cli_support::Options::new(&bytes);
    options.output_dir = folder;
    options.main_out_path = &main;
    options.main_module = &script;
    options.target.web();
    wasm_split_cli_support::transform(options)?;
    Ok(())
}

/// `keep`: what the linker exported, table and memory, stays exported.
fn bind(program: &str, name: &str, folder: &str, keep: bool) -> Result<(), Box<dyn Error>> {
    let mut bindgen = wasm_bindgen_cli_support::Bindgen::new();
    bindgen.input_path(program).web(true)?.typescript(false).out_name(name).keep_lld_exports(keep);
    // The library, unlike the command, leaves out where the program is.
    bindgen.omit_default_module_path(false);
    Ok(bindgen.generate(folder)?)
}
