//! Executable mappings of the traced process: the recording's `modules` file.
//!
//! The tool writes it without allocating, so it is plain text: blocks, each opened by `@ <ticks>`, then one
//! line per executable mapping of a file that was there then,
//! `<start>-<end> <file offset> <build id or -> <path to the end of the line>`, or `- <start>-<end>` for one that is
//! no longer there, the numbers but ticks in hexadecimal. A mapping that is named again is still there.
//!
//! Two files may be mapped at one address, one after the other. Therefore each has unique addresses here: the first
//! file at an address has its original ones, others have addresses at which nothing was mapped, and [`AsOf`] maps a
//! code address to the one that represents it at a time.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fmt;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

use crate::history::{Change, History};

/// The linker's build id of a file; empty if it is unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BuildId(pub Vec<u8>);

impl BuildId {
    /// True if the file has a known build id.
    pub fn is_known(&self) -> bool {
        !self.0.is_empty()
    }

    fn parse(text: &[u8]) -> Option<Self> {
        if text == b"-" {
            return Some(Self::default());
        }
        let text = std::str::from_utf8(text).ok().filter(|t| t.is_ascii() && t.len() % 2 == 0)?;
        let byte = |at| u8::from_str_radix(text.get(at..at + 2)?, 16).ok();
        (0..text.len()).step_by(2).map(byte).collect::<Option<_>>().map(Self)
    }
}

impl fmt::Display for BuildId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.is_known() {
            return f.write_str("none");
        }
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// One mapping of an executable file in the traced process, as in /proc/self/maps.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Mapping {
    /// First address of the mapping.
    pub start: u64,
    /// First address after the mapping.
    pub end: u64,
    /// Offset of `start` in the file, in bytes.
    pub file_offset: u64,
    /// Build id found in memory; empty if it is unknown.
    pub build_id: BuildId,
    /// The kernel's path of the file; it may end in ` (deleted)` and need not be UTF-8.
    pub path: PathBuf,
}

impl Mapping {
    /// True if `addr` is in the mapping.
    pub fn covers(&self, addr: u64) -> bool {
        self.start <= addr && addr < self.end
    }

    /// Parses one line without its line feed.
    fn parse(line: &[u8]) -> Option<Self> {
        let mut fields = line.splitn(4, |&byte| byte == b' ');
        let (range, offset, build_id, path) =
            (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
        let dash = range.iter().position(|&byte| byte == b'-')?;
        let (start, end) = (hex(&range[..dash])?, hex(&range[dash + 1..])?);
        (start < end).then_some(Self {
            start,
            end,
            file_offset: hex(offset)?,
            build_id: BuildId::parse(build_id)?,
            path: unescape(path).into(),
        })
    }
}

/// All mappings that were ever seen, at unique addresses.
#[derive(Clone, Debug, Default)]
pub struct Modules {
    /// The mappings, each once, in the order of their newest sightings.
    mappings: Vec<Mapping>,
    changes: Vec<Change>,
    skipped: usize,
}

/// A line of the file.
enum Line {
    Mapped(Mapping),
    Unmapped { start: u64, end: u64 },
}

impl Modules {
    /// Reads a `modules` file. A killed program leaves a torn last line: lines that cannot be parsed are skipped and
    /// counted, and nothing is guessed.
    pub fn from_text(text: &[u8]) -> Self {
        let (mut skipped, mut ticks) = (0, 0);
        let mut lines = Vec::new();
        for line in text.split_inclusive(|&byte| byte == b'\n') {
            // Without its line feed a path may be cut short and name another file.
            match line.strip_suffix(b"\n") {
                Some(b"") => {}
                Some(line) if line.starts_with(b"@") => match time(line) {
                    Some(time) => ticks = time,
                    None => skipped += 1,
                },
                Some(line) => match Line::parse(line) {
                    Some(line) => lines.push((ticks, line)),
                    None => skipped += 1,
                },
                None => skipped += 1,
            }
        }
        // A departure is reported later than it was.
        lines.sort_by_key(|&(ticks, _)| ticks);
        let mut history = History::default();
        for (ticks, line) in lines {
            match line {
                Line::Mapped(mapping) => history.mapped(ticks, mapping),
                Line::Unmapped { start, end } => history.unmapped(ticks, start, end),
            }
        }
        let (mappings, changes) = history.finish();
        Self { mappings, changes, skipped }
    }

