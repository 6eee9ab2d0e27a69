//! Facts in the file of a program or a library: machine, libraries needed, OpenMP inside.

use object::elf::{DT_NEEDED, DT_RPATH, DT_RUNPATH, PT_INTERP};
use object::read::elf::{ElfFile64, ProgramHeader};
use object::{Architecture, Endianness, Object, ObjectSymbol, ReadCache};
use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Functions that an OpenMP runtime brings: LLVM's and Intel's, and GCC's.
const OF_LLVM: &[u8] = b"__kmpc_fork_call";
const OF_GCC: &[u8] = b"GOMP_parallel";
/// Functions of OMPi's runtime, which is always inside; below, the function that is linked in front of one of them.
const OF_OMPI: [&[u8]; 2] = [b"ort_execute_parallel", b"ort_initialize"];
const BEFORE_OMPI: &[u8] = b"__wrap_ort_execute_parallel";
/// The function through which a runtime accepts tools.
const FOR_TOOLS: &[u8] = b"ompt_start_tool";
/// Functions of OMPT of 2014, in front of which a tool must be; below, the function of the Sun Collector API, which a
/// tool must look up.
const FOR_TOOLS_OF_2014: [&[u8]; 2] = [b"ompt_tool", b"ompt_initialize"];
const FOR_COLLECTORS: &[u8] = b"__omp_collector_api";
/// ThreadSanitizer: clang links it into the program, GCC brings it as a library.
const OF_THREAD_SANITIZER: &[u8] = b"__tsan_init";
const THREAD_SANITIZER: &str = "libtsan.so";

/// OMPi's runtime in a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ompi {
    /// The runtime alone, which is not recorded.
    Alone,
    /// The runtime with libompttrace-ompi.a linked in front of it.
    Recorded,
}

/// A 64-bit ELF file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Elf {
    pub architecture: Architecture,
    /// Names of the libraries that the loader brings.
    pub needed: Vec<String>,
    /// Folders in which the loader searches for them, with `$ORIGIN` filled in.
    pub folders: Vec<PathBuf>,
    /// True if it has LLVM's or Intel's runtime inside.
    pub has_llvm: bool,
    /// True if it has GCC's runtime inside.
    pub has_gcc: bool,
    /// OMPi's runtime, if it is inside, with the library that records it or without.
    pub ompi: Option<Ompi>,
    /// True if a runtime inside calls a tool.
    pub for_tools: bool,
    /// True if a runtime inside calls a tool by the names of 2014.
    pub for_tools_of_2014: bool,
    /// True if a runtime inside waits for a tool that calls it.
    pub for_collectors: bool,
    /// True if it uses functions of MPI only if they are there: weak references.
    pub asks_for_mpi: bool,
    /// True if it runs under ThreadSanitizer.
    pub has_thread_sanitizer: bool,
    /// True if it is not a program: it names no loader.
    pub is_library: bool,
    /// True if a loader loads it, without which no tool can be loaded.
    pub dynamic: bool,
}

