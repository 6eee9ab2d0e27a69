//! Children, grandchildren and programs after an exec have their own traces; unrelated processes have none.

use anyhow::{Context, Result};

use super::*;

#[test]
fn a_forked_child_has_its_trace() -> Result<()> {
    let ran = run(&[], &[&built("c/fork_parallel")?.1])?;
    assert_eq!(ran.code(), Some(0), "{}", ran.run.stderr);
    ran.check_traces(2)?;
    Ok(())
}

/// Also where a process in between has no recording, and where the program works elsewhere.
#[test]
fn a_scripts_programs_have_theirs() -> Result<()> {
    let binary = built("c/hello")?.1;
    let script = r#"mkdir below; cd below; "$0"; (sh -c "'$0'; '$0'; :"; :); exit 3"#;
    let binary = binary.to_str().context("text")?;
    let ran = run(&[], &["sh", "-c", script, binary])?;
    assert_eq!(ran.code(), Some(3), "{}", ran.run.stderr);
    ran.check_traces(3)?;
    assert_eq!(ran.run.stdout, "ok hello\n".repeat(3));
    Ok(())
}

#[test]
fn a_program_that_becomes_another_keeps_its_recording() -> Result<()> {
    let ran = run(&[], &[&built("endings/execs")?.1])?;
    assert_eq!((ran.code(), &*ran.run.stdout), (Some(0), "ok execs\n"));
    ran.check_traces(1)?;
    Ok(())
}

#[test]
fn what_another_run_owns_is_left_alone() -> Result<()> {
    let binary = built("c/hello")?.1;
    let (binary, product) = (binary.to_str().context("text")?, Product::find()?.program);
    let product = product.to_str().context("text")?;
    // The inner command makes its trace; the outer one must not make a second.
    let nested = [product, "run", "--format", "perfetto", "--", binary];
    let ran = run(&[], &nested)?;
    assert_eq!(ran.code(), Some(0), "{}", ran.run.stderr);
    let names = std::fs::read_dir(ran.scratch.only_run()?)?
        .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
        .collect::<Result<Vec<_>>>()?;
    let traces = names.iter().filter(|name| name.starts_with("trace")).count();
    assert_eq!(traces, 1, "{names:?}\n{}", ran.run.stderr);
    Ok(())
}

#[test]
fn an_earlier_run_folder_is_not_looked_at() -> Result<()> {
    let (scratch, binary) = (Scratch::new()?, built("c/hello")?.1);
    for _ in 0..2 {
        let mut command = command(&scratch, &["--output", "mine", "--format", "recording"])?;
        let run = process::run(command.arg(&binary), LIMIT)?;
        assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
    }
    assert_eq!(scratch.names()?, ["mine", "mine.2"]);
    Ok(())
}

/// A process in the background may outlive the program.
#[test]
fn who_goes_on_is_named() -> Result<()> {
    let binary = built("run_command/reports_signals")?.1;
    let script = r#""$0" > said & echo $! > pid; while ! grep -q ready said; do sleep 0.01; done"#;
    let ran = run(&[], &["sh", "-c", script, binary.to_str().context("text")?])?;
    let pid = std::fs::read_to_string(ran.scratch.path().join("pid"))?;
    Command::new("sh").args(["-c", &format!("kill -TERM {pid}")]).status()?;
    let words = format!("process {} still runs; when it has ended: `ompttrace export ", pid.trim());
    assert!(ran.run.stderr.contains(&words), "{}", ran.run.stderr);
    assert!(!ran.scratch.only_run()?.join("trace.pftrace").exists());
    Ok(())
}

/// Two commands at the same time in one folder: what the other's script started, through shells that are gone,
/// is the other's.
#[test]
fn two_runs_in_one_folder_keep_apart() -> Result<()> {
    let (scratch, binary) = (Scratch::new()?, built("c/hello")?.1);
    let indirectly = r#"sh -c "'$0'; :"; :"#;
    let patient = format!("touch ready; while [ ! -e go ]; do sleep 0.01; done; {indirectly}");
    let (out, err) = (tempfile::tempfile()?, tempfile::tempfile()?);
    let mut first = command(&scratch, &["--format", "perfetto"])?;
    first.args(["sh", "-c", &patient]).arg(&binary).stdout(out).stderr(err.try_clone()?);
    let mut first = first.spawn()?;
    while !scratch.path().join("ready").exists() {
        ensure!(first.try_wait()?.is_none(), "the first run is over before its time");
        std::thread::sleep(Duration::from_millis(5));
    }
    let mut second = command(&scratch, &["--format", "recording"])?;
    second.args(["sh", "-c", indirectly]).arg(&binary);
    let second = process::run(&mut second, LIMIT);
    std::fs::write(scratch.path().join("go"), "")?;
    ensure!(first.wait()?.success(), "the first run failed");
    let said = second?.stderr;
    ensure!(said.lines().count() == 1 && said.contains(": recording of "), "{said}");
    let runs = scratch.runs()?;
    let with_trace = runs.iter().filter(|run| run.join("trace.pftrace").exists()).count();
    ensure!((runs.len(), with_trace) == (2, 1), "{with_trace} of {runs:?} have a trace");
    Ok(())
}
