//! An archive that is linked into programs, with all of it hidden but its entry points: a program may have another
//! archive of Rust's, with functions of the same names.

use super::machine::Machine;
use crate::shell;
use anyhow::{Context, Result};
use std::fs;
use std::path::Path;

/// Prefix of the entry points that the linker's `--wrap` calls, and the name of the function that programs look up.
const ENTRY: &str = "__wrap_";
const CONTROL: &str = "ompt_control";

/// Makes `to` of what the entry points of the archive `from` need: one object, without what only debuggers and
/// compilers read.
pub fn archive(machine: Machine, from: &Path, to: &Path) -> Result<()> {
    let folder = to.parent().context("an archive lies in a folder")?;
    fs::create_dir_all(folder)?;
    let (whole, part) = (folder.join("whole.o"), folder.join("ompttrace.o"));
    let mut ld = machine.tool("ld");
    ld.args(["-r", "--gc-sections", "-o"]).arg(&whole);
    for name in entries(machine, from)? {
        ld.args(["-u", &name]);
    }
    shell::run(ld.arg(from))?;
    let mut objcopy = machine.tool("objcopy");
    objcopy.args(["--wildcard", "--strip-debug", "--keep-global-symbol", CONTROL]);
    objcopy.args(["--keep-global-symbol", &format!("{ENTRY}*")]);
    // The compiler's own form of the code, which is of no use in objects that were joined.
    objcopy.args(["--remove-section", ".llvmbc", "--remove-section", ".llvmcmd"]);
    shell::run(objcopy.arg(&whole).arg(&part))?;
    let _ = fs::remove_file(to);
    shell::run(machine.tool("ar").arg("crsD").arg(to).arg(&part))?;
    fs::remove_file(whole)?;
    Ok(fs::remove_file(part)?)
}

/// The entry points that an archive defines.
pub fn entries(machine: Machine, archive: &Path) -> Result<Vec<String>> {
    let is_entry = |name: &String| name.starts_with(ENTRY) || name == CONTROL;
    Ok(globals(machine, archive)?.into_iter().filter(is_entry).collect())
}

/// Names of the global symbols that an archive defines, sorted and without duplicates.
pub fn globals(machine: Machine, archive: &Path) -> Result<Vec<String>> {
    let mut nm = machine.tool("nm");
    // Else it complains of each member without symbols.
    nm.args(["--quiet", "--defined-only", "--extern-only"]).arg(archive);
    let said = shell::output(&mut nm)?;
    // Address, type and name; lines with the members' names have one word.
    let lines = said.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let mut names: Vec<String> =
        lines.filter_map(|words| Some((*words.get(2)?).to_owned())).collect();
    names.sort();
    names.dedup();
    Ok(names)
}