impl Elf {
    /// Reads the file; returns `None` if it is no such file or cannot be read.
    pub fn read(path: &Path) -> Option<Elf> {
        let cache = ReadCache::new(File::open(path).ok()?);
        let file = ElfFile64::<Endianness, _>::parse(&cache).ok()?;
        let table = file.elf_dynamic_table().ok()?;
        let texts = |tags: &[_]| -> Vec<Vec<u8>> {
            let entries = table.iter().filter(|entry| tags.contains(&entry.tag));
            entries.filter_map(|entry| Some(table.string(entry).ok()?.to_vec())).collect()
        };
        let origin = std::fs::canonicalize(path).ok()?.parent()?.to_owned();
        let paths = texts(&[DT_RPATH, DT_RUNPATH]);
        let needed = texts(&[DT_NEEDED]);
        let mut elf = Elf {
            architecture: file.architecture(),
            needed: needed.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect(),
            folders: paths.iter().flat_map(|path| folders(path, &origin)).collect(),
            has_llvm: false,
            has_gcc: false,
            ompi: None,
            for_tools: false,
            for_tools_of_2014: false,
            for_collectors: false,
            asks_for_mpi: file.dynamic_symbols().any(|symbol| {
                let name = symbol.name_bytes().unwrap_or_default();
                let is_mpi = name.starts_with(b"MPI_") || name.starts_with(b"PMPI_");
                is_mpi && symbol.is_undefined() && symbol.is_weak()
            }),
            has_thread_sanitizer: needed
                .iter()
                .any(|name| name.starts_with(THREAD_SANITIZER.as_bytes())),
            is_library: !file
                .elf_program_headers()
                .iter()
                .any(|header| header.p_type(file.endian()) == PT_INTERP),
            dynamic: !table.is_empty(),
        };
        let mut of_ompi = [false; OF_OMPI.len() + 1];
        for symbol in file.symbols().chain(file.dynamic_symbols()).filter(|s| s.is_definition()) {
            let name = symbol.name_bytes().unwrap_or_default();
            elf.has_llvm |= name == OF_LLVM;
            elf.has_gcc |= name == OF_GCC;
            elf.for_tools |= name == FOR_TOOLS;
            elf.for_tools_of_2014 |= FOR_TOOLS_OF_2014.contains(&name);
            elf.for_collectors |= name == FOR_COLLECTORS;
            elf.has_thread_sanitizer |= name == OF_THREAD_SANITIZER;
            let names = OF_OMPI.iter().chain([&BEFORE_OMPI]);
            of_ompi.iter_mut().zip(names).for_each(|(found, one)| *found |= name == *one);
        }
        elf.ompi = match of_ompi {
            [true, true, true] => Some(Ompi::Recorded),
            [true, true, false] => Some(Ompi::Alone),
            _ => None,
        };
        Some(elf)
    }

    /// Name of the interface of a runtime inside that does not look for today's tools; `None` if it does, or has no
    /// interface.
    pub fn older_interface(&self) -> Option<&'static str> {
        match (self.for_tools, self.for_tools_of_2014, self.for_collectors) {
            (true, ..) | (_, false, false) => None,
            (_, true, false) => Some("OMPT of Technical Report 2 (2014)"),
            (_, false, true) => Some("the Sun Collector API (2007)"),
            (_, true, true) => {
                Some("OMPT of Technical Report 2 (2014) and the Sun Collector API (2007)")
            }
        }
    }
}

/// The folders of a RUNPATH.
fn folders(path: &[u8], origin: &Path) -> Vec<PathBuf> {
    let parts = path.split(|byte| *byte == b':').filter(|part| !part.is_empty());
    parts
        .map(|part| {
            let rest = part.strip_prefix(b"$ORIGIN").or_else(|| part.strip_prefix(b"${ORIGIN}"));
            match rest {
                Some(rest) => {
                    let rest = rest.strip_prefix(b"/").unwrap_or(rest);
                    origin.join(OsStr::from_bytes(rest))
                }
                None => PathBuf::from(OsStr::from_bytes(part)),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_program_is_an_elf_file_without_openmp() {
        let elf = Elf::read(&std::env::current_exe().expect("a path")).expect("ELF");
        assert!(elf.dynamic && elf.needed.iter().any(|name| name.starts_with("libc.so")));
        assert!(!elf.has_llvm && !elf.has_gcc && !elf.for_tools);
        assert_eq!(Elf::read(Path::new("/proc/self/status")), None);
    }

    #[test]
    fn origin_is_put_in() {
        let found = folders(b"$ORIGIN/../lib:/opt/lib:${ORIGIN}", Path::new("/a/bin"));
        assert_eq!(found, ["/a/bin/../lib", "/opt/lib", "/a/bin"].map(PathBuf::from));
    }
}
