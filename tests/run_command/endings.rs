//! Streams, exit status and signals of the program are those of the command.

use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;

use anyhow::{Context, Result};

use super::*;

#[test]
fn a_program_is_traced_and_says_what_it_says_alone() -> Result<()> {
    let (program, binary) = built("c/hello")?;
    let ran = run(&[], &[&binary])?;
    assert_eq!(ran.code(), Some(0), "{}", ran.run.stderr);
    assert_eq!(ran.run.stdout, format!("{}\n", program.last_line()));
    ran.check_traces(1)?;
    let run = ran.scratch.only_run()?;
    let name = run.file_name().context("a name")?.display();
    let next = format!("`ompttrace report {name}` says where the time went");
    let end = format!("0 lost; exit status 0; {next}\n");
    assert!(ran.run.stderr.ends_with(&end), "{}", ran.run.stderr);
    assert_eq!(ran.run.stderr.lines().count(), 1);
    Ok(())
}

#[test]
fn quiet_is_quiet() -> Result<()> {
    for (options, variable) in [(&["--quiet"][..], "0"), (&[], "1")] {
        let binary = built("c/hello")?.1;
        let ran = run_with(options, &[&binary], &[("OMPTTRACE_QUIET", variable)])?;
        assert_eq!((ran.code(), &*ran.run.stderr), (Some(0), ""));
        assert!(ran.scratch.only_run()?.join("trace.pftrace").is_file());
    }
    Ok(())
}

#[test]
fn streams_folder_and_status_are_the_programs() -> Result<()> {
    let scratch = Scratch::new()?;
    let mut command = command(&scratch, &["--quiet"])?;
    command.args(["sh", "-c", "cat; pwd; echo aside >&2; exit 5"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    child.stdin.take().context("a pipe")?.write_all(b"through\n")?;
    let output = child.wait_with_output()?;
    assert_eq!(output.status.code(), Some(5));
    let folder = std::fs::canonicalize(scratch.path())?;
    assert_eq!(String::from_utf8(output.stdout)?, format!("through\n{}\n", folder.display()));
    assert_eq!(output.stderr, b"aside\n");
    Ok(())
}

#[test]
fn a_killed_program_has_its_trace_and_its_signal_is_ours() -> Result<()> {
    let binary = built("c/killed")?.1;
    let ran = run(&[], &[&binary])?;
    assert_eq!(ran.run.status.and_then(|status| status.signal()), Some(9), "{:?}", ran.run);
    ran.check_traces(1)?;
    let said = &ran.run.stderr;
    assert!(said.contains("recovered from the buffers; SIGKILL; "), "{said}");
    Ok(())
}

#[test]
fn other_deadly_signals_are_ours_too() -> Result<()> {
    for (name, signal) in [("SEGV", 11), ("ABRT", 6), ("USR1", 10), ("TERM", 15)] {
        let ran = run(&["--quiet"], &["sh", "-c", &format!("kill -{name} $$")])?;
        assert_eq!(ran.run.status.and_then(|status| status.signal()), Some(signal), "{name}");
    }
    Ok(())
}

#[test]
fn what_cannot_be_started_is_reported_as_shells_do() -> Result<()> {
    for (program, code, words) in [
        ("no such thing", 127, "no such thing: no such program on the PATH"),
        ("./missing", 127, "./missing: no such program"),
        ("/etc/passwd", 126, "/etc/passwd cannot be executed: Permission denied"),
        ("/", 126, "/ cannot be executed: Permission denied"),
        ("./interpreted", 127, "./interpreted: its interpreter is missing"),
    ] {
        let scratch = Scratch::new()?;
        // A shell writes it: what this process has open for writing cannot be executed.
        let write = "echo '#!/no/such/interpreter' > interpreted; chmod 700 interpreted";
        Command::new("sh").args(["-c", write]).current_dir(scratch.path()).status()?;
        let run = process::run(command(&scratch, &[])?.arg(program), LIMIT)?;
        assert_eq!(run.status.and_then(|status| status.code()), Some(code), "{program}");
        assert!(run.stderr.starts_with(&format!("ompttrace: {words}")), "{}", run.stderr);
        assert_eq!((run.stderr.lines().count(), &*run.stdout), (1, ""), "{}", run.stderr);
    }
    Ok(())
}

/// One memory image is enough, and it is the program's.
#[test]
fn the_command_leaves_no_memory_image() -> Result<()> {
    let scratch = Scratch::new()?;
    let inner = command(&scratch, &["--quiet"])?;
    let mut shell = Command::new("sh");
    process::without_settings(&mut shell);
    shell.args(["-c", "ulimit -c unlimited; exec \"$@\"", "sh"]).current_dir(scratch.path());
    shell.arg(inner.get_program()).args(inner.get_args());
    shell.args(["sh", "-c", "ulimit -c 0; kill -SEGV $$"]);
    let status = process::run(&mut shell, LIMIT)?.status.context("it ended")?;
    assert_eq!((status.signal(), status.core_dumped()), (Some(11), false));
    Ok(())
}
