//! Reading /proc/self/maps line by line from a buffer on the stack.

/// One line: a mapping of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mapping<'a> {
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) executable: bool,
    /// Offset of the mapping in the file, in bytes.
    pub(crate) offset: u64,
    /// Hash of the file's device and its inode number there.
    pub(crate) file: u64,
    /// Path of the file as the kernel writes it; empty for memory without a file.
    pub(crate) path: &'a [u8],
}

const DELETED: &[u8] = b" (deleted)";

impl Mapping<'_> {
    /// True if the file was deleted: it has no name any more.
    pub(crate) fn is_deleted(&self) -> bool {
        self.path.ends_with(DELETED)
    }

    /// The path of the file without the kernel's mark for deleted files.
    pub(crate) fn plain_path(&self) -> &[u8] {
        self.path.strip_suffix(DELETED).unwrap_or(self.path)
    }
}

/// Visits all mappings of code, each with the address at which its file's beginning is mapped, or 0 if it is not.
pub(crate) fn each_executable(mut visit: impl FnMut(&Mapping<'_>, u64)) {
    let (mut header, mut path) = (0, 0);
    let mut lines = Lines::open();
    while let Some(mapping) = lines.next() {
        let this = hash(mapping.path);
        if mapping.path.is_empty() || this != path {
            (header, path) = (0, this);
        }
        if mapping.offset == 0 && !mapping.path.is_empty() {
            header = mapping.start;
        }
        if mapping.executable {
            visit(&mapping, header);
        }
    }
}

/// Hash of a path, by which it is distinguished from its neighbour.
fn hash(path: &[u8]) -> u64 {
    path.iter().fold(0, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
}

/// The lines of /proc/self/maps.
pub(crate) struct Lines {
    file: libc::c_int,
    bytes: [u8; 8192],
    start: usize,
    end: usize,
}

impl Lines {
    pub(crate) fn open() -> Lines {
        // SAFETY: a C string; a failure gives a file without lines.
        let file =
            unsafe { libc::open(c"/proc/self/maps".as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC) };
        Lines { file, bytes: [0; 8192], start: 0, end: 0 }
    }

    /// The next mapping; lines that cannot be parsed are skipped.
    pub(crate) fn next(&mut self) -> Option<Mapping<'_>> {
        loop {
            let line = self.line()?;
            let found = self.bytes.get(line.clone()).is_some_and(|text| parse(text).is_some());
            if found {
                return parse(self.bytes.get(line)?);
            }
        }
    }

    fn line(&mut self) -> Option<std::ops::Range<usize>> {
        loop {
            let rest = self.bytes.get(self.start..self.end)?;
            if let Some(length) = rest.iter().position(|byte| *byte == b'\n') {
                let line = self.start..self.start + length;
                self.start += length + 1;
                return Some(line);
            }
            self.fill()?;
        }
    }

    fn fill(&mut self) -> Option<()> {
        self.bytes.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        let room = self.bytes.get_mut(self.end..)?;
        // SAFETY: reads into the free part of the buffer.
        let got = unsafe { libc::read(self.file, room.as_mut_ptr().cast(), room.len()) };
        self.end += usize::try_from(got).ok().filter(|got| *got > 0)?;
        Some(())
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        if self.file >= 0 {
            // SAFETY: our own descriptor, closed once.
            unsafe { libc::close(self.file) };
        }
    }
}

/// `start-end perms offset device inode   path`
fn parse(line: &[u8]) -> Option<Mapping<'_>> {
    let mut fields = line.splitn(6, |byte| *byte == b' ');
    let mut range = fields.next()?.splitn(2, |byte| *byte == b'-');
    let (start, end) = (hexadecimal(range.next()?)?, hexadecimal(range.next()?)?);
    let executable = fields.next()?.get(2) == Some(&b'x');
    let offset = hexadecimal(fields.next()?)?;
    let file = hash(fields.next()?) ^ decimal(fields.next()?)?;
    let path = fields.next().unwrap_or(b"").trim_ascii_start();
    Some(Mapping { start, end, executable, offset, file, path })
}

fn hexadecimal(text: &[u8]) -> Option<u64> {
    let mut digits = text.iter().map(|byte| char::from(*byte).to_digit(16));
    digits.try_fold(0, |number, digit| Some(number << 4 | u64::from(digit?)))
}

fn decimal(text: &[u8]) -> Option<u64> {
    let mut digits = text.iter().map(|byte| char::from(*byte).to_digit(10));
    digits.try_fold(0u64, |number, digit| Some(number.wrapping_mul(10) + u64::from(digit?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_mapping() {
        let line =
            b"7f01-7f02 r-xp 00001000 fe:00 1234                       /usr/lib/a b.so (deleted)";
        let path = b"/usr/lib/a b.so (deleted)";
        let file = hash(b"fe:00") ^ 1234;
        let want =
            Mapping { start: 0x7f01, end: 0x7f02, executable: true, offset: 0x1000, file, path };
        assert_eq!(parse(line), Some(want));
        assert!(want.is_deleted() && want.plain_path() == b"/usr/lib/a b.so");
        assert_eq!(parse(b"7f01-7f02 rw-p 0 00:00 0 ").map(|m| m.path.len()), Some(0));
        assert_eq!(parse(b"nonsense"), None);
    }

    #[test]
    fn our_own_mappings_hold_our_own_code() {
        let here = parse as *const () as u64;
        let mut lines = Lines::open();
        let mut found = false;
        while let Some(mapping) = lines.next() {
            found |= mapping.executable && (mapping.start..mapping.end).contains(&here);
        }
        assert!(found);
    }
}
