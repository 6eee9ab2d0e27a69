//! Pattern of the run folder's name: %e program, %p process id, %h host, %r MPI rank, %% a percent sign.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

/// The values that replace the letters of a pattern.
#[derive(Clone, Debug)]
pub(crate) struct Parts {
    pub(crate) program: OsString,
    pub(crate) process: u32,
    pub(crate) host: OsString,
    pub(crate) rank: Option<u32>,
}

/// The name in which the letters of `pattern` are replaced. A process without a rank has rank 0, as MPI has it.
pub(crate) fn fill(pattern: &OsStr, parts: &Parts) -> PathBuf {
    let mut name = Vec::new();
    let mut rest = pattern.as_bytes().iter();
    while let Some(byte) = rest.next() {
        match (*byte == b'%').then(|| rest.next()).flatten() {
            None => name.push(*byte),
            Some(b'e') => name.extend_from_slice(parts.program.as_bytes()),
            Some(b'p') => name.extend_from_slice(parts.process.to_string().as_bytes()),
            Some(b'h') => name.extend_from_slice(parts.host.as_bytes()),
            Some(b'r') => {
                name.extend_from_slice(parts.rank.unwrap_or(0).to_string().as_bytes());
            }
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
        let mut parts =
            Parts { program: "heat".into(), process: 42, host: "node1".into(), rank: Some(7) };
        let name = fill("a/%h-%e.%p.%r.100%%".as_ref(), &parts);
        assert_eq!(name, PathBuf::from("a/node1-heat.42.7.100%"));
        parts.rank = None;
        assert_eq!(fill("%r".as_ref(), &parts), PathBuf::from("0"));
    }
}