    /// Creates it from mappings that are already known, oldest first.
    pub fn from_mappings(mappings: impl IntoIterator<Item = Mapping>) -> Self {
        let newest: HashMap<Mapping, usize> =
            mappings.into_iter().enumerate().map(|(age, mapping)| (mapping, age)).collect();
        let mut ordered: Vec<_> = newest.into_iter().collect();
        ordered.sort_unstable_by_key(|&(_, age)| age);
        let mappings = ordered.into_iter().map(|(mapping, _)| mapping).collect();
        Self { mappings, ..Self::default() }
    }

    /// The newest mapping that covers `addr`, even if it is one of an older snapshot.
    pub fn lookup(&self, addr: u64) -> Option<&Mapping> {
        self.mappings.iter().rev().find(|mapping| mapping.covers(addr))
    }

    /// Changes of mappings in the order of time; empty if no address was used by two of them.
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// The executable mappings whose module may own the data address `addr`, likeliest
    /// first: a module's data follow its code, but a linker script may put them before.
    pub(crate) fn neighbours(&self, addr: u64) -> impl Iterator<Item = &Mapping> {
        let newest_first = || self.mappings.iter().rev();
        let below = newest_first().filter(|m| m.start <= addr).max_by_key(|m| m.start);
        let above = newest_first().filter(|m| m.start > addr).min_by_key(|m| m.start);
        below.into_iter().chain(above)
    }

    /// Every mapping, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &Mapping> {
        self.mappings.iter()
    }

    /// Number of lines that could not be read.
    pub fn skipped(&self) -> usize {
        self.skipped
    }
}

impl Line {
    fn parse(line: &[u8]) -> Option<Self> {
        let Some(range) = line.strip_prefix(b"- ") else {
            return Mapping::parse(line).map(Line::Mapped);
        };
        let dash = range.iter().position(|&byte| byte == b'-')?;
        let (start, end) = (hex(&range[..dash])?, hex(&range[dash + 1..])?);
        (start < end).then_some(Line::Unmapped { start, end })
    }
}

/// The ticks in a line `@ <ticks>`.
fn time(line: &[u8]) -> Option<u64> {
    std::str::from_utf8(line).ok()?.strip_prefix("@ ")?.parse().ok()
}

fn hex(text: &[u8]) -> Option<u64> {
    // from_str_radix would take a sign.
    let text = std::str::from_utf8(text).ok().filter(|t| !t.starts_with('+'))?;
    u64::from_str_radix(text, 16).ok()
}

/// The kernel writes a line feed inside a path as `\012` and escapes nothing else.
fn unescape(path: &[u8]) -> OsString {
    const ESCAPE: &[u8] = b"\\012";
    let mut plain = Vec::with_capacity(path.len());
    let mut rest = path;
    while let Some(&first) = rest.first() {
        match rest.strip_prefix(ESCAPE) {
            Some(behind) => {
                plain.push(b'\n');
                rest = behind;
            }
            None => {
                plain.push(first);
                rest = &rest[1..];
            }
        }
    }
    OsString::from_vec(plain)
}

const DELETED: &[u8] = b" (deleted)";

