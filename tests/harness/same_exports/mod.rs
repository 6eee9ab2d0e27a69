//! Comparison of two exporters' outputs for the same recordings: `recordings` makes the recordings once, `exports`
//! runs an exporter, `canonical` makes a text of a trace without anything that a writer may choose, and
//! this module compares two such texts. `tests/examples/same_exports.rs` is the command.

mod canonical;
mod chrome;
mod damage;
mod exports;
pub mod otf2;
mod perfetto;
pub mod recordings;
mod tracks;

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use canonical::Format;
pub use exports::Exporter;
use exports::Job;

/// Lines of each text that are shown where they begin to differ.
const SHOWN: usize = 3;
/// No line is shown longer than this.
const WIDEST: usize = 400;

/// Says where two exporters differ on a recording; nothing when they do not. Traces that differ stay in
/// the scratch folder, each with its text, when `keeps`.
pub fn compare(
    recording: &Path,
    exporters: &[Exporter; 2],
    scratch: &Path,
    keeps: bool,
) -> Result<String> {
    let mut said = String::new();
    for job in exports::jobs(recording, &exporters[0], scratch)? {
        let folders =
            exporters.each_ref().map(|exporter| scratch.join(&exporter.name).join(&job.name));
        for (exporter, folder) in exporters.iter().zip(&folders) {
            exports::run(&job, recording, exporter, folder)?;
        }
        said += &differences(&job, &folders, keeps).with_context(|| job.name.clone())?;
    }
    if !keeps {
        fs::remove_dir_all(scratch)?;
    }
    Ok(said)
}

/// Differences between the outputs that both exporters wrote, or one of them.
fn differences(job: &Job, folders: &[PathBuf; 2], keeps: bool) -> Result<String> {
    let mut said = String::new();
    let found = [exports::found(&folders[0])?, exports::found(&folders[1])?];
    let all: BTreeSet<_> = found.iter().flatten().collect();
    for (name, format) in all {
        if exports::have_same_bytes(&folders.each_ref().map(|folder| folder.join(name)))? {
            continue;
        }
        let texts =
            [text(&folders[0], name, *format, keeps)?, text(&folders[1], name, *format, keeps)?];
        if let Some(first) = first_difference(&texts) {
            writeln!(said, "  {format}, {} ({name}):\n{first}", job.name)?;
        }
    }
    Ok(said)
}

fn text(folder: &Path, name: &str, format: Format, keeps: bool) -> Result<Vec<String>> {
    let path = folder.join(name);
    if !path.exists() {
        return Ok(Vec::new());
    }
    let lines = canonical::lines(&path, format);
    // What cannot be read is a difference to what can, or to what cannot for another reason.
    let lines = lines.unwrap_or_else(|error| vec![format!("cannot be read: {error:#}")]);
    if keeps {
        fs::write(folder.join(format!("{}.text", name.replace('/', "_"))), lines.join("\n"))?;
    }
    Ok(lines)
}

/// The first lines in which two texts differ, below the last line that leads a part of both.
fn first_difference(texts: &[Vec<String>; 2]) -> Option<String> {
    let at = (0..).find(|at| texts[0].get(*at) != texts[1].get(*at) || *at >= texts[0].len())?;
    if at >= texts[0].len() && at >= texts[1].len() {
        return None;
    }
    let mut said = String::new();
    if let Some(head) = texts[0][..at].iter().rfind(|line| !line.starts_with(' ')) {
        said += &format!("    below {}\n", shortened(head));
    }
    for (sign, text) in ["-", "+"].iter().zip(texts) {
        let shown = text[at..].iter().take(SHOWN);
        said.extend(shown.map(|line| format!("    {sign} {}\n", shortened(line))));
        if at >= text.len() {
            said += &format!("    {sign} (nothing more)\n");
        }
    }
    Some(said)
}

fn shortened(line: &str) -> String {
    match line.char_indices().nth(WIDEST) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line.to_owned(),
    }
}
