//! Compares the exports that two versions of the command make of the same recordings. `--base PROGRAM`: the version to
//! compare with that of the working tree; `--revision NAME`: its name; `--seeds N` (200): number of
//! runs of the soak test; `--only PATTERN`: recordings with this in their name; `--keep`: keeps the exports.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{fs, thread};

use anyhow::{Context, Result, bail, ensure};
use ompttrace_tests::build;
use ompttrace_tests::product::Product;
use ompttrace_tests::same_exports::recordings::{self, Source};
use ompttrace_tests::same_exports::{self, Exporter};

struct Options {
    base: PathBuf,
    revision: String,
    seeds: u64,
    only: String,
    keeps: bool,
}

fn main() -> ExitCode {
    match compared() {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::from(2)
        }
    }
}

/// Compares all recordings; returns the number of those whose exports differ.
fn compared() -> Result<usize> {
    let options = Options::read()?;
    let folder = build::target_dir().join("same-exports");
    let all = taken(&folder.join("recordings"), &options)?;
    let exporters = [
        Exporter { name: "base".into(), program: options.base.clone() },
        Exporter { name: "tree".into(), program: Product::find()?.program },
    ];
    let differ = AtomicUsize::new(0);
    for_each(&all, |_, recording| {
        let name = recording.strip_prefix(folder.join("recordings"))?.display().to_string();
        let scratch = folder.join("exports").join(&name);
        let said = same_exports::compare(recording, &exporters, &scratch, options.keeps);
        let said = said.unwrap_or_else(|error| format!("  cannot be compared: {error:#}\n"));
        if said.is_empty() {
            println!("{name}: same");
        } else {
            differ.fetch_add(1, Ordering::Relaxed);
            println!("{name} differs:\n{said}  again: {}", again(&options, &name));
        }
        Ok(())
    })?;
    let (count, differ) = (all.len(), differ.into_inner());
    println!("{count} recordings, {} the same, {differ} differ", count - differ);
    ensure!(count > 0, "no recording has {:?} in its name", options.only);
    Ok(differ)
}

fn again(options: &Options, name: &str) -> String {
    let seeds = if name.starts_with("soak/") {
        format!(" --seeds {}", options.seeds)
    } else {
        String::new()
    };
    format!("cargo xtask same-exports --base {}{seeds} --only {name} --keep", options.revision)
}

/// All recordings that are wanted, taken where they are not there yet.
fn taken(folder: &Path, options: &Options) -> Result<Vec<PathBuf>> {
    let sources = recordings::sources(options.seeds)?;
    // A pattern may name a recording, of which a source has several.
    let is_wanted = |source: &Source| {
        source.name.contains(&options.only) || options.only.starts_with(&source.name)
    };
    let sources: Vec<(usize, Source)> =
        sources.into_iter().enumerate().filter(|(_, source)| is_wanted(source)).collect();
    for_each(&sources, |_, (number, source)| source.record(folder, *number))?;
    let mut all = Vec::new();
    for (_, source) in &sources {
        all.extend(source.recordings(folder)?);
    }
    let names: Vec<_> = all.iter().filter_map(|path| path.strip_prefix(folder).ok()).collect();
    let is_whole = names.iter().any(|name| *name == Path::new(&options.only));
    let is_wanted = |path: &PathBuf| {
        let name = path.strip_prefix(folder).unwrap_or(path);
        let text = name.display().to_string();
        if is_whole { text == options.only } else { text.contains(&options.only) }
    };
    Ok(all.iter().filter(|path| is_wanted(path)).cloned().collect())
}

/// Does something with each, one at a time on every core. The first error is returned at the end.
fn for_each<T: Sync>(all: &[T], work: impl Fn(usize, &T) -> Result<()> + Sync) -> Result<()> {
    let (next, failed) = (AtomicUsize::new(0), Mutex::new(None));
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, |cores| cores.get()) {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(one) = all.get(at) else { break };
                    if let Err(error) = work(at, one) {
                        eprintln!("{error:#}");
                        failed.lock().expect("no worker panics").get_or_insert(error);
                    }
                }
            });
        }
    });
    failed.into_inner().expect("no worker panics").map_or(Ok(()), Err)
}

impl Options {
    fn read() -> Result<Options> {
        let (mut base, mut revision, mut only) = (None, None, String::new());
        let (mut seeds, mut keeps) = (200, false);
        let mut arguments = std::env::args().skip(1);
        while let Some(argument) = arguments.next() {
            let mut value =
                || arguments.next().with_context(|| format!("{argument} takes a value"));
            match argument.as_str() {
                "--base" => base = Some(PathBuf::from(value()?)),
                "--revision" => revision = Some(value()?),
                "--only" => only = value()?,
                "--seeds" => seeds = value()?.parse().context("--seeds takes a number")?,
                "--keep" => keeps = true,
                _ => bail!(
                    "same-exports takes --base REV, --seeds N, --only PATTERN and --keep, not {argument}"
                ),
            }
        }
        let base = base.context("--base is missing")?;
        let base = fs::canonicalize(&base).with_context(|| base.display().to_string())?;
        let revision = revision.unwrap_or_default();
        Ok(Options { base, revision, seeds, only, keeps })
    }
}
