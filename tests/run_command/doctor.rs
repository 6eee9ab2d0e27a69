//! `ompttrace doctor` tries the runtimes that are here, and its exit status is its verdict.

use std::os::unix::fs::{PermissionsExt, chown};
use std::path::Path;

use anyhow::{Context, Result};
use ompttrace_tests::fake_runtime::Spy;
use ompttrace_tests::{build, runtimes};

use super::*;

fn doctor(arguments: &[&str], variables: &[(&str, &str)]) -> Result<Finished> {
    let scratch = Scratch::new()?;
    let mut command = Command::new(Product::find()?.program);
    process::without_settings(&mut command);
    command.arg("doctor").args(arguments).envs(variables.iter().copied());
    let run = process::run(command.current_dir(scratch.path()), LIMIT)?;
    assert_eq!((scratch.names()?, &*run.stderr), (Vec::new(), ""), "it leaves nothing");
    Ok(run)
}

fn code(run: &Finished) -> Option<i32> {
    run.status.and_then(|status| status.code())
}

/// Two runtimes of different makers, both tried.
#[test]
fn runtimes_are_tried() -> Result<()> {
    let older = runtimes::by_name("libomp-14")?.library;
    let folder = older.parent().and_then(Path::to_str).context("text")?;
    let run = doctor(&[], &[("LD_LIBRARY_PATH", folder)])?;
    let newer = std::fs::canonicalize(runtimes::libomp_19()?.library)?;
    let gnu = "libgomp.so.1.0.0: can be recorded; tested: ";
    assert!(run.stdout.contains(gnu), "{}", run.stdout);
    for runtime in [older, newer] {
        let line = format!("ok       runtime  {}: calls the tool; tested: ", runtime.display());
        assert!(run.stdout.contains(&line), "{line}\n{}", run.stdout);
    }
    assert!(!run.stdout.contains("tested: 0 kinds"), "{}", run.stdout);
    for about in ["library", "clock", "cores", "/dev/shm", "disk", "OTF2"] {
        let lines = run
            .stdout
            .lines()
            .filter(|line| line.get(9..).is_some_and(|line| line.starts_with(about)));
        assert_eq!(lines.count(), 1, "{about}\n{}", run.stdout);
    }
    assert_eq!(code(&run), Some(0), "{}", run.stdout);
    Ok(())
}

#[test]
fn what_cannot_be_traced_is_a_problem() -> Result<()> {
    let (folder, source) = (tempfile::tempdir()?, built("c/gcc_loops")?.0.source);
    let alone = folder.path().join("static");
    let mut gcc = Command::new("gcc");
    build::run(gcc.args(["-static", "-fopenmp"]).arg(source).arg("-o").arg(&alone), "gcc")?;
    let alone = alone.to_str().context("text")?;
    for (arguments, variables, words) in [
        (&[alone][..], &[][..], "PROBLEM  program  "),
        (&["no such program"], &[], "PROBLEM  program  no such program: no such program"),
        (
            &[],
            &[("OMPTTRACE_VIEW", "all")],
            "is not allowed: auto, threads, regions or both: change",
        ),
    ] {
        let run = doctor(arguments, variables)?;
        assert!(run.stdout.contains(words), "{words}\n{}", run.stdout);
        assert_eq!(code(&run), Some(1), "{}", run.stdout);
    }
    Ok(())
}

#[test]
fn programs_that_can_be_traced_are_well() -> Result<()> {
    let (own, gnu) = (built("c/hello")?.1, built("c/gcc_loops")?.1);
    for (program, words) in [
        (
            gnu.to_str().context("text")?,
            "gcc_loops uses GCC's libgomp, which `ompttrace run` wraps",
        ),
        (own.to_str().context("text")?, "hello uses /"),
        ("true", "is not linked with an OpenMP runtime; it may load one later"),
    ] {
        let run = doctor(&[program], &[])?;
        assert!(run.stdout.contains(words), "{words}\n{}", run.stdout);
        assert_eq!(code(&run), Some(0), "{}", run.stdout);
    }
    Ok(())
}

/// A runtime that does not call tools is no help, and it is said why.
#[test]
fn a_runtime_without_tools_is_reported() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let program = program_kind::compile(folder.path())?;
    let run = doctor(&[program.to_str().context("text")?], &[])?;
    let words = "libomp.so.5: has no ompt_start_tool: too old, or built without OMPT";
    assert!(
        run.stdout.contains("PROBLEM  runtime  ") && run.stdout.contains(words),
        "{}",
        run.stdout
    );
    assert_eq!(code(&run), Some(1));
    Ok(())
}

