//! `cargo xtask demo`: from a fresh checkout to a report and a trace that can be opened.

use crate::packages::{self, Purpose};
use crate::product;
use crate::shell;
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};

/// The command.
pub fn run(arguments: &[String]) -> Result<()> {
    if !arguments.is_empty() {
        bail!("takes no arguments");
    }
    packages::need(Purpose::Demo)?;
    heading("building the library and the command");
    let product = product::build_for_traces()?;
    let folder = fresh_folder()?;
    heading("compiling examples/heat/heat.c");
    let program = compile(&folder)?;
    heading("running it under the tool");
    trace(&program, &product.join("libompttrace.so"), &folder)?;
    report(&product.join("ompttrace"), &folder)
}

fn heading(text: &str) {
    println!("\n== {text}");
}

fn fresh_folder() -> Result<PathBuf> {
    let folder = shell::target_dir().join("demo");
    if folder.exists() {
        fs::remove_dir_all(&folder)
            .with_context(|| format!("cannot empty {}", folder.display()))?;
    }
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    Ok(folder)
}

fn compile(folder: &Path) -> Result<PathBuf> {
    let program = folder.join("heat");
    let mut clang = shell::command("clang-19");
    clang.args(["-O2", "-g", "-fopenmp", "-o"]).arg(&program).arg("examples/heat/heat.c");
    shell::run(clang.arg("-lm"))?;
    Ok(program)
}

/// Exactly what a user would type: one variable, nothing else set.
fn trace(program: &Path, library: &Path, folder: &Path) -> Result<()> {
    let mut traced = std::process::Command::new(program);
    traced.current_dir(folder);
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("OMPTTRACE_") {
            traced.env_remove(name);
        }
    }
    traced.env("OMP_TOOL_LIBRARIES", library);
    shell::run(&mut traced)
}

fn report(command: &Path, folder: &Path) -> Result<()> {
    let traces = found(folder, "trace.pftrace")?;
    let [trace] = traces.as_slice() else {
        bail!(
            "expected one trace.pftrace in a run folder under {}, found {}; \
             OMP_TOOL_VERBOSE_INIT=stderr says whether the runtime took the tool",
            folder.display(),
            traces.len()
        );
    };
    let bytes = fs::metadata(trace)?.len();
    heading("what ompttrace report finds");
    let page = findings(command, trace, folder)?;
    heading("done");
    println!("report: {}, a page to open in a browser", page.display());
    println!("trace: {} ({} KiB)", trace.display(), bytes.div_ceil(1024));
    println!("open https://ui.perfetto.dev and drag the file into the window");
    println!("(it stays on your machine; A and D move, W and S zoom)");
    println!(
        "`cargo xtask build` adds Parquet tables and the libraries for other runtimes, as programs of GCC need them"
    );
    Ok(())
}

/// Prints the report's findings, and returns the file with all of it.
fn findings(command: &Path, trace: &Path, folder: &Path) -> Result<PathBuf> {
    let run = trace.parent().context("a trace is in its run folder")?;
    let page = folder.join("report.html");
    let mut report = shell::command(&command.to_string_lossy());
    let text = shell::output(report.arg("report").arg("--html").arg(&page).arg(run))?;
    let first = text.lines().take_while(|line| !line.starts_with("Efficiency"));
    println!("{}", first.collect::<Vec<_>>().join("\n").trim_end());
    Ok(page)
}

/// Files of this name, one folder deep.
fn found(folder: &Path, name: &str) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let file = entry?.path().join(name);
        if file.is_file() {
            files.push(file);
        }
    }
    Ok(files)
}
