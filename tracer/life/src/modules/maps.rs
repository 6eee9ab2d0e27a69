//! Reading /proc/self/maps line by line from a buffer on the stack.

/// One line: a mapping of a file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Mapping<'a> {
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) executable: bool,
    /// Offset in the file.
    pub(crate) offset: u64,
    /// As the kernel writes it; empty for memory without a file.
    pub(crate) path: &'a [u8],
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

    /// The next mapping; lines that do not read as one are passed over.
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
    let path = fields.nth(2).unwrap_or(b"").trim_ascii_start();
    Some(Mapping { start, end, executable, offset, path })
}

fn hexadecimal(text: &[u8]) -> Option<u64> {
    let mut digits = text.iter().map(|byte| char::from(*byte).to_digit(16));
    digits.try_fold(0, |number, digit| Some(number << 4 | u64::from(digit?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_mapping() {
        let line =
            b"7f01-7f02 r-xp 00001000 fe:00 1234                       /usr/lib/a b.so (deleted)";
        let path = b"/usr/lib/a b.so (deleted)";
        let want = Mapping { start: 0x7f01, end: 0x7f02, executable: true, offset: 0x1000, path };
        assert_eq!(parse(line), Some(want));
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
