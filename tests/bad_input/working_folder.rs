//! Working folders that are gone, cannot be entered, or have a name that is no text: what needs none works, and what
//! does says so.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use anyhow::{Result, ensure};
use ompttrace_tests::process::{self, Finished};
use ompttrace_tests::product::Product;
use ompttrace_tests::programs;
use ompttrace_tests::runtimes;
use ompttrace_tests::traced::{By, Scratch};

/// Runs the program in `folder`, in which a shell does something before; `output` is the run folder.
fn run_in(scratch: &Scratch, folder: &Path, before: &str, output: &OsStr) -> Result<Finished> {
    let program = programs::by_name("c/hello")?;
    let inner = {
        let mut inner = program.command(&runtimes::libomp_19()?)?;
        scratch.attach(&mut inner, By::Runtime)?;
        inner
    };
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("{before}; exec \"$@\"")]).arg("sh");
    // Without root's right to enter all folders.
    let rights = "-dac_override,-dac_read_search";
    shell.args(["setpriv", "--bounding-set", rights, "--inh-caps", rights]);
    shell.arg(inner.get_program()).current_dir(folder);
    for (name, value) in inner.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    shell.env("OMPTTRACE_OUTPUT", output);
    let run = process::run(&mut shell, program.directives.timeout)?;
    ensure!(run.ended_by(program.directives.end) && run.stdout == "ok hello\n", "{run:?}");
    ensure!(run.stderr.lines().count() == 1, "{}", run.stderr);
    Ok(run)
}

#[test]
fn a_folder_that_is_gone_or_closed_is_not_needed_for_a_run_folder_elsewhere() -> Result<()> {
    for before in ["rmdir \"$PWD\"", "chmod 0 ."] {
        let scratch = Scratch::new()?;
        let (folder, output) = (scratch.path().join("here"), scratch.path().join("run"));
        fs::create_dir(&folder)?;
        let run = run_in(&scratch, &folder, before, output.as_os_str())?;
        ensure!(output.join("trace.pftrace").is_file(), "{before}: {run:?}");
        let line = format!("ompttrace: {}/trace.pftrace: ", output.display());
        ensure!(run.stderr.starts_with(&line), "{before}: {}", run.stderr);
        let _ = fs::set_permissions(&folder, PermissionsExt::from_mode(0o700));
    }
    Ok(())
}

/// A run folder would come to lie where nobody looks.
#[test]
fn a_folder_that_is_gone_has_no_run_folder_in_it() -> Result<()> {
    let scratch = Scratch::new()?;
    let folder = scratch.path().join("here");
    fs::create_dir(&folder)?;
    let name = format!("ompttrace-test.{}", std::process::id());
    let run = run_in(&scratch, &folder, "rmdir \"$PWD\"", name.as_ref())?;
    let elsewhere = Path::new("/").join(name);
    let nowhere = !elsewhere.exists();
    let _ = fs::remove_dir_all(elsewhere);
    ensure!(nowhere && run.stderr.contains("the working folder has no path"), "{}", run.stderr);
    ensure!(run.stderr.contains("OMPTTRACE_OUTPUT") && run.stderr.contains("untraced"), "{run:?}");
    Ok(())
}

#[test]
fn a_folder_whose_name_is_no_text_is_as_good_as_any() -> Result<()> {
    let scratch = Scratch::new()?;
    let folder = scratch.path().join(OsStr::from_bytes(b"n\xff\xfe %p"));
    fs::create_dir(&folder)?;
    let run = run_in(&scratch, &folder, "true", "run".as_ref())?;
    ensure!(run.stderr.starts_with("ompttrace: run/trace.pftrace: "), "{}", run.stderr);
    for command in ["info", "report", "pack", "export"] {
        let said = Command::new(Product::find()?.program)
            .args([command, "run"])
            .current_dir(&folder)
            .output()?;
        ensure!(said.status.success(), "{command}: {said:?}");
    }
    Ok(())
}
