//! What a load runs under: nothing, a baseline tool in C, or ompttrace.

use std::path::Path;
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
    /// Ours, as a recording without an export.
    Ompttrace,
}

impl Contender {
    /// All of them.
    pub const ALL: [Contender; 5] =
        [Contender::None, Contender::Null, Contender::Tsc, Contender::Raw, Contender::Ompttrace];

    /// Its name in tables, and of its library in the folder of baselines.
    pub fn name(self) -> &'static str {
        match self {
            Contender::None => "none",
            Contender::Null => "null",
            Contender::Tsc => "tsc",
            Contender::Raw => "raw",
            Contender::Ompttrace => "ompttrace",
        }
    }

    /// Whether a run leaves something in the folder.
    pub fn writes(self) -> bool {
        matches!(self, Contender::Raw | Contender::Ompttrace)
    }

    /// Sets the tool up in the environment of a load; what it writes goes
    /// into the folder.
    pub fn equip(self, load: &mut Command, built: &Path, ours: &Path, folder: &Path) {
        match self {
            Contender::None => {
                load.env("OMP_TOOL", "disabled");
            }
            Contender::Null | Contender::Tsc | Contender::Raw => {
                load.env("OMP_TOOL_LIBRARIES", built.join(format!("{}.so", self.name())));
                load.env("BASELINE_OUTPUT", folder.join("raw.bin"));
            }
            Contender::Ompttrace => {
                load.env("OMP_TOOL_LIBRARIES", ours);
                load.env("OMPTTRACE_FORMAT", "recording");
                load.env("OMPTTRACE_QUIET", "1");
                load.env("OMPTTRACE_OUTPUT", folder.join("run"));
                // The one setting worth comparing: OMPTTRACE_BUFFER=64K cargo xtask bench …
                if let Some(size) = std::env::var_os("OMPTTRACE_BUFFER") {
                    load.env("OMPTTRACE_BUFFER", size);
                }
            }
        }
    }
}
