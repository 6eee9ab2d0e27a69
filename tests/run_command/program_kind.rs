//! Detection of a program's OpenMP runtime by the command, and its messages about it.

use std::path::Path;

use anyhow::{Context, Result};
use ompttrace_tests::build;
use ompttrace_tests::fake_runtime::FakeRuntime;

use super::*;

#[test]
fn a_program_of_gcc_is_recorded_on_its_own_runtime_and_on_another() -> Result<()> {
    let (program, binary) = built("c/gcc_loops")?;
    for (options, interface) in [(&[][..], "gomp"), (&["--runtime", "libomp"], "ompt")] {
        let ran = run(options, &[&binary])?;
        assert_eq!((ran.code(), ran.run.last_line()), (Some(0), &*program.last_line()));
        let said = &ran.run.stderr;
        let replaced = said.contains("libomp.so.5: for a program built by GCC, static loops");
        assert_eq!(replaced, interface == "ompt", "{said}");
        let run = ran.check_traces(1)?.remove(0);
        let info = Product::find()?.info(&run)?;
        assert_eq!(info["runtimes"][0]["interface"], interface);
        assert!(number(&info, "/callbacks/parallel_begin/recorded")? > 0);
    }
    Ok(())
}

/// A program that a shell starts is recorded as well.
#[test]
fn a_program_of_gcc_behind_a_script_is_recorded() -> Result<()> {
    let (_, binary) = built("c/gcc_loops")?;
    let ran = run(&[], &[Path::new("sh"), Path::new("-c"), Path::new("\"$0\"; true"), &binary])?;
    assert_eq!(ran.code(), Some(0));
    ran.check_traces(1)?;
    Ok(())
}

/// AddressSanitizer's runtime refuses to run when other libraries are preloaded, unless an option disables this check.
#[test]
fn a_program_with_address_sanitizer_runs_and_is_recorded() -> Result<()> {
    let (folder, source) = (tempfile::tempdir()?, built("c/gcc_loops")?.0.source);
    let program = folder.path().join("sanitized");
    let mut gcc = Command::new("gcc");
    gcc.args(["-fopenmp", "-fsanitize=address"]).arg(&source).arg("-o").arg(&program);
    build::run(&mut gcc, "gcc")?;
    let ran = run(&[], &[&program])?;
    assert_eq!(ran.code(), Some(0), "{}", ran.run.stderr);
    ran.check_traces(1)?;
    Ok(())
}

/// The loader would ignore the library, without a word.
#[test]
fn a_setuid_program_is_said_to_run_untraced() -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let (folder, binary) = (tempfile::tempdir()?, built("c/gcc_loops")?.1);
    let program = folder.path().join("setuid");
    std::fs::copy(&binary, &program)?;
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o4755))?;
    let ran = run(&[], &[&program])?;
    assert_eq!(ran.code(), Some(0), "{}", ran.run.stderr);
    assert!(ran.run.stderr.contains("is setuid or setgid: the loader preloads no library"));
    assert_eq!(ran.run.last_line(), "ok gcc_loops");
    ran.check_traces(0)?;
    Ok(())
}

/// The library's own line says why; whatever else could be guessed would be wrong.
#[test]
fn a_reason_that_was_given_is_the_only_one() -> Result<()> {
    let binary = built("c/hello")?.1;
    for output in ["/proc/none/run", "/dev/null/run"] {
        let ran = run(&["--output", output], &[&binary])?;
        assert_eq!((ran.code(), ran.run.last_line()), (Some(0), "ok hello"));
        let said = &ran.run.stderr;
        assert!(
            said.contains("cannot create the run folder") && said.contains("untraced"),
            "{said}"
        );
        assert_eq!(said.lines().count(), 1, "{said}");
    }
    // Where the library says nothing, the command itself says that there is no recording.
    let ran = run(&["--output", "/proc/none/run"], &["true"])?;
    assert!(ran.run.stderr.contains("no recording: "), "{}", ran.run.stderr);
    Ok(())
}

#[test]
fn programs_without_openmp_are_no_error() -> Result<()> {
    let ran = run(&[], &["true"])?;
    assert_eq!(ran.code(), Some(0));
    let said = &ran.run.stderr;
    assert!(
        said.contains("no recording: ") && said.contains("not linked with an OpenMP runtime"),
        "{said}"
    );
    assert_eq!(said.lines().count(), 1, "{said}");
    Ok(())
}

/// Found by its RUNPATH, beside the program.
#[test]
fn a_runtime_without_tools_is_found_out() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let program = compile(folder.path())?;
    let ran = run(&[], &[&program])?;
    assert_eq!(ran.code(), Some(0), "{}", ran.run.stderr);
    let said = &ran.run.stderr;
    let words = "libomp.so.5 has no ompt_start_tool: it is too old, or built without OMPT";
    assert!(said.contains("no recording: ") && said.contains(words), "{said}");
    std::fs::write(folder.path().join("libomp.so.5"), "no library")?;
    let ran = run(&[], &[&program])?;
    assert_eq!(ran.code(), Some(127), "the loader's own status");
    assert!(ran.run.stderr.contains("libomp.so.5 is not a library for this machine"));
    Ok(())
}

pub fn compile(folder: &Path) -> Result<PathBuf> {
    Ok(FakeRuntime::build("tests/run_command/no_tools.c", folder)?.program)
}

#[test]
fn a_static_program_gets_advice() -> Result<()> {
    let (folder, source) = (tempfile::tempdir()?, built("c/gcc_loops")?.0.source);
    for (flags, words) in [
        (&["-static", "-fopenmp"][..], "is linked statically: no tool can be loaded into it"),
        (
            &["-fopenmp", "-static-libgcc", "-Wl,-Bstatic", "-lgomp", "-Wl,-Bdynamic"],
            "contains GCC's libgomp",
        ),
    ] {
        let program = folder.path().join("program");
        let mut gcc = Command::new("gcc");
        gcc.arg(&source).args(flags).arg("-o").arg(&program);
        build::run(&mut gcc, "gcc")?;
        let ran = run(&[], &[program.to_str().context("text")?])?;
        assert_eq!(ran.code(), Some(0), "{}", ran.run.stderr);
        assert!(ran.run.stderr.contains(words), "{words}: {}", ran.run.stderr);
        assert_eq!(ran.run.last_line(), "ok gcc_loops");
        ran.check_traces(0)?;
    }
    Ok(())
}

/// A runtime that was put under a program and did not help is not offered again.
#[test]
fn a_replaced_runtime_that_nobody_used_is_named() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let (source, program) = (folder.path().join("idle.c"), folder.path().join("idle"));
    std::fs::write(&source, "int main(void) { return 0; }\n")?;
    let mut gcc = Command::new("gcc");
    gcc.args(["-fopenmp", "-Wl,--no-as-needed"]).arg(&source).arg("-lgomp").arg("-o").arg(&program);
    build::run(&mut gcc, "gcc")?;
    let ran = run(&["--runtime", "libomp"], &[&program])?;
    let last = ran.run.stderr.lines().last().unwrap_or_default();
    assert!(last.starts_with("ompttrace: no recording: the program did not use OpenMP, or "));
    assert!(last.contains("/libomp.so.5 refused the tool"), "{last}");
    Ok(())
}
