//! Signals sent to the command reach the program, once; those of a terminal it has had already.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ChildStdout, Stdio};

use anyhow::{Context, Result};
use ompttrace_tests::terminal;

use super::*;

/// The program that prints signals, running.
struct Reporting {
    child: Child,
    lines: BufReader<ChildStdout>,
    scratch: Scratch,
}

impl Reporting {
    /// `wrapper`: a shell's words that begin before the command.
    fn start(wrapper: &str) -> Result<Reporting> {
        let scratch = Scratch::new()?;
        let inner = command(&scratch, &["--quiet"])?;
        // What started the tests may ignore signals, as nohup does.
        let mut shell = Command::new("env");
        process::without_settings(&mut shell);
        shell.args(["--default-signal", "sh", "-c", &format!("{wrapper} exec \"$@\""), "sh"]);
        shell.arg(inner.get_program()).args(inner.get_args()).arg(reports()?);
        shell.env("OMP_NUM_THREADS", "4").current_dir(scratch.path());
        let mut child = shell.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
        let lines = BufReader::new(child.stdout.take().context("a pipe")?);
        let mut reporting = Reporting { child, lines, scratch };
        assert_eq!(reporting.line()?, "ready 4");
        Ok(reporting)
    }

    fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        self.lines.read_line(&mut line)?;
        Ok(line.trim_end().to_owned())
    }

    fn send(&self, signal: &str) -> Result<()> {
        let kill = format!("kill -{signal} {}", self.child.id());
        let status = Command::new("sh").args(["-c", &kill]).status()?;
        ensure!(status.success(), "{kill}: {status}");
        Ok(())
    }

    /// Ends it and checks the end.
    fn end(mut self) -> Result<()> {
        self.send("TERM")?;
        assert_eq!(self.line()?, "TERM");
        assert_eq!(self.line()?, "", "nothing more");
        assert_eq!(self.child.wait()?.code(), Some(7));
        assert!(self.scratch.only_run()?.join("trace.pftrace").is_file());
        Ok(())
    }
}

impl Drop for Reporting {
    fn drop(&mut self) {
        // Only after a failure is it still there.
        if let Ok(None) = self.child.try_wait() {
            let _ = self.send("TERM");
            let _ = self.child.wait();
        }
    }
}

fn reports() -> Result<PathBuf> {
    Ok(built("run_command/reports_signals")?.1)
}

#[test]
fn signals_are_passed_on() -> Result<()> {
    let mut reporting = Reporting::start("")?;
    for signal in ["HUP", "USR1", "USR2", "INT", "QUIT"] {
        reporting.send(signal)?;
        assert_eq!(reporting.line()?, signal);
    }
    reporting.end()
}

#[test]
fn what_is_ignored_stays_ignored() -> Result<()> {
    let mut reporting = Reporting::start("trap '' HUP INT;")?;
    for ignored in ["HUP", "INT"] {
        reporting.send(ignored)?;
    }
    reporting.send("USR1")?;
    assert_eq!(reporting.line()?, "USR1");
    reporting.end()
}

/// A terminal's Ctrl-C goes to both. `script` makes the terminal.
#[test]
fn a_terminals_signal_comes_once_and_the_trace_is_made() -> Result<()> {
    let scratch = Scratch::new()?;
    let inner = command(&scratch, &[])?;
    let words: Vec<_> = std::iter::once(inner.get_program())
        .chain(inner.get_args())
        .map(|word| format!("'{}'", word.to_string_lossy()))
        .chain([format!("'{}' quit", reports()?.display())])
        .collect();
    if !terminal::can_be_made()? {
        // Where there are no terminals (a bare chroot) none sends a signal.
        println!("no pseudo-terminals here: nothing to see");
        return Ok(());
    }
    // An echo may come between a word and the end of its line, and a terminal that is asked to stop
    // something drops what it has not read yet.
    let words = format!("stty -echo noflsh; exec {}", words.join(" "));
    let mut script = terminal::shell(&words);
    process::without_settings(&mut script);
    script.env("OMP_NUM_THREADS", "4").current_dir(scratch.path());
    let mut child = script.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let mut typed = child.stdin.take().context("a pipe")?;
    let mut lines = BufReader::new(child.stdout.take().context("a pipe")?).lines();
    let mut said = Vec::new();
    for line in &mut lines {
        let line = line?.trim_end().to_owned();
        match line.as_str() {
            "ready 4" => typed.write_all(b"\x03")?,
            "INT" => typed.write_all(b"\x1c")?,
            _ => {}
        }
        said.push(line);
    }
    let reported: Vec<_> =
        said.iter().filter(|line| ["INT", "QUIT"].contains(&line.as_str())).collect();
    assert_eq!(reported, ["INT", "QUIT"], "{said:?}");
    assert_eq!(child.wait()?.code(), Some(7), "{said:?}");
    assert!(scratch.only_run()?.join("trace.pftrace").is_file());
    Ok(())
}

/// The command's work after the program's end can take long: in this test nobody reads its messages.
#[test]
fn when_the_program_is_over_signals_end_the_command() -> Result<()> {
    let scratch = Scratch::new()?;
    let mut command = command(&scratch, &[])?;
    // As much as a pipe holds; the program ends all the same, and does not mind the signal.
    command.args(["sh", "-c", "trap '' TERM; echo ready; head -c 65536 /dev/zero >&2"]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    let mut ready = String::new();
    BufReader::new(child.stdout.take().context("a pipe")?).read_line(&mut ready)?;
    let mut status = None;
    for _ in 0..400 {
        let kill = format!("kill -TERM {}", child.id());
        Command::new("sh").args(["-c", &kill]).stderr(Stdio::null()).status()?;
        std::thread::sleep(Duration::from_millis(50));
        status = child.try_wait()?;
        if status.is_some() {
            break;
        }
    }
    if status.is_none() {
        child.kill()?;
        child.wait()?;
    }
    assert_eq!(status.and_then(|status| status.signal()), Some(15));
    Ok(())
}