/// The path without the kernel's mark for a deleted file; `None` if it has no such mark.
pub(crate) fn without_deleted_mark(path: &std::path::Path) -> Option<PathBuf> {
    let plain = path.as_os_str().as_bytes().strip_suffix(DELETED)?;
    Some(PathBuf::from(OsString::from_vec(plain.to_vec())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::AsOf;

    const TEXT: &[u8] = b"@ 100\n\
        1000-2000 0 ab01 /bin/a b\n\
        5000-6000 1000 - /lib/old.so (deleted)\n\
        @ 200\n\
        1000-2000 0 ab01 /bin/a b\n\
        5800-7000 2000 - /lib/new\\012.so\n\
        torn 7000\n\
        8000-9000 0 - /lib/cut-sho";

    fn path(modules: &Modules, as_of: &AsOf, addr: u64) -> Option<String> {
        let mapping = modules.lookup(as_of.code(addr))?;
        Some(mapping.path.to_str().unwrap().to_owned())
    }

    #[test]
    fn the_mapping_of_the_time_wins_and_older_ones_fill_in() {
        let modules = Modules::from_text(TEXT);
        let mut as_of = AsOf::default();
        assert!(as_of.go_on(modules.changes(), 100));
        assert_eq!(path(&modules, &as_of, 0x5800).as_deref(), Some("/lib/old.so (deleted)"));
        assert!(as_of.go_on(modules.changes(), 200));
        assert_eq!(path(&modules, &as_of, 0x1fff).as_deref(), Some("/bin/a b"));
        assert_eq!(path(&modules, &as_of, 0x57ff).as_deref(), Some("/lib/old.so (deleted)"));
        assert_eq!(path(&modules, &as_of, 0x5800).as_deref(), Some("/lib/new\n.so"));
        assert_eq!(path(&modules, &as_of, 0x2000), None);
        assert_eq!(modules.iter().count(), 3);
    }

    #[test]
    fn torn_lines_are_counted_not_guessed() {
        let modules = Modules::from_text(TEXT);
        assert_eq!(modules.skipped(), 2);
        assert!(modules.lookup(0x8000).is_none());
    }

    #[test]
    fn a_library_that_comes_again_has_its_old_addresses() {
        let text = b"@ 10\n1000-2000 0 - /a\n9000-a000 0 - /c\n\
            ffffffffff600000-ffffffffff601000 0 - [vsyscall]\n@ 30\n1000-3000 0 - /b\n@ 20\n- 1000-2000\n\
            @ 50\n1000-2000 0 - /a\n@ 40\n- 1000-3000\n@ 60\n- 1000-2000\n";
        let modules = Modules::from_text(text);
        let mut as_of = AsOf::default();
        let mut at = |ticks| {
            let new = as_of.go_on(modules.changes(), ticks);
            (new, path(&modules, &as_of, 0x1800).unwrap())
        };
        assert_eq!(at(5), (true, "/a".into()), "it was there before it was first seen");
        assert_eq!(at(19), (false, "/a".into()));
        assert_eq!(at(20), (true, "/b".into()), "since the other one was gone");
        assert_eq!(at(39), (false, "/b".into()));
        assert_eq!(at(45), (true, "/a".into()));
        assert_eq!(at(100), (false, "/a".into()), "nothing came after it");
        assert_eq!(as_of.code(0x1800), 0x1800);
        assert_eq!(as_of.code(0x9800), 0x9800);
        assert_eq!(path(&modules, &as_of, 0x2800).as_deref(), Some("/b"), "nor after that");
        assert_eq!(modules.skipped(), 0);
    }

    #[test]
    fn a_file_that_lost_its_name_is_the_same() {
        let text = b"@ 1\n1000-2000 0 - /a\n@ 2\n1000-2000 0 - /a (deleted)\n";
        let modules = Modules::from_text(text);
        assert!(modules.changes().is_empty());
        assert_eq!(modules.lookup(0x1000).unwrap().path, PathBuf::from("/a (deleted)"));
    }

    #[test]
    fn build_ids_and_paths_keep_their_bytes() {
        let modules = Modules::from_text(b"1-2 0 00ff10 /\xff\xfe\n");
        let mapping = modules.lookup(1).unwrap();
        assert_eq!(mapping.build_id.to_string(), "00ff10");
        assert_eq!(mapping.path.as_os_str().as_bytes(), b"/\xff\xfe");
    }

    #[test]
    fn the_mark_of_a_deleted_file_comes_off() {
        assert_eq!(without_deleted_mark("/a (deleted)".as_ref()), Some("/a".into()));
        assert_eq!(without_deleted_mark("/a".as_ref()), None);
    }
}
