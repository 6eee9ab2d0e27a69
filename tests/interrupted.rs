//! A trace in the making that is interrupted, as by Ctrl-C: the command says that the recording is as it was, and leaves nothing unfinished.

use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, ensure};
use ompttrace_tests::build;
use ompttrace_tests::product::Product;
use ompttrace_tests::programs;
use ompttrace_tests::runtimes;
use ompttrace_tests::traced::{self, By, RECORD_ONLY};

/// The names in a folder, in order.
fn names(folder: &Path) -> Result<Vec<String>> {
    let names = std::fs::read_dir(folder)?
        .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
    let mut names = names.collect::<Result<Vec<_>>>()?;
    names.sort();
    Ok(names)
}

/// The commands that make a trace, in its recording's folder, and what it is called when it is done.
const COMMANDS: [(&[&str], &str, &str); 5] = [
    (&["export", "--detail", "all", "--exact"], "INT", "trace.pftrace"),
    (&["export", "--detail", "all", "--format", "chrome"], "TERM", "trace.json"),
    (&["export", "--format", "otf2"], "INT", "trace-otf2"),
    (&["view", "--from", "1us", "--port", "0"], "INT", "window.pftrace"),
    (&["merge"], "INT", "merged.pftrace"),
];

/// Takes away what an attempt before this one has made.
fn remove(trace: &Path) -> Result<()> {
    match trace {
        folder if folder.is_dir() => std::fs::remove_dir_all(folder)?,
        file if file.exists() => std::fs::remove_file(file)?,
        _ => {}
    }
    Ok(())
}

/// The command, by which SIGINT is not ignored: a shell that started the tests in the background lets them ignore it.
fn with_default_signals() -> Result<Command> {
    let mut command = Command::new("env");
    command.arg("--default-signal").arg(Product::find()?.program);
    Ok(command)
}

/// Starts a command and stops it when it has begun to write; `None`: it was done before.
fn during_export(run: &Path, words: &[&str], trace: &str) -> Result<Option<Child>> {
    remove(&run.join(trace))?;
    let mut command = with_default_signals()?;
    command.args(words).arg(run).current_dir(run);
    let mut export = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    loop {
        let names = names(run)?;
        if names.iter().any(|name| name.ends_with(".part")) {
            return Ok(Some(export));
        }
        if export.try_wait()?.is_some() || names.iter().any(|name| name == trace) {
            export.kill()?;
            export.wait()?;
            return Ok(None);
        }
        std::thread::yield_now();
    }
}

#[test]
fn an_interrupted_export_leaves_the_recording_and_says_so() -> Result<()> {
    let program = programs::by_name("c/many_events")?.with(&["50000"]);
    let traced = traced::run(&program, &runtimes::libomp_19()?, By::Runtime, &[RECORD_ONLY])?;
    let run = traced.scratch.only_run()?;
    let before = names(&run)?;
    for (words, signal, trace) in COMMANDS {
        let shown = words.join(" ");
        // One that is over before it hears of it proves nothing.
        for attempt in 1.. {
            ensure!(attempt <= 50, "{shown}: no export was caught");
            let Some(export) = during_export(&run, words, trace)? else { continue };
            // Where it is over by now there is nobody to hear it, and it has not been waited for.
            build::run(
                Command::new("kill").arg(format!("-{signal}")).arg(export.id().to_string()),
                "",
            )?;
            let output = export.wait_with_output()?;
            if run.join(trace).exists() {
                continue;
            }
            let said = String::from_utf8_lossy(&output.stderr);
            ensure!(output.status.signal().is_some(), "{shown}: {:?}: {said}", output.status);
            let unchanged = match words {
                ["merge"] => "recordings are unchanged",
                _ => "recording is unchanged",
            };
            let line = format!("ended by SIG{signal}: no trace was made, and the {unchanged}");
            ensure!(said.contains(&line), "{shown}: {said}");
            ensure!(!names(&run)?.iter().any(|name| name.contains(".part")), "{:?}", names(&run)?);
            break;
        }
    }
    let left = names(&run)?;
    ensure!(before.iter().all(|name| left.contains(name)), "{left:?} without some of {before:?}");
    let reported = Product::find()?.export(&run)?;
    ensure!(reported["lost"] == 0, "{reported}");
    reported["trace"].as_str().context("a trace")?;
    Ok(())
}

/// A command that waits for the page has made a trace, and Ctrl-C is how to end the wait.
#[test]
fn waiting_for_the_page_is_interrupted_without_a_word() -> Result<()> {
    let program = programs::by_name("c/hello")?;
    let traced = traced::run(&program, &runtimes::libomp_19()?, By::Runtime, &[RECORD_ONLY])?;
    let run = traced.scratch.only_run()?;
    let mut command = with_default_signals()?;
    command.args(["view", "--from", "1us", "--port", "0"]).arg(&run);
    let mut view = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let mut lines = BufReader::new(view.stdout.take().context("piped")?).lines();
    let is_link =
        |line: &std::io::Result<String>| line.as_ref().is_ok_and(|line| line.starts_with("open:"));
    ensure!(lines.any(|line| is_link(&line)), "{:?}", view.wait_with_output()?);
    build::run(Command::new("kill").arg("-INT").arg(view.id().to_string()), "")?;
    let output = view.wait_with_output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.signal() == Some(2) && !said.contains("ended by"), "{output:?}");
    ensure!(run.join("window.pftrace").is_file(), "{:?}", names(&run)?);
    Ok(())
}
