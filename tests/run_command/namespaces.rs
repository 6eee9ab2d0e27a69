//! Programs in namespaces of their own: their numbers and times mean nothing outside, so that a living one is
//! never taken for a dead one, and a dead one's buffers are taken all the same.

use anyhow::{Context, Result};

use super::live::{Live, REGIONS, ask, check_end, regions};
use super::*;

/// A command in namespaces of its own.
struct Within(Vec<String>);

impl Within {
    /// A command in namespaces by these options of unshare, as root or as a user who may be root in a user namespace.
    fn new(options: &[&str]) -> Result<Within> {
        for more in [&[][..], &["--user", "--map-root-user"]] {
            let words = [&["unshare"], more, options].concat();
            let mut trial = Command::new("unshare");
            if trial.args(&words[1..]).arg("true").output()?.status.success() {
                return Ok(Within(words.iter().map(|word| (*word).to_owned()).collect()));
            }
        }
        anyhow::bail!("unshare {options:?} is not permitted here")
    }

    fn words(&self) -> Vec<&str> {
        self.0.iter().map(String::as_str).collect()
    }
}

const PIDS: [&str; 3] = ["--pid", "--fork", "--mount-proc"];

/// An export from outside takes nothing from it, whatever process has its number there.
#[test]
fn a_program_with_process_ids_of_its_own_keeps_its_buffers() -> Result<()> {
    let within = Within::new(&PIDS)?;
    for buffer in ["16K@shm", "16K@run"] {
        let live = Live::start(&within.words(), &["--buffer", buffer], &["kill"])?;
        let info = live.ask(&[], &["info"])?;
        assert!(info.contains("the program still runs"), "{info}");
        let export = live.ask(&[], &["export"])?;
        assert!(export.contains("the program still runs"), "{export}");
        assert!(!export.contains("recovered"), "{export}");
        assert_eq!(regions(&live.run())?, REGIONS[0]);
        let pack = ask(&[], &["pack"], &live.run())?;
        assert_eq!(pack.status.code(), Some(1), "{pack:?}");
        let (scratch, said) = live.end()?;
        check_end(&scratch, &said, "SIGKILL")?;
    }
    Ok(())
}

/// The other way round: who exports has numbers of its own, and so has /proc there.
#[test]
fn an_export_with_process_ids_of_its_own_takes_nothing() -> Result<()> {
    let live = Live::start(&[], &[], &["kill"])?;
    for options in [&PIDS[..], &PIDS[..2]] {
        let export = live.ask(&Within::new(options)?.words(), &["export"])?;
        assert!(export.contains("the program still runs"), "{export}");
        assert!(!export.contains("recovered"), "{export}");
    }
    let (scratch, said) = live.end()?;
    check_end(&scratch, &said, "SIGKILL")
}

/// A namespace for times shifts the start times of all processes.
#[test]
fn another_boot_time_makes_no_process_another() -> Result<()> {
    let within = Within::new(&["--time", "--fork", "--boottime", "100000"])?;
    let live = Live::start(&[], &[], &["kill"])?;
    let export = live.ask(&within.words(), &["export"])?;
    assert!(export.contains("the program still runs"), "{export}");
    let (scratch, said) = live.end()?;
    check_end(&scratch, &said, "SIGKILL")?;
    let live = Live::start(&within.words(), &[], &["kill"])?;
    let export = live.ask(&[], &["export"])?;
    assert!(export.contains("the program still runs"), "{export}");
    let (scratch, said) = live.end()?;
    check_end(&scratch, &said, "SIGKILL")
}

/// Nobody has them in his memory any more: no number is needed to know that.
#[test]
fn what_died_with_process_ids_of_its_own_is_recovered_outside() -> Result<()> {
    let within = Within::new(&PIDS)?;
    let scratch = Scratch::new()?;
    let binary = built("run_command/goes_on")?.1;
    std::fs::write(scratch.path().join("go"), "")?;
    let mut inner = command(&scratch, &["--output", "run"])?;
    // The first process of such a namespace cannot kill itself.
    inner.args(within.words()).args(["sh", "-c", r#""$0" kill; exit $?"#]).arg(binary);
    let ran = process::run(&mut inner, LIMIT)?;
    check_end(&scratch, &ran.stderr, "recovered from the buffers")
}

/// Here on a file system that may be another machine's for all that is known of it, and where numbers of
/// processes are others: the buffers are read where they are, and taken when the user says so.
#[test]
fn buffers_of_which_nobody_knows_are_taken_by_force() -> Result<()> {
    let scratch = Scratch::new()?;
    let binary = built("run_command/goes_on")?.1;
    std::fs::write(scratch.path().join("go"), "")?;
    let mut killed = Command::new(binary);
    process::without_settings(&mut killed);
    killed.arg("kill").env("OMP_TOOL_LIBRARIES", Product::find()?.library);
    killed.envs([("OMPTTRACE_OUTPUT", "run"), ("OMP_NUM_THREADS", "2")]);
    process::run(killed.current_dir(scratch.path()), LIMIT)?;
    let pool = traced::pool_of(&scratch.only_run()?)?.context("a pool")?;
    let within = Within::new(&[&PIDS[..], &["--mount"]].concat())?;
    let script = r#"cp "$1" kept; mount -t ramfs none /dev/shm; cp kept "$1"
                    "$0" export run; "$0" info run; "$0" export --force run; ls /dev/shm"#;
    let mut shell = Command::new("unshare");
    shell.args(&within.words()[1..]).args(["sh", "-c", script]).arg(Product::find()?.program);
    let run = process::run(shell.arg(&pool).current_dir(scratch.path()), LIMIT)?;
    let order = [
        "events, 0 lost, not closed (it is unknown here whether the program still runs)",
        "the buffers stay in /dev/shm/ompttrace.",
        "ended     not closed: it is unknown here whether",
        "recovered: ",
    ];
    let mut rest = &*run.stdout;
    for words in order {
        let (_, after) = rest.split_once(words).with_context(|| format!("{words}\n{run:?}"))?;
        rest = after;
    }
    assert!(rest.ends_with("\n") && !rest.contains("\nompttrace."), "{rest}");
    assert_eq!(regions(&scratch.only_run()?)?, REGIONS[1]);
    Ok(())
}

/// Without /proc neither our library nor the program's process can be found: that is said in one line, and nothing is started.
#[test]
fn without_proc_the_command_says_what_is_missing() -> Result<()> {
    let within = Within::new(&["--mount"])?;
    let script = r#"mount -t tmpfs none /proc && exec "$0" run -- echo started"#;
    let mut shell = Command::new("unshare");
    shell.args(&within.words()[1..]).args(["sh", "-c", script]).arg(Product::find()?.program);
    let scratch = Scratch::new()?;
    let run = process::run(shell.current_dir(scratch.path()), LIMIT)?;
    assert_eq!(
        (run.status.and_then(|status| status.code()), &*run.stdout),
        (Some(1), ""),
        "{run:?}"
    );
    let line = run.stderr.trim_end();
    assert!(line.lines().count() == 1 && line.contains("ompttrace needs /proc"), "{line}");
    Ok(())
}
