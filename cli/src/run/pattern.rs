//! The name of run folders with %e, %p, %h, %r in it: given to the library, and found again.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// An absolute name that the library has accepted.
#[derive(Debug)]
pub struct Pattern(OsString);

impl Pattern {
    /// The pattern, seen from the working folder: processes that work elsewhere put their run
    /// folders there as well.
    pub fn from_here(text: &OsStr) -> std::io::Result<Pattern> {
        if Path::new(text).is_absolute() {
            return Ok(Pattern(text.to_owned()));
        }
        let mut whole = Vec::new();
        for byte in std::env::current_dir()?.as_os_str().as_bytes() {
            whole.push(*byte);
            // A percent sign in the working folder's own name stands for itself.
            whole.extend((*byte == b'%').then_some(b'%'));
        }
        whole.push(b'/');
        whole.extend_from_slice(text.as_bytes());
        Ok(Pattern(OsString::from_vec(whole)))
    }

    /// The pattern as the library takes it.
    pub fn text(&self) -> &OsStr {
        &self.0
    }

    /// Every folder that has such a name, also with a number after it as a second one of the same
    /// name gets it.
    pub fn folders(&self) -> Vec<PathBuf> {
        let parts: Vec<_> = Path::new(&self.0).components().collect();
        let mut found = vec![PathBuf::new()];
        for (index, part) in parts.iter().enumerate() {
            let part = part.as_os_str().as_bytes();
            let last = index + 1 == parts.len();
            found = match (part.contains(&b'%') || last) && part != b"/" {
                true => found.iter().flat_map(|folder| entries(folder, part, last)).collect(),
                false => found.iter().map(|folder| folder.join(OsStr::from_bytes(part))).collect(),
            };
        }
        found
    }
}

/// The folders in `folder` whose names fit.
fn entries(folder: &Path, part: &[u8], last: bool) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let fits = |name: &OsStr| fits(part, name.as_bytes(), last);
    // The last one is a run folder itself: a link to one may be anybody's.
    let is_folder = |path: &Path| match last {
        true => path.symlink_metadata().is_ok_and(|found| found.is_dir()),
        false => path.is_dir(),
    };
    entries
        .filter(|entry| fits(&entry.file_name()) && is_folder(&entry.path()))
        .map(|entry| entry.path())
        .collect()
}

/// True if a name is the pattern with its parts filled in, or with `numbered` that followed by a number such as `.2`.
fn fits(pattern: &[u8], name: &[u8], numbered: bool) -> bool {
    match pattern {
        [] => name.is_empty() || (numbered && is_number(name)),
        [b'%', b'%', rest @ ..] => name
            .split_first()
            .is_some_and(|(byte, name)| *byte == b'%' && fits(rest, name, numbered)),
        [b'%', kind, rest @ ..] => (1..=name.len())
            .take_while(|end| {
                !matches!(kind, b'p' | b'r') || name[..*end].iter().all(u8::is_ascii_digit)
            })
            .any(|end| fits(rest, &name[end..], numbered)),
        [byte, rest @ ..] => name
            .split_first()
            .is_some_and(|(first, name)| first == byte && fits(rest, name, numbered)),
    }
}

fn is_number(text: &[u8]) -> bool {
    text.strip_prefix(b".").is_some_and(|n| !n.is_empty() && n.iter().all(u8::is_ascii_digit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn names_fit_as_the_library_makes_them() {
        for (pattern, name) in [
            ("%e.%p.ompttrace", "a.out.12.ompttrace"),
            ("%e.%p.ompttrace", "a.out.12.ompttrace.2"),
            ("run", "run"),
            ("run", "run.13"),
            ("100%%-%h", "100%-node"),
            ("%e.%r", "heat.12"),
        ] {
            assert!(fits(pattern.as_bytes(), name.as_bytes(), true), "{pattern} {name}");
        }
        for (pattern, name) in [
            ("%e.%p.ompttrace", "a.out.ompttrace"),
            ("%e.%p.ompttrace", "a.12.ompttrace.x"),
            ("run", "run2"),
            ("run.%p", "run.1x"),
            ("%p", ""),
            ("heat.%r", "heat.x"),
        ] {
            assert!(!fits(pattern.as_bytes(), name.as_bytes(), true), "{pattern} {name}");
        }
        assert!(!fits(b"run", b"run.13", false));
    }

    #[test]
    fn folders_are_found_in_folders_that_are_patterns_too() {
        let top = tempfile::tempdir().expect("a folder");
        for name in ["node/7", "node/7.2", "node/x", "other%/8"] {
            std::fs::create_dir_all(top.path().join(name)).expect("a folder");
        }
        let found = |text: &str| {
            let mut found = Pattern(top.path().join(text).into()).folders();
            found.sort();
            found
        };
        assert_eq!(found("%h/%p"), ["node/7", "node/7.2", "other%/8"].map(|n| top.path().join(n)));
        assert_eq!(found("other%%/%p"), [top.path().join("other%/8")]);
        assert_eq!(found("nothing/%p"), [""; 0].map(PathBuf::from));
        symlink("7", top.path().join("node/8")).expect("a link");
        assert_eq!(found("node/%p"), ["node/7", "node/7.2"].map(|n| top.path().join(n)));
    }
}
