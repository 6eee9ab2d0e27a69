//! `cargo xtask tidy`: house rules that a program can check. Each rule lives
//! in a file of its own as a function from its input to complaints, so that
//! its unit test can show it failing.

mod comments;
mod denies;
mod documents;
mod edges;
mod layers;
mod published;
mod sources;
mod words;

use crate::repository;
use anyhow::{Result, bail};

/// The command: prints every complaint and fails when there is one.
pub fn run(arguments: &[String]) -> Result<()> {
    if !arguments.is_empty() {
        bail!("takes no arguments");
    }
    let complaints = complaints()?;
    for complaint in &complaints {
        eprintln!("tidy: {complaint}");
    }
    match complaints.len() {
        0 => Ok(()),
        1 => bail!("1 complaint"),
        many => bail!("{many} complaints"),
    }
}

fn complaints() -> Result<Vec<String>> {
    let metadata = edges::metadata()?;
    let mut complaints = edges::check(&metadata);
    complaints.extend(published::check(&metadata));
    let files = repository::all()?;
    for file in &files {
        complaints.extend(words::check(&file.name, &file.text));
        if file.name.ends_with(".rs") {
            complaints.extend(sources::check(&file.name, &file.text));
            complaints.extend(comments::check(&file.name, &file.text));
        }
    }
    complaints.extend(layers::check(&files));
    complaints.extend(documents::check(&files));
    complaints.extend(denies::check_crates(denies::GUESTS)?);
    Ok(complaints)
}
