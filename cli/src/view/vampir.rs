//! Archive of a run to open in Vampir, which is made if there is none.

use super::age;
use super::trace::{made_of_job, make, newest};
use crate::arguments::{ExportArguments, ViewArguments};
use crate::formats::table::Format;
use crate::job::Job;
use crate::run::start;
use crate::run_folder::{self, ANCHOR};
use crate::say;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub fn run(arguments: &ViewArguments) -> Result<()> {
    let archive = find(&arguments.run)?;
    let shown = say::shown(&archive);
    say::out(&format!(
        "archive: {shown}\nopen it in Vampir: File, Open Local..., or start `vampir {shown}`"
    ))?;
    if let Some(remark) = age::remark(archive.parent().unwrap_or(&archive)) {
        say::remark(&remark);
    }
    if arguments.open { launch(&archive) } else { Ok(()) }
}

fn find(path: &Path) -> Result<PathBuf> {
    if run_folder::is_otf2(path) {
        return Ok(if path.is_file() { path.to_owned() } else { path.join(ANCHOR) });
    }
    if path.is_file() && run_folder::is_trace(path) {
        bail!("{} is not for Vampir: give the run folder it came from", say::shown(path));
    }
    let job = Job::at(path)?;
    if job.is_none() {
        run_folder::check(path)?;
    }
    let made = newest(path, |name| name.starts_with("trace-otf2") && !name.ends_with(".part"));
    match (made, job) {
        (Some(folder), _) => Ok(folder.join(ANCHOR)),
        (None, None) => make(path, Format::Otf2),
        (None, Some(job)) => {
            let format = vec![Format::Otf2];
            made_of_job(&job, &ExportArguments { format, ..ExportArguments::of(path) })
        }
    }
}

fn launch(archive: &Path) -> Result<()> {
    let Some(vampir) = start::find("vampir".as_ref()) else {
        bail!("vampir is not on the PATH: start it yourself and open the archive");
    };
    let mut command = Command::new(&vampir);
    command.arg(archive).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().with_context(|| format!("{}", vampir.display())).map(drop)
}
