//! A tarball as a user meets it: unpacked into an empty folder, and a program traced with what came out.

use super::hidden;
use super::machine::Machine;
use crate::shell;
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Every Linux with glibc has these; threads and dlopen are libraries of their own before 2.34.
const LIBRARIES: [&str; 6] =
    ["libc.so.6", "libm.so.6", "libgcc_s.so.1", "ld-linux-", "libpthread.so.0", "libdl.so.2"];

/// Unpacks and uses it.
pub fn run(tarball: &Path) -> Result<()> {
    let folder = shell::target_dir().join("dist/trial");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    shell::run(Command::new("tar").arg("xzf").arg(tarball).current_dir(&folder))?;
    let prefix = only_entry(&folder)?;
    for file in ["bin/ompttrace", "lib/libompttrace.so"] {
        check_libraries(&prefix.join(file))?;
    }
    for page in ["man1/ompttrace.1", "man1/ompttrace-run.1", "man1/ompttrace-export.1"] {
        let page = fs::read_to_string(prefix.join("share/man").join(page)).context(page)?;
        if !page.contains(".SH NAME") {
            bail!("a man page without a name:\n{page}");
        }
    }
    trace(&prefix, &folder)?;
    ompi(&prefix, &folder)
}

/// A program linked as OMPi links: nothing of ours is in the way of its own names.
fn ompi(prefix: &Path, folder: &Path) -> Result<()> {
    let here = Machine::here()?;
    let installed = prefix.join("lib/ompttrace-ompi");
    let archive = installed.join("libompttrace-ompi.a");
    if hidden::globals(here, &archive)? != hidden::entries(here, &archive)? {
        bail!("{} shows more than its entry points", archive.display());
    }
    let (program, run) = (folder.join("ompi"), folder.join("by-ompi"));
    let mut gcc = shell::command("gcc");
    gcc.args(["-pthread", "-o"]).arg(&program).arg("-L").arg(&installed);
    let mut sources = Vec::new();
    for entry in fs::read_dir(shell::root().join("tests/runtimes/ompi"))? {
        sources.push(entry?.path());
    }
    sources.retain(|path| path.extension().is_some_and(|end| end == "c"));
    sources.sort();
    shell::run(gcc.args(sources).arg(format!("@{}", installed.join("wrap.options").display())))?;
    let mut command = Command::new(prefix.join("bin/ompttrace"));
    quiet(command.args(["run", "--output"]).arg(&run).arg("--").arg(&program))?;
    check_made(&run.join("trace.pftrace"))
}

/// The packages of package managers, each unpacked by its own into a folder of its own.
pub fn others(packages: &[PathBuf]) -> Result<()> {
    for package in packages {
        let kind = package.extension().unwrap_or_default().to_string_lossy().into_owned();
        let folder = shell::target_dir().join("dist").join(format!("trial-{kind}"));
        super::empty(&folder)?;
        fs::create_dir_all(&folder)?;
        let prefix = match kind.as_str() {
            "deb" => {
                shell::run(Command::new("dpkg-deb").arg("-x").arg(package).arg(&folder))?;
                folder.join("usr")
            }
            "rpm" => {
                let unpack = "rpm2cpio \"$0\" | cpio --extract --quiet --make-directories";
                let mut sh = Command::new("sh");
                shell::run(sh.args(["-c", unpack]).arg(package).current_dir(&folder))?;
                folder.join("usr")
            }
            "whl" => {
                let environment = folder.join("environment");
                shell::run(Command::new("python3").args(["-m", "venv"]).arg(&environment))?;
                let mut pip = Command::new(environment.join("bin/pip"));
                pip.args(["install", "--quiet", "--no-index", "--no-cache-dir"]).arg(package);
                shell::run(pip.env("PIP_DISABLE_PIP_VERSION_CHECK", "1"))?;
                environment
            }
            _ => continue,
        };
        trace(&prefix, &folder).with_context(|| format!("{}", package.display()))?;
        if kind == "whl" {
            python(&prefix, &folder).context("the package in the wheel")?;
        }
    }
    Ok(())
}

fn only_entry(folder: &Path) -> Result<PathBuf> {
    let entries: Vec<_> = fs::read_dir(folder)?.collect::<Result<_, _>>()?;
    match entries.as_slice() {
        [one] => Ok(one.path()),
        _ => bail!("{} entries in {}", entries.len(), folder.display()),
    }
}

fn check_libraries(file: &Path) -> Result<()> {
    let said = shell::output(Command::new("objdump").arg("-p").arg(file))?;
    let needed = said.lines().filter_map(|line| line.trim().strip_prefix("NEEDED"));
    for name in needed.map(str::trim) {
        if !LIBRARIES.iter().any(|known| name.starts_with(known)) {
            bail!("{} needs {name}, which a clean machine may not have", file.display());
        }
    }
    Ok(())
}

/// A program traced both ways: by the command, and by the library that finds the command.
fn trace(prefix: &Path, folder: &Path) -> Result<()> {
    let program = folder.join("heat");
    let mut clang = shell::command("clang-19");
    clang.args(["-O2", "-g", "-fopenmp", "-o"]).arg(&program).arg("examples/heat/heat.c");
    shell::run(clang.arg("-lm"))?;
    let command = prefix.join("bin/ompttrace");
    let by_command = folder.join("by-command");
    let mut run = Command::new(&command);
    run.args(["run", "--format", "perfetto,otf2", "--output"]).arg(&by_command);
    quiet(run.arg("--").arg(&program))?;
    let by_library = folder.join("by-library");
    let mut run = Command::new(&program);
    let folders = ["lib", "lib64"].map(|name| prefix.join(name).join("libompttrace.so"));
    let library = folders.iter().find(|file| file.is_file()).context("no library")?;
    run.env("OMP_TOOL_LIBRARIES", library);
    quiet(run.env("OMPTTRACE_OUTPUT", &by_library))?;
    for made in [by_command.join("trace-otf2/traces.otf2"), by_command.join("trace.pftrace")] {
        check_made(&made)?;
    }
    check_made(&by_library.join("trace.pftrace"))?;
    let said = shell::output(Command::new(&command).args(["info", "--json"]).arg(&by_command))?;
    let reported: serde_json::Value = serde_json::from_str(&said).context("info is no JSON")?;
    match reported
        .pointer("/events/recorded")
        .or(reported.pointer("/recorded"))
        .and_then(|n| n.as_u64())
    {
        Some(0) | None => bail!("no events in {}: {said}", by_command.display()),
        Some(_) => Ok(()),
    }
}

/// The Python package, which finds the command that was installed with it.
fn python(prefix: &Path, folder: &Path) -> Result<()> {
    let mut python = Command::new(prefix.join("bin/python3"));
    python.args(["-c", "import ompttrace, sys; ompttrace.open(sys.argv[1]).report()"]);
    python.arg(folder.join("by-command")).env("PATH", "").env_remove("OMPTTRACE");
    quiet(&mut python)
}

fn check_made(file: &Path) -> Result<()> {
    let bytes = fs::metadata(file).with_context(|| format!("{}", file.display()))?.len();
    if bytes == 0 { bail!("{} is empty", file.display()) } else { Ok(()) }
}

/// Runs without what the program has to say.
fn quiet(command: &mut Command) -> Result<()> {
    shell::output(command).map(drop)
}
