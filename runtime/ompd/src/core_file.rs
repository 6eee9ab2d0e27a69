//! A core file as a target: memory of its PT_LOAD segments, threads of its NT_PRSTATUS notes, files of its NT_FILE note.
//!
//! Nothing in it is believed: sizes are bounded by the file's, and what is not in it is not there. Pages that the kernel
//! left out because a file has them are read from that file where its build id is the one in the core.

use crate::Error;
use crate::target::{Mapped, Target, TargetThread};
use object::elf::{FileHeader64, PT_LOAD, PT_NOTE};
use object::read::elf::{FileHeader, ProgramHeader};
use object::{Endianness, elf};
use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// A thread's state and registers.
const NT_PRSTATUS: u32 = 1;
/// NT_FILE, "FILE" in ASCII.
const NT_FILE: u32 = 0x4649_4c45;
/// The headers lie within this: there are 65,535 at most, of 56 bytes each.
const LARGEST_HEAD: u64 = 4 << 20;
/// Notes of one segment; a thread takes about 3 KiB of them.
const LARGEST_NOTES: u64 = 256 << 20;
/// Threads, segments and files beyond this are not believed.
const MOST: usize = 1 << 16;

/// Where `struct elf_prstatus` has the thread's id and its registers, the same on all 64-bit machines.
const PID_AT: usize = 32;
const REGISTERS_AT: usize = 112;
/// Which of x86-64's registers is the thread pointer, the stack pointer, and so on (`struct user_regs_struct`).
const FS_BASE: usize = 21;
const RBP: usize = 4;
const RIP: usize = 16;
const RSP: usize = 19;

/// A core file.
#[derive(Debug)]
pub struct CoreFile {
    file: File,
    segments: Vec<Segment>,
    threads: Vec<TargetThread>,
    /// Program counter, stack pointer and frame pointer of each thread.
    registers: Vec<(u64, u64, u64)>,
    mapped: Vec<Mapped>,
}

#[derive(Clone, Copy, Debug)]
struct Segment {
    address: u64,
    /// Bytes in the file, and where.
    bytes: u64,
    offset: u64,
}

impl CoreFile {
    /// Opens a core file.
    ///
    /// # Errors
    /// Where it is none, one of another kind of machine, or damaged at its head.
    pub fn open(path: &Path) -> Result<CoreFile, Error> {
        let failed = |text: String| Error::Core(format!("{}: {text}", path.display()));
        let file = File::open(path).map_err(|error| failed(error.to_string()))?;
        let metadata = file.metadata().map_err(|error| failed(error.to_string()))?;
        if !metadata.is_file() {
            return Err(failed("it is no file".to_owned()));
        }
        let head = CoreFile::head(&file, metadata.len()).map_err(failed)?;
        let mut core = CoreFile {
            file,
            segments: Vec::new(),
            threads: Vec::new(),
            registers: Vec::new(),
            mapped: Vec::new(),
        };
        core.parse(&head, metadata.len()).map_err(failed)?;
        core.mapped.sort_by_key(|mapped| mapped.range.start);
        Ok(core)
    }

    /// Whether a file begins like a core file.
    pub fn is_one(path: &Path) -> bool {
        let mut head = [0; 18];
        let read = File::open(path).and_then(|file| file.read_exact_at(&mut head, 0));
        // e_type behind the identification.
        read.is_ok() && head.starts_with(&elf::ELFMAG) && head[16..] == elf::ET_CORE.0.to_ne_bytes()
    }

    /// The registers of a thread: program counter, stack pointer, frame pointer.
    pub fn registers(&self, thread: usize) -> Option<(u64, u64, u64)> {
        self.registers.get(thread).copied()
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
                    let address = segment.p_vaddr(endian);
                    self.segments.push(Segment { address, bytes, offset });
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
            self.notes(&own);
        }
        if self.threads.is_empty() {
            return Err("it has no threads".to_owned());
        }
        Ok(())
    }

    /// The notes of a segment: sizes of name and content, type, name, content, each padded to 4 bytes.
    fn notes(&mut self, mut rest: &[u8]) {
        while let (Some(name), Some(bytes), Some(kind)) =
            (half(rest, 0), half(rest, 4), half(rest, 8))
        {
            let padded = |bytes: u32| (bytes as usize).next_multiple_of(4);
            let content = 12 + padded(name);
            let Some(own) = rest.get(content..content.saturating_add(bytes as usize)) else {
                return;
            };
            match kind {
                NT_PRSTATUS => self.thread(own),
                NT_FILE => drop(self.files(own)),
                _ => {}
            }
            rest = rest.get(content + padded(bytes)..).unwrap_or_default();
        }
    }

    fn thread(&mut self, status: &[u8]) {
        let register = |number: usize| word(status, REGISTERS_AT + 8 * number);
        let (Some(id), Some(pthread)) = (half(status, PID_AT), register(FS_BASE)) else { return };
        let place = (register(RIP), register(RSP), register(RBP));
        if let (Some(pc), Some(sp), Some(fp)) = place
            && self.threads.len() < MOST
        {
            self.threads.push(TargetThread { id, pthread });
            self.registers.push((pc, sp, fp));
        }
    }

    /// How many files, the size of a page, for each file its range and its offset in pages, and then their names.
    fn files(&mut self, note: &[u8]) -> Option<()> {
        let (count, page) = (word(note, 0)?, word(note, 8)?);
        let count = usize::try_from(count).ok().filter(|count| *count <= MOST)?;
        let mut names = note.get(16 + 24 * count..)?.split(|byte| *byte == 0);
        for at in 0..count {
            let entry = 16 + 24 * at;
            let (start, end) = (word(note, entry)?, word(note, entry + 8)?);
            let offset = word(note, entry + 16)?.checked_mul(page)?;
            let path = PathBuf::from(OsStr::from_bytes(names.next()?));
            if start < end {
                self.mapped.push(Mapped {
                    range: start..end,
                    offset,
                    readable_at: path.clone(),
                    path,
                });
            }
        }
        Some(())
    }

    fn segment(&self, address: u64) -> Option<&Segment> {
        self.segments.iter().find(|segment| {
            address.checked_sub(segment.address).is_some_and(|inside| inside < segment.bytes)
        })
    }
}

impl Target for CoreFile {
    fn read(&self, address: u64, to: &mut [u8]) -> usize {
        let mut done = 0;
        while done < to.len() {
            let Some(at) = address.checked_add(done as u64) else { break };
            let Some(segment) = self.segment(at) else { break };
            let inside = at - segment.address;
            let there = usize::try_from(segment.bytes - inside).unwrap_or(usize::MAX);
            let Some(rest) = to.get_mut(done..) else { break };
            let wanted = rest.len().min(there);
            let Some(part) = rest.get_mut(..wanted) else { break };
            match self.file.read_at(part, segment.offset.saturating_add(inside)) {
                Ok(got) if got > 0 => done += got,
                _ => break,
            }
        }
        done
    }

    fn threads(&self) -> &[TargetThread] {
        &self.threads
    }

    fn mapped(&self) -> &[Mapped] {
        &self.mapped
    }
}

fn word(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_ne_bytes(bytes.get(at..at.checked_add(8)?)?.try_into().ok()?))
}

fn half(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?))
}
