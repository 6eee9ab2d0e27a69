//! A core file as a target: memory of its PT_LOAD segments, threads of its NT_PRSTATUS notes, files of its NT_FILE note.
//!
//! Nothing in it is trusted: sizes are limited by the file's, and reads beyond it return no bytes. Pages that the
//! kernel omitted because a file has them are read from that file, if it is still the one that was mapped
//! (`mapped_file.rs`).

use crate::Error;
use crate::core_notes::{CoreThread, Notes};
use crate::mapped_file::{MappedFile, build_id, is_data};
use crate::target::{Mapped, Target, TargetThread};
use object::elf::{FileHeader64, PF_X, PT_LOAD, PT_NOTE};
use object::read::elf::{FileHeader, ProgramHeader};
use object::{Endianness, elf};
use std::collections::HashMap;
use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// Maximum size of the headers in bytes: there are 65,535 at most, of 56 bytes each.
const LARGEST_HEAD: u64 = 4 << 20;
/// Maximum size of the notes of one segment in bytes; a thread takes about 3 KiB of them.
const LARGEST_NOTES: u64 = 256 << 20;
/// Maximum number of segments; further ones are ignored.
const MOST: usize = 1 << 16;
/// Maximum number of files that are opened, of those that the core names.
const MOST_FILES: usize = 512;

/// A core file.
#[derive(Debug)]
pub struct CoreFile {
    file: File,
    segments: Vec<Segment>,
    notes: Notes,
    /// Files that were mapped from their begin on, by the paths that the core has for them.
    files: HashMap<PathBuf, Backing>,
}

/// A file that was mapped.
#[derive(Debug)]
struct Backing {
    /// Build id in the target's memory; empty if it is unknown.
    build_id: Vec<u8>,
    /// The file, if it is still the same; otherwise the reason why it is not read.
    file: Result<MappedFile, String>,
}

/// A segment of the target's memory.
#[derive(Clone, Debug)]
struct Segment {
    /// Addresses of the segment.
    range: Range<u64>,
    executable: bool,
    /// Size of the segment's content in the core file and its offset there, in bytes; the rest was omitted.
    bytes: u64,
    offset: u64,
}

impl CoreFile {
    /// Opens a core file; `executable` is the present path of the program, if it is not the one in the core.
    ///
    /// # Errors
    /// The file is no core file, one of another kind of machine, or damaged at its head; or `executable` is another
    /// program.
    pub fn open(path: &Path, executable: Option<&Path>) -> Result<CoreFile, Error> {
        let failed = |text: String| Error::Core(format!("{}: {text}", path.display()));
        let file = File::open(path).map_err(|error| failed(error.to_string()))?;
        let metadata = file.metadata().map_err(|error| failed(error.to_string()))?;
        if !metadata.is_file() {
            return Err(failed("it is no file".to_owned()));
        }
        let head = CoreFile::head(&file, metadata.len()).map_err(failed)?;
        let (segments, notes, files) = (Vec::new(), Notes::default(), HashMap::new());
        let mut core = CoreFile { file, segments, notes, files };
        core.parse(&head, metadata.len()).map_err(failed)?;
        core.segments.sort_by_key(|segment| segment.range.start);
        core.notes.mapped.sort_by_key(|mapped| mapped.range.start);
        core.open_files(executable)?;
        Ok(core)
    }

    /// True if a file begins like a core file.
    pub fn is_one(path: &Path) -> bool {
        let mut head = [0; 18];
        let read = File::open(path).and_then(|file| file.read_exact_at(&mut head, 0));
        // e_type after the identification.
        read.is_ok() && head.starts_with(&elf::ELFMAG) && head[16..] == elf::ET_CORE.0.to_ne_bytes()
    }

    /// State of the threads when the core was written, in the order of [`Target::threads`].
    pub fn states(&self) -> &[CoreThread] {
        &self.notes.states
    }

    /// Address ranges of all segments, in ascending order, each with true if it is executable.
    pub fn memory(&self) -> impl Iterator<Item = (Range<u64>, bool)> {
        self.segments.iter().map(|segment| (segment.range.clone(), segment.executable))
    }

    /// Path of the program's own file, as the core has it.
    pub fn executable(&self) -> Option<&Path> {
        Some(&self.mapped_at(self.notes.entry?)?.path)
    }

    /// The file that was mapped at an address; `None` if none was.
    pub fn mapped_at(&self, address: u64) -> Option<&Mapped> {
        let mapped = &self.notes.mapped;
        let behind = mapped.partition_point(|mapped| mapped.range.start <= address);
        mapped.get(behind.checked_sub(1)?).filter(|mapped| mapped.range.contains(&address))
    }

    /// Build id of a file that was mapped, by the core's path; empty if it is unknown.
    pub fn build_id(&self, path: &Path) -> &[u8] {
        self.files.get(path).map_or(&[], |backing| &backing.build_id)
    }

    /// True if omitted memory is read from the file with this path in the core.
    pub fn is_read(&self, path: &Path) -> bool {
        self.files.get(path).is_some_and(|backing| backing.file.is_ok())
    }

    /// Files that are not read, by the core's paths, each with the reason.
    pub fn left_out(&self) -> Vec<(&Path, &str)> {
        let refused = self.files.iter().filter_map(|(path, backing)| {
            Some((path.as_path(), backing.file.as_ref().err()?.as_str()))
        });
        let mut refused: Vec<_> = refused.collect();
        refused.sort_unstable();
        refused
    }

    fn head(file: &File, length: u64) -> Result<Vec<u8>, String> {
        let mut head = vec![0; length.min(LARGEST_HEAD) as usize];
        file.read_exact_at(&mut head, 0).map_err(|error| error.to_string())?;
        Ok(head)
    }

