//! Files that the tool and the commands write: nothing that exists at their path is followed, changed or replaced, and only
//! their owner may read them.

use std::collections::BTreeMap;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use anyhow::{Context, Result, ensure};
use ompttrace_tests::process;
use ompttrace_tests::product::Product;
use ompttrace_tests::programs;
use ompttrace_tests::runtimes;
use ompttrace_tests::traced::{self, By, Scratch};

use super::small;

fn run_in(scratch: &Scratch, settings: &[(&str, &str)]) -> Result<process::Finished> {
    let program = programs::by_name("c/hello")?;
    let run = traced::run_in(scratch, &program, &runtimes::libomp_19()?, By::Runtime, settings)?;
    ensure!(run.ended_by(program.directives.end) && run.stdout == "ok hello\n", "{run:?}");
    Ok(run)
}

/// A file, a folder, a link to another folder and a dead link have the names that the run folder would get.
#[test]
fn what_has_the_run_folders_name_is_left_alone() -> Result<()> {
    let scratch = Scratch::new()?;
    let of = |name: &str| scratch.path().join(name);
    fs::write(of("run"), "a file")?;
    fs::create_dir(of("run.2"))?;
    fs::create_dir(of("another's"))?;
    symlink("another's", of("run.3"))?;
    symlink("nothing", of("run.4"))?;
    run_in(&scratch, &[("OMPTTRACE_OUTPUT", "run"), ("OMPTTRACE_FORMAT", "perfetto,chrome")])?;
    ensure!(fs::read_to_string(of("run"))? == "a file");
    ensure!(fs::read_dir(of("run.2"))?.count() == 0);
    ensure!(fs::read_dir(of("another's"))?.count() == 0);
    ensure!(!of("nothing").exists());
    ensure!(of("run.5/trace.pftrace").is_file(), "{:?}", scratch.names()?);
    Ok(())
}

/// One fixed name for very many processes.
#[test]
fn a_thousandth_run_folder_of_one_name_is_made_and_found() -> Result<()> {
    let scratch = Scratch::new()?;
    fs::create_dir(scratch.path().join("run"))?;
    for number in 2..1000 {
        fs::create_dir(scratch.path().join(format!("run.{number}")))?;
    }
    run_in(&scratch, &[("OMPTTRACE_OUTPUT", "run"), ("OMPTTRACE_FORMAT", "recording")])?;
    let mut command = Command::new(Product::find()?.program);
    command.args(["run", "--output", "run"]).current_dir(scratch.path()).arg("--");
    command.env("OMP_NUM_THREADS", "4");
    let said = command.arg(programs::by_name("c/hello")?.build()?).output()?;
    let made = |name: &str| {
        let traces =
            fs::read_dir(scratch.path())?.filter_map(|entry| Some(entry.ok()?.path().join(name)));
        anyhow::Ok(traces.filter(|file| file.is_file()).count())
    };
    ensure!(made("recording.json")? == 2 && made("trace.pftrace")? == 1, "{said:?}");
    Ok(())
}

/// Whatever the umask says.
#[test]
fn what_is_made_is_the_owners_alone() -> Result<()> {
    let program = programs::by_name("c/quick_death")?;
    for format in ["perfetto,chrome", "recording"] {
        for program in [&programs::by_name("c/hello")?, &program] {
            let scratch = Scratch::new()?;
            let mut inner = program.command(&runtimes::libomp_19()?)?;
            scratch.attach(&mut inner, By::Runtime)?;
            inner.env("OMPTTRACE_FORMAT", format);
            let mut shell = Command::new("sh");
            shell.args(["-c", "umask 0; exec \"$0\""]).arg(inner.get_program());
            for (name, value) in inner.get_envs() {
                match value {
                    Some(value) => shell.env(name, value),
                    None => shell.env_remove(name),
                };
            }
            process::run(&mut shell, program.directives.timeout)?;
            let run = scratch.only_run()?;
            ensure!(run.metadata()?.mode() & 0o777 == 0o700, "{}", run.display());
            let pool = traced::pool_of(&run)?.context("a run has a pool")?;
            let files = fs::read_dir(&run)?.filter_map(|entry| Some(entry.ok()?.path()));
            for file in files.chain(pool.exists().then_some(pool)) {
                let mode = file.metadata()?.mode() & 0o777;
                ensure!(mode == 0o600, "{}: {mode:o}", file.display());
            }
        }
    }
    Ok(())
}

