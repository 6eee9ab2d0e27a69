//! The settings of a traced process: OMPTTRACE_* variables, read once.
//!
//! Only this module reads the environment. A wrong value gives one line that names the
//! variable, the value and what is allowed; the program then runs untraced.

use crate::ranks::Ranks;
use ompttrace_recording::pool::DEFAULT_SLOT;
use ompttrace_recording::settings::{Overflow, Selection, Settings, StartedBy};
use std::ffi::OsString;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The settings of this process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Config {
    settings: Settings,
    /// Folder to which relative paths of run folders refer: the working folder at the start; empty if that has no
    /// path.
    pub(crate) base: PathBuf,
    /// Rank of the process in an MPI program; `None` outside of one.
    pub(crate) rank: Option<u32>,
    /// The number of processes of that program.
    pub(crate) ranks: Option<u32>,
}

static READ: OnceLock<Config> = OnceLock::new();

/// The settings; `None` before they were read.
pub(crate) fn known() -> Option<&'static Config> {
    READ.get()
}

/// Sets the settings; if two threads have read them, those of the first one are kept.
pub(crate) fn set(config: Config) {
    let _ = READ.set(config);
}

/// Default size of a slot of a flight recorder, which keeps nothing else, in bytes.
const RING_SLOT: usize = 256 << 10;

impl Deref for Config {
    type Target = Settings;

    fn deref(&self) -> &Settings {
        &self.settings
    }
}

impl Config {
    /// Size of each of a thread's two slots, in bytes.
    pub(crate) fn slot_bytes(&self) -> usize {
        self.buffer.bytes.unwrap_or(match self.overflow {
            Overflow::Ring => RING_SLOT,
            Overflow::Wait | Overflow::Drop => DEFAULT_SLOT,
        })
    }

    /// Callbacks to register, and the depth of their call stacks.
    pub(crate) fn selection(&self) -> Selection {
        Selection { stack_depth: self.callstack, ..self.events.clone() }
    }

    /// Identifier of the `ompttrace run` that started the process; empty if there is none.
    pub(crate) fn started_by(&self) -> &str {
        StartedBy::read(&self.run).map_or("", |run| run.word)
    }

    /// Reads the process's environment.
    pub(crate) fn from_environment() -> Result<Config, String> {
        Self::from_variables(std::env::vars_os())
    }

    fn from_variables(
        variables: impl Iterator<Item = (OsString, OsString)>,
    ) -> Result<Config, String> {
        let (mut config, mut ranks) = (Config::default(), Ranks::default());
        for (name, value) in variables {
            ranks.look(&name, &value);
            config.settings.take_variable(&name, &value)?;
        }
        match std::env::current_dir() {
            Ok(base) => config.base = base,
            Err(error) if Path::new(&config.output).is_relative() => {
                return Err(format!(
                    "the working folder has no path ({error}): OMPTTRACE_OUTPUT or --output must begin with /"
                ));
            }
            Err(_) => {}
        }
        (config.rank, config.ranks) = (ranks.rank(), ranks.size());
        Ok(config)
    }
}

/// The variable of the `ompttrace run` that the process was started under, whatever the other settings are.
pub(crate) fn variable_of_run() -> Option<String> {
    std::env::var("OMPTTRACE_RUN").ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, value: &str) -> Config {
        Config::from_variables([(name.into(), value.into())].into_iter()).expect("allowed")
    }

    #[test]
    fn values_of_several_settings_meet() {
        let slot = |value| read("OMPTTRACE_OVERFLOW", value).slot_bytes();
        assert_eq!(["wait", "drop", "ring"].map(slot), [DEFAULT_SLOT, DEFAULT_SLOT, RING_SLOT]);
        assert_eq!(read("OMPTTRACE_BUFFER", "64K@run").slot_bytes(), 65536);
        assert_eq!(read("OMPTTRACE_CALLSTACK", "regions:7").selection().stack_depth, 7);
        assert_eq!(read("OMPTTRACE_RUN", "1f-2c.3d").started_by(), "1f-2c");
        assert_eq!((read("OTHER", "x").started_by(), read("PMI_RANK", "3").rank), ("", Some(3)));
    }
}