/// The command names a runtime's interface that today's tools do not know; it does not try one that it cannot call,
/// and a library that is no runtime is not called one.
#[test]
fn older_interfaces_are_named() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let source = |name: &str| build::root().join("tests/runtimes").join(name);
    let library = |name: &str, code: &str| -> Result<String> {
        let (file, path) = (folder.path().join(format!("{name}.c")), folder.path().join(name));
        std::fs::write(&file, code)?;
        let mut clang = Command::new("clang-19");
        build::run(clang.args(["-shared", "-fPIC", "-o"]).arg(&path).arg(&file), "clang-19")?;
        Ok(path.to_str().context("text")?.to_owned())
    };
    let silent = library("libsilent.so", "int ompt_initialize(void) { return 0; }")?;
    let unrelated = library("libunrelated.so", "int nothing;")?;
    let collector = folder.path().join("libcollector.so");
    let mut clang = Command::new("clang-19");
    clang.args(["-shared", "-fPIC", "-pthread", "-o"]).arg(&collector).arg(source("collector.c"));
    build::run(&mut clang, "clang-19")?;
    let collector = collector.to_str().context("text")?;
    let script = folder.path().join("script");
    std::fs::write(&script, "#!/bin/sh\n")?;
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o700))?;
    let script = script.to_str().context("text")?;
    for (file, words, status) in [
        (&*silent, "libsilent.so contains a runtime with OMPT of Technical Report 2 (2014)", 0),
        (collector, "libcollector.so contains a runtime with the Sun Collector API (2007)", 0),
        (&unrelated, "libunrelated.so is not linked with an OpenMP runtime", 0),
        ("/proc/self/status", "cannot be executed", 1),
        ("/dev", "cannot be executed", 1),
        (script, "is a script or the like", 0),
    ] {
        let run = doctor(&[file], &[])?;
        assert!(run.stdout.contains(words), "{words}\n{}", run.stdout);
        assert_eq!(code(&run), Some(status), "{}", run.stdout);
    }
    Ok(())
}

/// A runtime that is tried runs in a session without a terminal, and with no file that was open before.
#[test]
fn runtimes_on_trial_reach_neither_the_terminal_nor_open_files() -> Result<()> {
    let spy = Spy::build()?;
    let command = Product::find()?.program;
    let words = [command.to_str(), Some("doctor"), spy.runtime.program.to_str()];
    let words: Option<Vec<_>> = words.into_iter().collect();
    let Some(said) = spy.watch(&words.context("text")?)? else { return Ok(()) };
    assert!(said.contains(Spy::NOTHING), "{said}");
    Ok(())
}

/// Code that others may have put there does not run with the rights of whoever checks a program, unless its folder is named.
#[test]
fn runtimes_that_others_may_change_are_not_loaded() -> Result<()> {
    const SOMEBODY_ELSE: u32 = 65_534;
    let spy = Spy::build()?;
    let (library, program) = (&spy.runtime.library, spy.runtime.program.to_str().context("text")?);
    let folder = library.parent().and_then(Path::to_str).context("text")?;
    let trials = [&[program][..], &["--probe", program]];
    let refused = |why: &str| -> Result<()> {
        for arguments in trials {
            let run = doctor(arguments, &[])?;
            assert!(
                run.stdout.contains(why) && !run.stdout.contains(Spy::REPORT),
                "{}",
                run.stdout
            );
            let line =
                run.stdout.lines().find(|line| line.contains("is not loaded")).context("a line")?;
            assert!(
                line.starts_with("note     runtime") && line.contains("LD_LIBRARY_PATH"),
                "{line}"
            );
        }
        Ok(())
    };
    std::fs::set_permissions(library, std::fs::Permissions::from_mode(0o777))?;
    refused("others may change")?;
    for arguments in trials {
        let run = doctor(arguments, &[("LD_LIBRARY_PATH", folder)])?;
        assert!(run.stdout.contains(Spy::REPORT), "{}", run.stdout);
    }
    std::fs::set_permissions(library, std::fs::Permissions::from_mode(0o755))?;
    let run = doctor(&[program], &[])?;
    assert!(run.stdout.contains(Spy::REPORT), "our own: {}", run.stdout);
    // Only root can give files away, and only root's rights are more than the owner's.
    if chown(library, Some(SOMEBODY_ELSE), None).is_ok() {
        refused("is user 65534's")?;
    }
    Ok(())
}

/// A tool that `ompttrace run` would displace is named beforehand, with what to do.
#[test]
fn displaced_tools_are_named() -> Result<()> {
    let run = doctor(&[], &[("OMP_TOOL_LIBRARIES", "/opt/libother.so")])?;
    let line = "note     tool     /opt/libother.so of OMP_TOOL_LIBRARIES is not loaded: a runtime has one tool";
    assert!(run.stdout.contains(line), "{}", run.stdout);
    let (folder, source) = (tempfile::tempdir()?, built("c/hello")?.0.source);
    // Its own runtime is in another package than clang; its name is enough.
    let sanitizer = folder.path().join("sanitizer.c");
    std::fs::write(&sanitizer, "void __tsan_init(void) {}")?;
    for (more, count) in [(Some(&sanitizer), 1), (None, 0)] {
        let program = folder.path().join("program");
        let mut clang = Command::new("clang-19");
        clang.arg("-fopenmp").args(more).arg(&source).arg("-o").arg(&program);
        build::run(&mut clang, "clang-19")?;
        let run = doctor(&[program.to_str().context("text")?], &[])?;
        let lines: Vec<_> =
            run.stdout.lines().filter(|line| line.starts_with("note     tool ")).collect();
        assert_eq!(lines.len(), count, "{}", run.stdout);
        assert!(lines.iter().all(|line| line.contains("libarcher.so is not loaded")), "{lines:?}");
    }
    Ok(())
}
