//! A file that was mapped into the target, if it is still at its path: it is recognised by its build id, or, if it has
//! none (Intel's runtime), by its first page, which holds its headers and symbol hashes.

use object::elf::{FileHeader64, NT_GNU_BUILD_ID};
use object::read::elf::{FileHeader, ProgramHeader};
use object::{Endianness, elf};
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

/// Linux's O_NONBLOCK: a pipe instead of a file must not block.
const O_NONBLOCK: i32 = 0o4000;
/// Size of the part of each mapped ELF file that core files contain, in bytes: its first page.
const PAGE: u64 = 4096;

/// A file that is still the one that was mapped.
#[derive(Debug)]
pub(crate) struct MappedFile(File);

impl MappedFile {
    /// Opens the file at `path`, if its begin is that in the target's memory.
    pub(crate) fn open(path: &Path, in_memory: &[u8]) -> Result<MappedFile, String> {
        if in_memory.is_empty() {
            return Err("its begin is not in the core, by which it would be known".to_owned());
        }
        let file = regular(path).map_err(|error| error.to_string())?;
        let mut page = Vec::new();
        (&file).take(PAGE).read_to_end(&mut page).map_err(|error| error.to_string())?;
        if !is_same(in_memory, &page) {
            return Err("it is not the file that the program had in memory".to_owned());
        }
        Ok(MappedFile(file))
    }

    /// Reads bytes of the file from `offset` on; returns their number.
    pub(crate) fn read(&self, offset: u64, to: &mut [u8]) -> usize {
        self.0.read_at(to, offset).unwrap_or(0)
    }
}

/// Opens a regular file; devices and pipes, which opening may act on, are not touched.
pub(crate) fn regular(path: &Path) -> io::Result<File> {
    let none = || io::Error::other("it is no regular file");
    if !std::fs::metadata(path)?.is_file() {
        return Err(none());
    }
    let file = File::options().read(true).custom_flags(O_NONBLOCK).open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(none()) }
}

/// True if a regular file is no ELF file, and so has no code.
pub(crate) fn is_data(path: &Path) -> bool {
    let mut magic = [0; 4];
    regular(path).is_ok_and(|file| file.read_at(&mut magic, 0).is_ok() && magic != elf::ELFMAG)
}

/// True if the begin of a mapping and that of a file belong to the same file.
pub(crate) fn is_same(in_memory: &[u8], in_file: &[u8]) -> bool {
    match build_id(in_file) {
        Some(id) => build_id(in_memory) == Some(id),
        None => in_memory.len() as u64 >= PAGE && in_file.starts_with(in_memory),
    }
}

/// The build id in the first page of an ELF file, which is the same in memory.
pub(crate) fn build_id(page: &[u8]) -> Option<&[u8]> {
    let header = FileHeader64::<Endianness>::parse(page).ok()?;
    let endian = header.endian().ok()?;
    let segments = header.program_headers(endian, page).ok()?.iter();
    let notes = segments.filter_map(|segment| segment.notes(endian, page).ok().flatten());
    let mut ids = notes.flat_map(|mut notes| {
        std::iter::from_fn(move || notes.next().ok().flatten())
            .filter(|note| {
                note.name() == elf::ELF_NOTE_GNU && note.n_type(endian) == NT_GNU_BUILD_ID
            })
            .map(|note| note.desc())
    });
    ids.find(|id| !id.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_known_by_its_build_id_or_its_first_page() {
        let path = Path::new("/proc/self/exe");
        let mut page = Vec::new();
        File::open(path).expect("open").take(PAGE).read_to_end(&mut page).expect("read");
        assert!(build_id(&page).is_some_and(|id| id.len() >= 8), "rustc's linker makes one");
        assert!(MappedFile::open(path, &page).is_ok());
        let id = build_id(&page).map(<[u8]>::to_vec).expect("there");
        let at = page.windows(id.len()).position(|bytes| bytes == id).expect("there");
        let mut another = page.clone();
        another[at] ^= 1;
        assert!(MappedFile::open(path, &another).is_err(), "another build id");
        assert!(MappedFile::open(path, &page[..at]).is_err(), "none in memory");
        // Without one the whole page counts.
        let (nameless, mut other) = (vec![7; 4096], vec![7; 4096]);
        assert!(is_same(&nameless, &nameless) && !is_same(&nameless[..100], &nameless));
        other[4000] = 8;
        assert!(!is_same(&other, &nameless));
    }

    #[test]
    fn what_is_no_regular_file_is_not_opened() {
        assert!(regular(Path::new("/dev/null")).is_err());
        assert!(regular(Path::new("/proc")).is_err());
        assert!(regular(Path::new("/nowhere")).is_err());
    }
}