/// Links that lie where the export would write lead nowhere.
#[test]
fn links_in_the_run_folder_are_not_followed() -> Result<()> {
    let (traced, run) = small()?;
    let victim = traced.scratch.path().join("victim");
    fs::write(&victim, "another's")?;
    symlink(&victim, run.join("trace.pftrace"))?;
    symlink("dangling", run.join("trace.2.pftrace"))?;
    let export = Product::find()?.export(&run)?;
    ensure!(export["trace"].as_str().is_some_and(|trace| trace.ends_with("trace.3.pftrace")));
    ensure!(fs::read_to_string(&victim)? == "another's" && !run.join("dangling").exists());
    for taken in [victim.clone(), run.join("trace.2.pftrace")] {
        let mut command = Command::new(Product::find()?.program);
        let said = command.args(["export", "--output"]).arg(&taken).arg(&run).output()?;
        let stderr = String::from_utf8_lossy(&said.stderr);
        ensure!(said.status.code() == Some(1) && stderr.contains("exists"), "{stderr}");
    }
    ensure!(fs::read_to_string(&victim)? == "another's");
    Ok(())
}

/// Whatever writes files makes them for the owner alone, whatever the umask says, and leaves alone what has
/// its name already.
#[test]
fn no_command_follows_or_replaces_what_is_there() -> Result<()> {
    let (_traced, recorded) = small()?;
    for (arguments, taken, numbered) in WRITES {
        for occupant in OCCUPANTS {
            let case = format!("{arguments:?} at {occupant}");
            let scratch = Scratch::new()?;
            let folder = scratch.path();
            ensure!(
                Command::new("cp")
                    .arg("-a")
                    .arg(&recorded)
                    .arg(folder.join("run"))
                    .status()?
                    .success()
            );
            fs::create_dir(folder.join("another's"))?;
            fs::write(folder.join("another's/file"), "another's")?;
            for name in taken {
                occupy(folder, name, occupant)?;
            }
            let before = standing(folder)?;
            let said = written(folder, arguments)?;
            let free = occupant == "nothing" || numbered;
            ensure!(said.status.code() == Some(if free { 0 } else { 1 }), "{case}: {said:?}");
            let after = standing(folder)?;
            for (path, what) in &before {
                ensure!(after.get(path) == Some(what), "{case}: {} was {what}", path.display());
            }
            let new: Vec<_> =
                after.iter().filter(|(path, _)| !before.contains_key(*path)).collect();
            ensure!(new.is_empty() != free, "{case}: {new:?}");
            for (path, what) in new {
                let wanted = if path.is_dir() { "40700 " } else { "100600 " };
                ensure!(what.starts_with(wanted), "{case}: {} is {what}", path.display());
            }
        }
    }
    Ok(())
}

const OCCUPANTS: [&str; 6] =
    ["nothing", "a file", "a folder", "a link to a file", "a link to a folder", "a dead link"];

/// Commands, the paths that each writes to, and true if it writes to another path where these exist.
pub const WRITES: [(&[&str], &[&str], bool); 10] = [
    (
        &["export", "--format", "otf2", "--view", "both", "run"],
        &["run/trace-otf2", "run/trace-otf2-regions"],
        true,
    ),
    (&["export", "--format", "otf2", "--output", "out", "run"], &["out"], false),
    (&["export", "--format", "parquet", "run"], &["run/trace-parquet"], true),
    (&["export", "--format", "parquet", "--intervals", "--output", "out", "run"], &["out"], false),
    (&["export", "--format", "chrome", "--gzip", "--output", "out", "run"], &["out"], false),
    (&["export", "--split", "1M", "run"], &["run/trace-part1.pftrace"], true),
    (&["export", "--split", "1M", "--output", "out", "run"], &["out-part1"], false),
    (&["report", "--html", "page.html", "run"], &["page.html"], false),
    (&["merge", "--output", "out", "run"], &["out"], false),
    (&["pack", "--keep", "run"], &["run/events.packed"], false),
];

fn occupy(folder: &Path, name: &str, with: &str) -> Result<()> {
    let (path, anothers) = (folder.join(name), folder.join("another's"));
    match with {
        "a file" => fs::write(path, "a file")?,
        "a folder" => fs::create_dir(path)?,
        "a link to a file" => symlink(anothers.join("file"), path)?,
        "a link to a folder" => symlink(anothers, path)?,
        "a dead link" => symlink("nowhere", path)?,
        _ => {}
    }
    Ok(())
}

/// Everything in a folder: its mode and what is in it.
fn standing(folder: &Path) -> Result<BTreeMap<PathBuf, String>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let kind = path.symlink_metadata()?;
        let what = match kind.is_symlink() {
            true => fs::read_link(&path)?.display().to_string(),
            false if kind.is_dir() => {
                found.extend(standing(&path)?);
                "a folder".to_owned()
            }
            false => {
                let mut hasher = DefaultHasher::new();
                fs::read(&path)?.hash(&mut hasher);
                hasher.finish().to_string()
            }
        };
        found.insert(path, format!("{:o} {what}", kind.mode()));
    }
    Ok(found)
}

fn written(folder: &Path, arguments: &[&str]) -> Result<Output> {
    let mut shell = Command::new("sh");
    shell.args(["-c", "umask 0; exec \"$0\" \"$@\""]).arg(Product::find()?.program);
    Ok(shell.args(arguments).current_dir(folder).output()?)
}