    fn parse(&mut self, head: &[u8], length: u64) -> Result<(), String> {
        let error = |error: object::Error| error.to_string();
        let header = FileHeader64::<Endianness>::parse(head).map_err(error)?;
        let endian = header.endian().map_err(error)?;
        if header.e_type(endian) != elf::ET_CORE {
            return Err("it is no core file".to_owned());
        }
        if header.e_machine(endian) != elf::EM_X86_64 || !cfg!(target_arch = "x86_64") {
            return Err("only core files of x86-64 are read, on such a machine".to_owned());
        }
        let mut notes = Vec::new();
        for segment in header.program_headers(endian, head).map_err(error)?.iter().take(MOST) {
            let (offset, bytes) = (segment.p_offset(endian), segment.p_filesz(endian));
            let bytes = bytes.min(length.saturating_sub(offset));
            match segment.p_type(endian) {
                PT_LOAD => {
                    let start = segment.p_vaddr(endian);
                    let range = start..start.saturating_add(segment.p_memsz(endian).max(bytes));
                    let executable = segment.p_flags(endian).contains(PF_X);
                    self.segments.push(Segment { range, executable, bytes, offset });
                }
                PT_NOTE => notes.push((offset, bytes)),
                _ => {}
            }
        }
        for (offset, bytes) in notes {
            if bytes > LARGEST_NOTES {
                return Err("its notes are too large".to_owned());
            }
            let mut own = vec![0; bytes as usize];
            self.file.read_exact_at(&mut own, offset).map_err(|error| error.to_string())?;
            self.notes.add(&own);
        }
        if self.notes.threads.is_empty() {
            return Err("it has no threads".to_owned());
        }
        Ok(())
    }

    /// Opens the files that were mapped from their begin on, the executable at the path that the user gave.
    fn open_files(&mut self, given: Option<&Path>) -> Result<(), Error> {
        let own = self.executable().map(Path::to_owned);
        if let (Some(given), None) = (given, &own) {
            let text = "the core does not say which file the program was";
            return Err(Error::Core(format!("{}: {text}", given.display())));
        }
        let mut begins: Vec<(PathBuf, u64)> = Vec::new();
        for mapped in self.notes.mapped.iter().filter(|mapped| mapped.offset == 0) {
            begins.push((mapped.path.clone(), mapped.range.start));
        }
        for (path, start) in begins {
            if self.files.len() >= MOST_FILES || self.files.contains_key(&path) {
                continue;
            }
            let mut page = vec![0; 4096];
            let got = self.read_own(start, &mut page);
            page.truncate(got);
            // Devices, shared memory and data.
            if !path.is_absolute() || got > 0 && !page.starts_with(&elf::ELFMAG) {
                continue;
            }
            if got == 0 && is_data(&path) {
                continue;
            }
            let given = given.filter(|_| Some(&path) == own.as_ref());
            let file = MappedFile::open(given.unwrap_or(&path), &page);
            if let (Some(given), Err(why)) = (given, &file) {
                return Err(Error::Core(format!("{}: {why}", given.display())));
            }
            if let Some(given) = given {
                let all = self.notes.mapped.iter_mut().filter(|mapped| mapped.path == path);
                all.for_each(|mapped| mapped.readable_at = given.to_owned());
            }
            let build_id = build_id(&page).unwrap_or_default().to_vec();
            self.files.insert(path, Backing { build_id, file });
        }
        Ok(())
    }

    /// Reads memory that the core file itself contains; returns the number of bytes.
    fn read_own(&self, address: u64, to: &mut [u8]) -> usize {
        let behind = self.segments.partition_point(|segment| segment.range.start <= address);
        let Some(segment) = behind.checked_sub(1).and_then(|at| self.segments.get(at)) else {
            return 0;
        };
        let inside = address - segment.range.start;
        let there = usize::try_from(segment.bytes.saturating_sub(inside)).unwrap_or(usize::MAX);
        let wanted = to.len().min(there);
        let part = to.get_mut(..wanted).unwrap_or_default();
        self.file.read_at(part, segment.offset.saturating_add(inside)).unwrap_or(0)
    }

    /// Reads memory that the core file omitted from the file that was mapped there; returns the number of bytes.
    fn read_file(&self, address: u64, to: &mut [u8]) -> usize {
        let Some(mapped) = self.mapped_at(address) else { return 0 };
        let backing = self.files.get(&mapped.path);
        let Some(file) = backing.and_then(|backing| backing.file.as_ref().ok()) else { return 0 };
        // What the core file has begins at the latest with the next segment.
        let next = self.segments.partition_point(|segment| segment.range.start <= address);
        let next = self.segments.get(next).map_or(u64::MAX, |segment| segment.range.start);
        let there = mapped.range.end.min(next) - address;
        let wanted = to.len().min(usize::try_from(there).unwrap_or(usize::MAX));
        let part = to.get_mut(..wanted).unwrap_or_default();
        file.read(mapped.offset.saturating_add(address - mapped.range.start), part)
    }
}

impl Target for CoreFile {
    fn read(&self, address: u64, to: &mut [u8]) -> usize {
        let mut done = 0;
        while let (Some(rest), Some(at)) = (to.get_mut(done..), address.checked_add(done as u64)) {
            let got = match self.read_own(at, rest) {
                0 => self.read_file(at, rest),
                got => got,
            };
            if got == 0 {
                break;
            }
            done += got;
        }
        done
    }

    fn threads(&self) -> &[TargetThread] {
        &self.notes.threads
    }

    fn mapped(&self) -> &[Mapped] {
        &self.notes.mapped
    }
}
