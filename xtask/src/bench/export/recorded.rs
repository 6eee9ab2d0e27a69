//! A recording to export: made by a load under ompttrace, removed when it was measured.

use crate::bench::contender::Contender;
use crate::bench::loads::Load;
use crate::shell;
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A run folder.
pub struct Recorded {
    pub load: Load,
    pub run: PathBuf,
    folder: PathBuf,
}

impl Recorded {
    /// Records a load in a folder on the disk of `TMPDIR`.
    pub fn new(load: &Load, built: &Path) -> Result<Recorded> {
        let name = format!("ompttrace-bench-export.{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let run = folder.join("run");
        let recorded = Recorded { load: Load { ..*load }, run, folder };
        let mut command = Command::new(built.join(recorded.load.program));
        command.arg(recorded.load.iterations.to_string());
        command.env("OMP_NUM_THREADS", recorded.load.threads.to_string());
        Contender::Ompttrace.equip(&mut command, built, &shell::tool_library()?, &recorded.folder);
        shell::output(&mut command)?;
        // The runtime is silent about a tool that it could not load.
        if !recorded.run.is_dir() {
            bail!("{} left no recording", recorded.load.name());
        }
        Ok(recorded)
    }
}

impl Drop for Recorded {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}
