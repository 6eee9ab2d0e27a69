//! What a load runs under: nothing, a baseline tool in C, or ompttrace.

use std::path::{Path, PathBuf};
use std::process::Command;

/// In the order in which they are shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Contender {
    /// No tool at all.
    None,
    /// Callbacks that return at once.
    Null,
    /// Clock and store, forgotten.
    Tsc,
    /// Clock and store, written to a file.
    Raw,
    /// libotf2 called in the callback.
    Otf2,
    /// Ours, as a recording without an export.
    Ompttrace,
}

impl Contender {
    /// All of them.
    pub const ALL: [Contender; 6] = [
        Contender::None,
        Contender::Null,
        Contender::Tsc,
        Contender::Raw,
        Contender::Otf2,
        Contender::Ompttrace,
    ];

    /// Its name in tables, and of its library in the folder of baselines.
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

    /// Whether a run leaves something in the folder.
    pub fn writes(self) -> bool {
        matches!(self, Contender::Raw | Contender::Otf2 | Contender::Ompttrace)
    }

    /// Its library.
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

/// Whether a library of ours is the one for libgomp, which does not load tools.
pub fn stands_in_front(library: &Path) -> bool {
    library.ends_with("libompttrace_gomp.so")
}

/// The tools' environment variables, for all of them.
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
