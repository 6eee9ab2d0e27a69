//! Search for libraries: in the loader's folders, and in those in which LLVM's runtime is usual.

use super::elf::Elf;
use std::path::{Path, PathBuf};

/// Maximum number of libraries that are examined before the search is given up.
const MOST: usize = 500;
/// Names of LLVM's runtime, as its own and others' programs ask for it.
const LIBOMP: [&str; 2] = ["libomp.so.5", "libomp.so"];

/// The libraries that the loader brings with a program: name, and file if it was found.
pub fn of_program(program: &Elf) -> Vec<(String, Option<PathBuf>)> {
    let usual = usual_folders();
    let mut found: Vec<(String, Option<PathBuf>)> = Vec::new();
    let mut open = vec![program.clone()];
    while let Some(elf) = open.pop() {
        for name in &elf.needed {
            if found.len() == MOST || found.iter().any(|(known, _)| known == name) {
                continue;
            }
            let folders = elf.folders.iter().chain(&program.folders).chain(&usual);
            let file = folders.map(|folder| folder.join(name)).find(|file| file.is_file());
            open.extend(file.as_deref().and_then(Elf::read));
            found.push((name.clone(), file));
        }
    }
    found
}

/// Files of a program, itself first, with a runtime that looks for a tool among what the loader brought, or waits for
/// one, and loads none: file and interface.
pub fn older_runtimes(program: &Path) -> Vec<(PathBuf, &'static str)> {
    let Some(elf) = Elf::read(program) else { return Vec::new() };
    let own = elf.older_interface().map(|interface| (program.to_owned(), interface));
    let files = of_program(&elf).into_iter().filter_map(|(_, file)| file);
    let older = |file: PathBuf| Elf::read(&file)?.older_interface().map(|name| (file, name));
    own.into_iter().chain(files.filter_map(older)).collect()
}

/// LLVM's runtime for programs of this machine, the newest first.
pub fn libomp() -> Option<PathBuf> {
    let folders = usual_folders().into_iter().chain(llvm_folders());
    let files = folders.flat_map(|folder| LIBOMP.map(|name| folder.join(name)));
    files.into_iter().find(|file| is_libomp(file))
}

/// Every runtime with a name of LLVM's, Intel's or GCC's, each file once.
pub fn runtimes() -> Vec<PathBuf> {
    let folders = usual_folders().into_iter().chain(llvm_folders());
    let names = LIBOMP.into_iter().chain(["libiomp5.so", "libgomp.so.1"]);
    let files = folders.flat_map(|folder| names.clone().map(move |name| folder.join(name)));
    let mut found = Vec::new();
    for file in files.filter_map(|file| std::fs::canonicalize(file).ok()) {
        if !found.contains(&file) {
            found.push(file);
        }
    }
    found
}

/// Every library of MPI for programs of this machine, each file once.
pub fn mpis() -> Vec<PathBuf> {
    let mut files: Vec<_> = usual_folders().iter().flat_map(|folder| list(folder)).collect();
    files.retain(|file| {
        let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        ["libmpi.so.", "libmpich.so.", "libmpi_abi.so."].iter().any(|begin| name.starts_with(begin))
    });
    let mut found = Vec::new();
    for file in files.into_iter().filter_map(|file| std::fs::canonicalize(file).ok()) {
        if !found.contains(&file) {
            found.push(file);
        }
    }
    found.sort();
    found
}

/// True if a file lies in one of the folders in which runtimes are looked for, whichever program uses them.
pub fn is_in_usual_folder(file: &Path) -> bool {
    let real = |path: &Path| std::fs::canonicalize(path).ok();
    let folder = file.parent().and_then(real);
    let mut folders = usual_folders().into_iter().chain(llvm_folders());
    folder.is_some_and(|folder| folders.any(|usual| real(&usual).as_ref() == Some(&folder)))
        || runtimes().iter().any(|runtime| Some(runtime) == real(file).as_ref())
}

/// True if a file with that name is LLVM's runtime for this machine and ready for tools.
fn is_libomp(file: &Path) -> bool {
    let own = std::env::current_exe().ok().and_then(|own| Elf::read(&own));
    Elf::read(file).is_some_and(|elf| {
        elf.has_llvm && elf.for_tools && own.is_none_or(|own| own.architecture == elf.architecture)
    })
}

/// LD_LIBRARY_PATH, the folders of /etc/ld.so.conf.d, and those that the loader knows by itself.
fn usual_folders() -> Vec<PathBuf> {
    let path = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let mut folders: Vec<_> =
        std::env::split_paths(&path).filter(|folder| folder.is_absolute()).collect();
    let mut lists: Vec<_> = entries("/etc/ld.so.conf.d");
    lists.sort();
    for list in lists.iter().filter_map(|list| std::fs::read_to_string(list).ok()) {
        let lines = list.lines().map(str::trim).filter(|line| line.starts_with('/'));
        folders.extend(lines.map(PathBuf::from));
    }
    let own = ["/usr/local/lib", "/lib64", "/usr/lib64", "/lib", "/usr/lib"];
    folders.extend(own.map(PathBuf::from));
    folders
}

/// `/usr/lib/llvm-*/lib`, the newest first.
fn llvm_folders() -> Vec<PathBuf> {
    let mut versions: Vec<(u32, PathBuf)> = entries("/usr/lib")
        .into_iter()
        .filter_map(|path| {
            let version = path.file_name()?.to_str()?.strip_prefix("llvm-")?.parse().ok()?;
            Some((version, path.join("lib")))
        })
        .collect();
    versions.sort();
    versions.into_iter().rev().map(|(_, folder)| folder).collect()
}

fn entries(folder: &str) -> Vec<PathBuf> {
    list(Path::new(folder))
}

fn list(folder: &Path) -> Vec<PathBuf> {
    std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
}
