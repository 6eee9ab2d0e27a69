//! A library to preload, with which a program can start no thread.

use std::path::PathBuf;

use anyhow::Result;

use crate::build;
use crate::oracle::compiled;

/// Builds the library if it is not current and returns its path.
pub fn library() -> Result<PathBuf> {
    let source = build::root().join("tests/otf2/no_threads.c");
    compiled(&[source], "otf2/libno_threads.so", &["-O1", "-fPIC", "-shared"])
}
