//! A second reader: PyPI's `otf2`, a newer libotf2 than Debian's, fetched once into cargo's target
//! directory. What cannot be fetched is an error, never a reader less.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use super::{PYTHON, anchor, python, run};
use crate::build::{self, make_in_place, target_dir};

const VERSION: &str = "3.2";

#[derive(Deserialize)]
struct Answer {
    version: String,
    events: BTreeMap<String, u64>,
}

/// Counts the events of each kind with Debian's libotf2 and its own high-level reader.
pub fn count_events(archive: &Path) -> Result<BTreeMap<String, u64>> {
    let (answer, _) = run(python("other_reader.py").arg(anchor(archive)), &[0])?;
    Ok(serde_json::from_str::<Answer>(&answer)?.events)
}

/// Counts them once more with libotf2 3.2. Which Python it runs on is Debian's choice, and pip
/// takes the package that was built for it.
pub fn count_again(archive: &Path) -> Result<BTreeMap<String, u64>> {
    let mut command = python("other_reader.py");
    let (answer, _) = run(command.env("PYTHONPATH", folder()?).arg(anchor(archive)), &[0])?;
    let answer: Answer = serde_json::from_str(&answer)?;
    if answer.version != VERSION {
        bail!("libotf2 {} read the archive, not {VERSION}", answer.version);
    }
    Ok(answer.events)
}

/// Folder of the unpacked package; the package is fetched if it is not there.
fn folder() -> Result<PathBuf> {
    let folder = target_dir().join("test-tools").join(format!("otf2-{VERSION}"));
    if !folder.is_dir() {
        make_in_place(&folder, fetch).with_context(|| {
            format!("PyPI's otf2 {VERSION} cannot be had (it takes python3-pip and the network)")
        })?;
    }
    Ok(folder)
}

fn fetch(draft: &Path) -> Result<()> {
    let download = tempfile::tempdir_in(draft.parent().context("a draft lies in a folder")?)?;
    let mut pip = Command::new(PYTHON);
    pip.args(["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", "--dest"]);
    pip.arg(download.path()).arg(format!("otf2=={VERSION}"));
    build::run(&mut pip, "python3-pip")?;
    let wheel = fs::read_dir(download.path())?.next().context("pip downloaded nothing")??;
    let mut unzip = Command::new(PYTHON);
    unzip.args(["-m", "zipfile", "-e"]).arg(wheel.path()).arg(draft);
    build::run(&mut unzip, "python3").map(drop)
}
