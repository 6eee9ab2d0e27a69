//! The OpenMP runtimes that programs are run on: libomp 19 as installed, libomp 14 and 16 from
//! Debian's packages and two of Intel's libiomp5 from PyPI, unpacked side by side once under
//! `target/test-runtimes`. What cannot be had is an error, never a runtime less.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use anyhow::{Context, Result, bail, ensure};

use crate::build;

/// Vendor of a runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// LLVM's libomp.
    Llvm,
    /// Intel's libiomp5.
    Intel,
}

/// A runtime that is ready to use.
#[derive(Clone, Debug)]
pub struct Runtime {
    /// Name of the runtime, such as `libomp-19` or `intel-2026`.
    pub name: String,
    /// The shared library itself.
    pub library: PathBuf,
    /// Vendor of the runtime.
    pub family: Family,
    /// LLVM's major version, or Intel's year.
    pub version: u32,
    /// True if libomptarget and a plugin for the host come with the runtime.
    pub offload: bool,
    /// A folder that has the library under the name that clang's programs are linked with.
    folder: PathBuf,
    /// A library to preload, with the functions that clang 19's code calls and an older runtime lacks.
    supplement: Option<PathBuf>,
}

/// Library that a program's OpenMP calls are linked with, which decides how another runtime replaces it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkedWith {
    /// Built by clang or flang: it asks for libomp.so.5, which is found first in our folder.
    Libomp,
    /// Built by GCC: it asks for libgomp.so.1, whose functions the preloaded runtime takes over.
    Libgomp,
}

impl Runtime {
    /// Makes the program that `command` starts run on this runtime.
    pub fn put_under(&self, command: &mut Command, linked_with: LinkedWith) {
        prepend(command, "LD_LIBRARY_PATH", &self.folder);
        if let Some(supplement) = &self.supplement {
            prepend(command, "LD_PRELOAD", supplement);
        }
        if linked_with == LinkedWith::Libgomp {
            prepend(command, "LD_PRELOAD", &self.library);
        }
    }
}

/// Puts a path in front of a list of paths in the environment, such as LD_PRELOAD.
pub fn prepend(command: &mut Command, variable: &str, path: &Path) {
    let set = command.get_envs().find(|(name, _)| *name == variable).and_then(|(_, value)| value);
    let before = set.map(|value| value.to_owned()).or_else(|| std::env::var_os(variable));
    let mut value = path.as_os_str().to_owned();
    if let Some(before) = before.filter(|before| !before.is_empty()) {
        value.push(":");
        value.push(before);
    }
    command.env(variable, value);
}

/// All of them, the installed one first. Intel's exist on x86-64 only.
pub fn all() -> Result<Vec<Runtime>> {
    let intel = if cfg!(target_arch = "x86_64") { &["intel-2024", "intel-2026"][..] } else { &[] };
    ["libomp-19", "libomp-14", "libomp-16"].iter().chain(intel).map(|name| by_name(name)).collect()
}

/// One of them by its name; others are not looked for.
pub fn by_name(name: &str) -> Result<Runtime> {
    match name {
        "libomp-19" => libomp_19(),
        "libomp-14" => debian(14),
        "libomp-16" => debian(16),
        "intel-2024" => intel("2024.0.3"),
        "intel-2026" => intel("2026.2.0"),
        _ => bail!("no runtime is called {name}"),
    }
}

/// The runtime that belongs to the compiler of most test programs.
pub fn libomp_19() -> Result<Runtime> {
    let folder = PathBuf::from("/usr/lib/llvm-19/lib");
    let library = folder.join("libomp.so.5");
    ensure!(library.exists(), "no {}: apt-get install libomp-19-dev", library.display());
    Ok(Runtime {
        name: "libomp-19".to_string(),
        library,
        family: Family::Llvm,
        version: 19,
        offload: folder.join("libomptarget.so").exists(),
        folder,
        supplement: None,
    })
}

fn debian(version: u32) -> Result<Runtime> {
    let package = format!("libomp5-{version}");
    unpacked(Family::Llvm, version, &format!("libomp-{version}"), |folder| {
        let mut download = Command::new("apt-get");
        build::run(download.args(["download", &package]).current_dir(folder), "apt")
            .with_context(|| format!("Debian's {package} cannot be downloaded"))?;
        let archive = find(folder, &|name| name.ends_with(".deb"))?;
        build::run(Command::new("dpkg-deb").arg("-x").arg(archive).arg(folder), "dpkg")?;
        find(folder, &|name| name == "libomp.so.5")
    })
}

fn intel(version: &str) -> Result<Runtime> {
    let year = version.split('.').next().unwrap_or_default();
    unpacked(Family::Intel, year.parse()?, &format!("intel-{year}"), |folder| {
        let wanted = format!("intel-openmp=={version}");
        let mut download = Command::new("python3");
        download.args(["-m", "pip", "download", "--quiet", "--no-deps", "--dest"]);
        build::run(download.arg(folder).arg(&wanted), "python3-pip").with_context(|| {
            format!("PyPI's {wanted} cannot be downloaded (it takes python3-pip and the network)")
        })?;
        let wheel = find(folder, &|name| name.ends_with(".whl"))?;
        let mut unzip = Command::new("python3");
        build::run(unzip.args(["-m", "zipfile", "-e"]).arg(wheel).arg(folder), "python3")?;
        find(folder, &|name| name == "libiomp5.so")
    })
}

/// Keeps the one library that `fetch` finds in its scratch folder, under the runtime's own name and
/// as libomp.so.5 for programs built by clang.
fn unpacked(
    family: Family,
    version: u32,
    name: &str,
    fetch: impl FnOnce(&Path) -> Result<PathBuf>,
) -> Result<Runtime> {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let folder = build::target_dir().join("test-runtimes").join(name);
    if !folder.exists() {
        build::make_in_place(&folder, |draft| {
            fs::create_dir_all(draft)?;
            let scratch = tempfile::tempdir()?;
            fs::copy(fetch(scratch.path())?, draft.join("libomp.so.5"))?;
            Ok(())
        })
        .with_context(|| format!("the runtime {name} cannot be had"))?;
    }
    let (name, library) = (name.to_string(), folder.join("libomp.so.5"));
    let supplement = match family {
        Family::Llvm if version < 19 => Some(supplement()?),
        Family::Intel if version < 2025 => Some(supplement()?),
        _ => None,
    };
    Ok(Runtime { name, library, family, version, offload: false, folder, supplement })
}

/// Builds `tests/programs/older_runtimes.c`.
fn supplement() -> Result<PathBuf> {
    let source = build::root().join("tests/programs/older_runtimes.c");
    let library = build::target_dir().join("test-programs/libolder_runtimes.so");
    if !build::is_current(&library, std::slice::from_ref(&source)) {
        build::make_in_place(&library, |draft| {
            let mut command = Command::new("clang-19");
            command.args(["-O2", "-fPIC", "-shared"]).arg(&source).arg("-o").arg(draft);
            build::run(&mut command, "clang-19").map(drop)
        })?;
    }
    Ok(library)
}

/// The first file whose name fits, ignoring symbolic links.
fn find(folder: &Path, fits: &dyn Fn(&str) -> bool) -> Result<PathBuf> {
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next)? {
            let entry = entry?;
            let kind = entry.file_type()?;
            if kind.is_dir() {
                folders.push(entry.path());
            } else if kind.is_file() && fits(&entry.file_name().to_string_lossy()) {
                return Ok(entry.path());
            }
        }
    }
    bail!("the package holds no such file")
}
