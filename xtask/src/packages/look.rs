//! Looking for a package by what it brings rather than by asking dpkg, so
//! that a tool that came another way (a newer node, say) counts as well.

use std::env;
use std::path::Path;

/// A file or program that shows that a package is installed.
pub enum Sign {
    /// A program on the PATH.
    Program(&'static str),
    /// A file at a fixed path.
    File(&'static str),
}

impl Sign {
    /// Returns true if the file or program exists.
    pub fn present(&self) -> bool {
        match self {
            Sign::Program(name) => on_path(name),
            Sign::File(path) => Path::new(path).exists(),
        }
    }

    /// The program's name or the file's path, for messages.
    pub fn name(&self) -> &'static str {
        match self {
            Sign::Program(name) | Sign::File(name) => name,
        }
    }
}

/// Returns true if a folder of the PATH has a file of this name.
pub fn on_path(name: &str) -> bool {
    let Some(path) = env::var_os("PATH") else { return false };
    env::split_paths(&path).any(|folder| folder.join(name).is_file())
}

#[cfg(test)]
mod tests {
    use super::Sign;

    #[test]
    fn finds_what_is_there_and_misses_what_is_not() {
        assert!(Sign::Program("sh").present());
        assert!(!Sign::Program("no-such-program-of-ours").present());
        assert!(Sign::File("/proc/self/exe").present());
        assert!(!Sign::File("/no/such/file").present());
    }
}
