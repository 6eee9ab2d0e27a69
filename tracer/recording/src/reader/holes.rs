//! The data of a file between its holes: a hole takes no room, may be of any length, and reads as 0.

use rustix::fs::{SeekFrom, seek};
use rustix::io::Errno;
use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::os::unix::fs::FileExt;

/// The first data at or after `from`, from its begin to its end; `None`: there is nothing but a hole up to `to`. On
/// file systems that do not report holes everything is data.
pub fn data(file: &File, from: u64, to: u64) -> Option<Range<u64>> {
    let begin = match seek(file, SeekFrom::Data(from)) {
        Ok(begin) => begin.max(from),
        Err(Errno::NXIO) => return None,
        Err(_) => return (from < to).then_some(from..to),
    };
    let end = seek(file, SeekFrom::Hole(begin)).map_or(to, |end| end.min(to));
    (begin < end).then_some(begin..end)
}

/// All data between two positions.
pub(super) fn all_data(file: &File, from: u64, to: u64) -> impl Iterator<Item = Range<u64>> + '_ {
    let mut at = from;
    std::iter::from_fn(move || {
        let found = data(file, at, to)?;
        at = found.end;
        Some(found)
    })
}

/// The bytes of a file from its begin, each hole as a single 0.
#[derive(Debug)]
pub struct Written {
    file: File,
    at: u64,
    /// Number of bytes of the data at `at` that were not read yet.
    left: u64,
}

impl Written {
    /// Reads a file that is read nowhere else.
    pub fn new(file: File) -> Written {
        Written { file, at: 0, left: 0 }
    }
}

impl Read for Written {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        if self.left == 0
            && let Some(found) = data(&self.file, self.at, self.file.metadata()?.len())
        {
            let (is_behind, first) = (found.start > self.at, to.first_mut());
            (self.at, self.left) = (found.start, found.end - found.start);
            if let (true, Some(first)) = (is_behind, first) {
                *first = 0;
                return Ok(1);
            }
        }
        let most = to.len().min(usize::try_from(self.left).unwrap_or(usize::MAX));
        let read = self.file.read_at(to.get_mut(..most).unwrap_or_default(), self.at)?;
        self.at += read as u64;
        // It may have become shorter.
        self.left = if read == 0 { 0 } else { self.left - read as u64 };
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_is_found_between_holes() {
        const MIB: u64 = 1 << 20;
        let file = tempfile::tempfile().expect("a file");
        file.set_len(MIB << 20).expect("a length");
        for at in [3 * MIB, 9 * MIB] {
            file.write_all_at(&[1; 100], at).expect("written");
        }
        let found: Vec<_> = all_data(&file, 0, MIB << 20).collect();
        let [one, two] = &found[..] else { panic!("{found:?}") };
        assert!(one.contains(&(3 * MIB)) && one.end < 9 * MIB, "{one:?}");
        assert!(two.contains(&(9 * MIB)) && two.end < 10 * MIB, "{two:?}");
        assert_eq!(data(&file, 10 * MIB, MIB << 20), None);
        assert_eq!(data(&file, 3 * MIB + 50, 3 * MIB + 60), Some(3 * MIB + 50..3 * MIB + 60));
        let mut bytes = Vec::new();
        Written::new(file).read_to_end(&mut bytes).expect("read");
        assert_eq!(bytes.iter().filter(|byte| **byte == 1).count(), 200);
        assert!(bytes.starts_with(&[0, 1, 1]) && (bytes.len() as u64) < MIB, "{}", bytes.len());
    }
}
