//! One ELF file: its identity, its segments, its symbols, and the files with its debug information.
//!
//! Only the headers and the few sections that are needed are read, so the size of the file does not matter here.

use std::ffi::OsString;
use std::fs::{File, Metadata};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use object::read::elf::{ElfFile64, FileHeader, ProgramHeader};
use object::{Endianness, Object, ObjectSection, ReadCache, elf};

use crate::error::Error;
use crate::modules::BuildId;
use crate::table::SymbolTable;

/// A parsed file, its bytes fetched when needed.
pub(crate) type Parsed<'a> = ElfFile64<'a, Endianness, &'a ReadCache<File>>;

/// A loadable segment of the file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment {
    /// Offset of the segment in the file, in bytes.
    pub file_offset: u64,
    /// Size of the segment in the file, in bytes.
    pub file_size: u64,
    /// The linker's address of the segment.
    pub address: u64,
    /// Size of the segment in memory, in bytes.
    pub memory_size: u64,
    /// True if the segment is executable.
    pub executable: bool,
}

/// The name of a separate debug file, and the checksum that proves that it belongs to this one.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    pub name: PathBuf,
    pub crc: u32,
}

/// Properties of a file that are read before its debug information.
#[derive(Debug)]
pub(crate) struct Elf {
    pub path: PathBuf,
    pub build_id: BuildId,
    /// True if the file is linked to fixed addresses: it is neither a PIE nor a library.
    pub fixed: bool,
    pub segments: Vec<Segment>,
    pub has_lines: bool,
    /// Size that its compressed debug sections state to have, in bytes, if that is implausible; else `None`.
    pub inflated: Option<u64>,
    pub debug_link: Option<Link>,
    /// File of dwz with debug information that several debug files share, and its build id.
    pub shared_debug: Option<(PathBuf, BuildId)>,
    pub symbols: SymbolTable,
    identity: Identity,
}

/// Device, inode, size and modification time, which differ once a path refers to another file.
type Identity = (u64, u64, u64, i64, i64);

impl Elf {
    /// Reads the headers and the symbol table of the file at `path`.
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        // Asked before opening: a named pipe there would block us.
        if !std::fs::metadata(path)?.is_file() {
            return Err(Error::NotAFile);
        }
        let file = File::open(path)?;
        let identity = identity(&file.metadata()?);
        let cache = ReadCache::new(file.try_clone()?);
        let parsed = Parsed::parse(&cache)?;
        Ok(Self {
            path: path.to_owned(),
            build_id: BuildId(parsed.build_id()?.unwrap_or_default().to_vec()),
            fixed: parsed.elf_header().e_type(parsed.endian()) == elf::ET_EXEC,
            segments: segments(&parsed),
            has_lines: has_lines(&parsed),
            inflated: inflated(&parsed),
            debug_link: debug_link(&parsed),
            shared_debug: shared_debug(&parsed),
            symbols: SymbolTable::read(&parsed, file)?,
            identity,
        })
    }

    /// True if the path still refers to the file that was read.
    pub(crate) fn is_unchanged(&self) -> bool {
        std::fs::metadata(&self.path).is_ok_and(|now| identity(&now) == self.identity)
    }
}

/// The build id of the file at `path`.
pub(crate) fn build_id_at(path: &Path) -> Result<BuildId, Error> {
    // Asked before opening: a named pipe there would block us.
    if !path.is_absolute() || !std::fs::metadata(path)?.is_file() {
        return Err(Error::NotAFile);
    }
    let cache = ReadCache::new(File::open(path)?);
    Ok(BuildId(Parsed::parse(&cache)?.build_id()?.unwrap_or_default().to_vec()))
}

fn identity(file: &Metadata) -> Identity {
    (file.dev(), file.ino(), file.size(), file.mtime(), file.mtime_nsec())
}

fn segments(parsed: &Parsed) -> Vec<Segment> {
    let endian = parsed.endian();
    let loadable =
        |header: &&elf::ProgramHeader64<Endianness>| header.p_type(endian) == elf::PT_LOAD;
    let segment = |header: &elf::ProgramHeader64<Endianness>| Segment {
        file_offset: header.p_offset(endian),
        file_size: header.p_filesz(endian),
        address: header.p_vaddr(endian),
        memory_size: header.p_memsz(endian),
        executable: header.p_flags(endian).contains(elf::PF_X),
    };
    parsed.elf_program_headers().iter().filter(loadable).map(segment).collect()
}

/// True if the file has line tables. The reader also finds GNU's older compressed sections, `.zdebug_info`, by these
/// names.
fn has_lines(parsed: &Parsed) -> bool {
    [".debug_info", ".debug_line"].iter().all(|name| parsed.section_by_name(name).is_some())
}

/// Maximum ratio of the size of a section to its compressed size that is accepted: compilers' debug information
/// becomes 3 to 8 times as large.
const MOST_RATIO: u64 = 64;
/// Maximum size in bytes of all compressed debug sections of a file after decompression.
const MOST_INFLATED: u64 = 2 << 30;

/// Size that compressed debug sections state to have, in bytes, if it is implausible; a megabyte could take a gigabyte
/// of memory.
fn inflated(parsed: &Parsed) -> Option<u64> {
    let mut all = 0_u64;
    let mut is_too_far = false;
    for section in parsed.sections() {
        let name = section.name().unwrap_or_default();
        let Some(range) = section.compressed_file_range().ok().filter(|_| name.contains("debug_"))
        else {
            continue;
        };
        if range.format == object::CompressionFormat::None {
            continue;
        }
        all = all.saturating_add(range.uncompressed_size);
        is_too_far |= range.uncompressed_size / MOST_RATIO > range.compressed_size;
    }
    (is_too_far || all > MOST_INFLATED).then_some(all)
}

fn debug_link(parsed: &Parsed) -> Option<Link> {
    let (name, crc) = parsed.gnu_debuglink().ok()??;
    Some(Link { name: path(name), crc })
}

fn shared_debug(parsed: &Parsed) -> Option<(PathBuf, BuildId)> {
    let (name, id) = parsed.gnu_debugaltlink().ok()??;
    Some((path(name), BuildId(id.to_vec())))
}

fn path(bytes: &[u8]) -> PathBuf {
    OsString::from_vec(bytes.to_vec()).into()
}
