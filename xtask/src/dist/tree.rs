//! The files of an installation, as they lie below any prefix.

use super::machine::Machine;
use super::{hidden, licences};
use crate::shell;
use anyhow::{Context, Result};
use std::fs;
use std::path::Path;

/// Built files and their paths in a package. Programs and libraries find each other by these relative paths.
const BUILT: [(&str, &str); 6] = [
    ("ompttrace", "bin/ompttrace"),
    ("libompttrace.so", "lib/libompttrace.so"),
    // For programs on libgomp.
    ("libompttrace_gomp.so", "lib/libompttrace-gomp.so"),
    ("libompttrace.a", "lib/libompttrace.a"),
    // In front of MPI.
    ("libompttrace_mpi.so", "lib/libompttrace-mpi.so"),
    // For collectors of the Sun Collector API; cargo allows no hyphen in its name.
    ("libompttrace_collector.so", "lib/libompttrace-collector.so"),
];

/// Files of the repository, and where they go.
const KEPT: [(&str, &str); 12] = [
    ("tracer/tool/include/ompttrace.h", "include/ompttrace.h"),
    ("tracer/tool/include/ompttrace.f90", "include/ompttrace.f90"),
    ("runtime/ompi/wrap.options", "lib/ompttrace-ompi/wrap.options"),
    ("runtime/ompi/ortconf.ompttrace", "lib/ompttrace-ompi/ortconf.ompttrace"),
    ("runtime/ompi/eelib.options", "lib/ompttrace-ompi/eelib.options"),
    ("runtime/ompi/ortconf.ompttrace-ee", "lib/ompttrace-ompi/ortconf.ompttrace-ee"),
    ("runtime/ompi/README.md", "share/doc/ompttrace/ompi.md"),
    ("README.md", "share/doc/ompttrace/README.md"),
    ("CHANGELOG.md", "share/doc/ompttrace/CHANGELOG.md"),
    ("LICENSE-APACHE", "share/doc/ompttrace/LICENSE-APACHE"),
    ("LICENSE-MIT", "share/doc/ompttrace/LICENSE-MIT"),
    ("writers/otf2-sys/LICENSE-OTF2", "share/doc/ompttrace/LICENSE-OTF2"),
];

/// Folders of the repository, and where they go.
const FOLDERS: [(&str, &str); 3] = [
    ("viewer-configs", "share/ompttrace/viewer-configs"),
    ("schemas", "share/ompttrace/schemas"),
    ("docs", "share/doc/ompttrace/docs"),
];

/// Makes the tree of what was built for a machine.
pub fn make(prefix: &Path, machine: Machine, built: &Path) -> Result<()> {
    for (name, path) in BUILT {
        copy(&built.join(name), &prefix.join(path))?;
        strip(machine, &prefix.join(path))?;
    }
    hidden::archive(
        machine,
        &built.join("libompttrace_ompi.a"),
        &prefix.join("lib/ompttrace-ompi/libompttrace-ompi.a"),
    )?;
    for (name, path) in KEPT {
        copy(&shell::root().join(name), &prefix.join(path))?;
    }
    for (name, path) in FOLDERS {
        copy_all(&shell::root().join(name), &prefix.join(path))?;
    }
    let texts = licences::texts(machine).context("the licences of what is linked in")?;
    fs::write(prefix.join("share/doc/ompttrace/THIRD-PARTY.txt"), texts)?;
    // Of the whole workspace, whose features the tests have as well: otherwise much would be compiled twice.
    shell::run(shell::cargo().args(["build", "--quiet", "--workspace", "--example", "manual"]))?;
    let manual = shell::target_dir().join("debug/examples/manual");
    shell::run(shell::command(&manual.to_string_lossy()).arg(prefix))
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to.parent().context("a file lies in a folder")?)?;
    fs::copy(from, to).with_context(|| format!("{}", from.display()))?;
    Ok(())
}

/// Copies a folder with all that is below it.
pub fn copy_all(from: &Path, to: &Path) -> Result<()> {
    for entry in fs::read_dir(from).with_context(|| format!("{}", from.display()))? {
        let entry = entry?;
        let to = to.join(entry.file_name());
        match entry.file_type()?.is_dir() {
            true => copy_all(&entry.path(), &to)?,
            false => copy(&entry.path(), &to)?,
        }
    }
    Ok(())
}

/// Takes out what only a debugger reads; nine tenths of the size.
fn strip(machine: Machine, file: &Path) -> Result<()> {
    let mut strip = machine.tool("strip");
    shell::run(strip.args(["--strip-debug", "--enable-deterministic-archives"]).arg(file))
}
