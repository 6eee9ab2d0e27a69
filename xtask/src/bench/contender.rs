//! Tools that a load runs under: none, a baseline tool in C, or ompttrace.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A tool that a load runs under, in the order of the tables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Contender {
    /// No tool at all.
    None,
    /// Callbacks that return at once.
    Null,
    /// Callbacks that read the clock and store to memory, which nobody reads.
    Tsc,
    /// Callbacks that read the clock and store records, which are written to a file.
    Raw,
    /// Callbacks that call libotf2.
    Otf2,
    /// Our library, which makes a recording and no export.
    Ompttrace,
}

impl Contender {
    /// All contenders, in the order of the tables.
    pub const ALL: [Contender; 6] = [
        Contender::None,
        Contender::Null,
        Contender::Tsc,
        Contender::Raw,
        Contender::Otf2,
        Contender::Ompttrace,
    ];

    /// Name of the contender in tables, and of a baseline's library without `.so`.
    pub fn name(self) -> &'static str {
        match self {
            Contender::None => "none",
            Contender::Null => "null",
            Contender::Tsc => "tsc",
            Contender::Raw => "raw",
            Contender::Otf2 => "otf2",
            Contender::Ompttrace => "ompttrace",
        }
    }

    /// Returns true if a run under this contender writes files.
    pub fn writes(self) -> bool {
        matches!(self, Contender::Raw | Contender::Otf2 | Contender::Ompttrace)
    }

    /// Path of the contender's library; None for a run without a tool.
    pub fn library(self, built: &Path, ours: &Path) -> Option<PathBuf> {
        match self {
            Contender::None => None,
            Contender::Ompttrace => Some(ours.to_owned()),
            baseline => Some(built.join(format!("{}.so", baseline.name()))),
        }
    }

    /// Sets the tool up in the environment of a load, by its library.
    pub fn equip(self, load: &mut Command, library: Option<&Path>) {
        match library {
            Some(library) if stands_in_front(library) => load.env("LD_PRELOAD", library),
            Some(library) => load.env("OMP_TOOL_LIBRARIES", library),
            None => load.env("OMP_TOOL", "disabled"),
        };
    }
}

/// Returns true if the library is our library for libgomp, which must be preloaded because libgomp does not load tools.
pub fn stands_in_front(library: &Path) -> bool {
    library.ends_with("libompttrace_gomp.so")
}

/// Sets the environment variables of all tools, so that their files are written to the folder.
pub fn settings(load: &mut Command, folder: &Path) {
    load.env("BASELINE_OUTPUT", folder.join("raw.bin"));
    load.env("OMPTTRACE_FORMAT", "recording").env("OMPTTRACE_QUIET", "1");
    load.env("OMPTTRACE_OUTPUT", folder.join("run"));
    // The settings worth comparing: OMPTTRACE_BUFFER=64K cargo xtask bench …
    for name in ["OMPTTRACE_BUFFER", "OMPTTRACE_EVENTS", "OMPTTRACE_START"] {
        if let Some(value) = std::env::var_os(name) {
            load.env(name, value);
        }
    }
}
