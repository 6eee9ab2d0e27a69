//! The runtime's file, and the addresses of its symbols in the target's memory. The file's `.symtab` is needed,
//! because OMPD asks for symbols that are not exported; distributions strip that.

use crate::Error;
use crate::mapped_file;
use crate::target::{Mapped, Target};
use object::read::elf::ElfFile64;
use object::{Object, ObjectSegment, ObjectSymbol};
use std::collections::HashMap;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Maximum size in bytes of a file that is read for its symbols.
const LARGEST: u64 = 512 << 20;
/// Symbols by which runtimes that OMPD knows are recognised: one that LLVM's and Intel's have, and the prefix of those
/// for OMPD.
const MARK: &str = "__kmp_threads";
const OF_OMPD: &str = "ompd_";

/// The runtime in the target's memory.
#[derive(Debug)]
pub struct Image {
    /// Path of the runtime's file in the target.
    pub path: PathBuf,
    /// Path at which the file can be read from this process.
    pub readable_at: PathBuf,
    symbols: HashMap<String, u64>,
}

impl Image {
    /// Address of a symbol in the target's memory; `None` if the runtime lacks the symbol.
    pub(crate) fn symbol(&self, name: &str) -> Option<u64> {
        self.symbols.get(name).copied()
    }
}

/// Finds the OpenMP runtime among the mapped files: a library by its name, else any file with the symbols of a runtime
/// that is linked into it.
///
/// # Errors
/// No runtime is mapped, or it was stripped of its symbols.
pub fn runtime(target: &dyn Target) -> Result<Image, Error> {
    let mut seen: Vec<&Path> = Vec::new();
    let mut firsts: Vec<&Mapped> = Vec::new();
    for mapped in target.mapped().iter().filter(|mapped| mapped.offset == 0) {
        if !seen.contains(&mapped.path.as_path()) {
            seen.push(&mapped.path);
            firsts.push(mapped);
        }
    }
    firsts.sort_by_key(|mapped| !is_runtime(&mapped.path));
    let mut why = "none is mapped".to_owned();
    for mapped in firsts {
        match image(target, mapped) {
            Ok(Some(image)) => return Ok(image),
            Ok(None) if is_runtime(&mapped.path) => {
                why = format!("{} was stripped of its symbols", mapped.path.display());
            }
            Err(error) if is_runtime(&mapped.path) => {
                why = format!("{}: {error}", mapped.path.display());
            }
            Ok(None) | Err(_) => {}
        }
    }
    Err(Error::NoRuntime(why))
}

/// True if the runtime's file at `path` has the symbols that OMPD asks for.
///
/// # Errors
/// The file cannot be read, or is no ELF file.
pub fn has_symbols(path: &Path) -> Result<bool, String> {
    let bytes = read(path)?;
    let file: ElfFile64<'_> = ElfFile64::parse(&*bytes).map_err(|error| error.to_string())?;
    Ok(is_known(&symbols(&file)))
}

/// True if a file's name is that of a runtime which OMPD may know: LLVM's or Intel's.
pub fn is_runtime(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with("libomp.") || name.starts_with("libomp5") || name.starts_with("libiomp5")
}

fn image(target: &dyn Target, mapped: &Mapped) -> Result<Option<Image>, String> {
    let bytes = read(&mapped.readable_at)?;
    let file: ElfFile64<'_> = ElfFile64::parse(&*bytes).map_err(|error| error.to_string())?;
    let first = file.segments().map(|segment| segment.address()).min().unwrap_or(0) & !4095;
    let bias = mapped.range.start.wrapping_sub(first);
    let symbols = symbols(&file);
    if !is_known(&symbols) {
        return Ok(None);
    }
    is_same_as_in_memory(target, &bytes, mapped.range.start)?;
    let moved = |address: u64| bias.wrapping_add(address);
    let symbols = symbols.into_iter().map(|(name, address)| (name, moved(address))).collect();
    let (path, readable_at) = (mapped.path.clone(), mapped.readable_at.clone());
    Ok(Some(Image { path, readable_at, symbols }))
}

/// The symbols that OMPD may ask for, at the linker's addresses.
fn symbols(file: &ElfFile64<'_>) -> HashMap<String, u64> {
    let wanted = |name: &&str| name.starts_with("__kmp_") || name.starts_with(OF_OMPD);
    let symbols = file.symbols().filter(|symbol| !symbol.is_undefined());
    let named = symbols.filter_map(|symbol| {
        let name = symbol.name().ok().filter(wanted)?;
        Some((name.to_owned(), symbol.address()))
    });
    named.collect()
}

fn is_known(symbols: &HashMap<String, u64>) -> bool {
    symbols.contains_key(MARK) && symbols.keys().any(|name| name.starts_with(OF_OMPD))
}

/// Checks that the file is the one that the target has in memory: the addresses of symbols differ in another build.
fn is_same_as_in_memory(target: &dyn Target, bytes: &[u8], start: u64) -> Result<(), String> {
    let mut page = vec![0; 4096];
    let got = target.read(start, &mut page);
    let in_memory = page.get(..got).unwrap_or_default();
    let in_file = bytes.get(..4096).unwrap_or(bytes);
    let same = mapped_file::is_same(in_memory, in_file);
    if same { Ok(()) } else { Err("it is not the file that the program has in memory".to_owned()) }
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    let file = mapped_file::regular(path).map_err(|error| error.to_string())?;
    let length = file.metadata().map_err(|error| error.to_string())?.len();
    if length > LARGEST {
        return Err("it is too large to be read for symbols".to_owned());
    }
    let mut bytes = Vec::new();
    file.take(LARGEST).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    Ok(bytes)
}
