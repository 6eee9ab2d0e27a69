//! The run folder's name: %e program, %p process id, %h host, %% a percent sign.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

/// Whether a pattern is one; else what is allowed.
pub(crate) fn check(pattern: &OsStr) -> Result<(), &'static str> {
    const ALLOWED: &str = "a path in which %e, %p, %h and %% may stand";
    let bytes = pattern.as_bytes();
    if bytes.is_empty() || bytes.len() > 3000 || bytes.contains(&b'\n') {
        return Err(ALLOWED);
    }
    let mut rest = bytes.iter();
    while let Some(byte) = rest.next() {
        if *byte == b'%' && !matches!(rest.next(), Some(b'e' | b'p' | b'h' | b'%')) {
            return Err(ALLOWED);
        }
    }
    Ok(())
}

/// The name with its parts put in.
pub(crate) fn fill(pattern: &OsStr, program: &OsStr, process: u32, host: &OsStr) -> PathBuf {
    let mut name = Vec::new();
    let mut rest = pattern.as_bytes().iter();
    while let Some(byte) = rest.next() {
        match (*byte == b'%').then(|| rest.next()).flatten() {
            None => name.push(*byte),
            Some(b'e') => name.extend_from_slice(program.as_bytes()),
            Some(b'p') => name.extend_from_slice(process.to_string().as_bytes()),
            Some(b'h') => name.extend_from_slice(host.as_bytes()),
            Some(other) => name.push(*other),
        }
    }
    PathBuf::from(OsString::from_vec(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_put_in() {
        let name = fill("a/%h-%e.%p.100%%".as_ref(), "heat".as_ref(), 42, "node1".as_ref());
        assert_eq!(name, PathBuf::from("a/node1-heat.42.100%"));
        assert!(check("%e.%p".as_ref()).is_ok());
        for wrong in ["", "%", "%x", "a\nb"] {
            assert!(check(wrong.as_ref()).is_err(), "{wrong:?}");
        }
    }
}
