//! The settings of a traced process, one row each. The library's parsing and its messages, the options of `ompttrace run`
//! with their help and man page, and the table in docs/settings.md are made of the rows.

#[macro_use]
mod choice;
mod counters;
mod cupti;
mod selection;
mod table;
#[cfg(test)]
mod tests;
mod values;

pub use choice::{Clock, CoresMode, Format, MpiMode, Overflow, SampleClock, View};
pub use counters::{COUNTERS, CounterKind, MOST_COUNTERS, Origin, Usage};
pub use cupti::Cupti;
pub use selection::{Family, Selection};
pub use table::{SETTINGS, Settings};
pub use values::{Buffer, MAX_DEPTH, Sampling, StartedBy, limit, measure, size};

use crate::excerpt::excerpt;
use std::ffi::OsStr;

/// The beginning of each variable's name.
pub const PREFIX: &str = "OMPTTRACE_";

/// One setting.
#[derive(Debug)]
pub struct Setting {
    /// `format` for OMPTTRACE_FORMAT and `--format`.
    pub name: &'static str,
    /// The option of `ompttrace run` for it.
    pub option: RunOption,
    /// Text that stands for the default.
    pub default: &'static str,
    /// Purpose, in one sentence; empty for a variable that no user sets.
    pub help: fn() -> String,
    /// Further sentences for the table in docs/settings.md.
    pub details: &'static str,
    /// Values that are allowed, in words.
    pub allowed: fn() -> String,
    /// Puts the value into its field; false: it is not allowed.
    put: fn(&mut Settings, &OsStr) -> bool,
}

/// The option of `ompttrace run` for a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunOption {
    /// The setting has no option with a value.
    None,
    /// The option has a value, which help texts name so.
    Takes(&'static str),
    /// The option's value may begin with a minus sign.
    TakesMinus(&'static str),
}

impl Setting {
    /// The setting of a variable; otherwise a message with all variables.
    pub fn of(variable: &OsStr) -> Result<&'static Setting, String> {
        SETTINGS.iter().find(|setting| variable == setting.variable().as_str()).ok_or_else(|| {
            let variables: Vec<_> = Setting::for_users().map(Setting::variable).collect();
            format!("{} is not a setting of ompttrace: {}", excerpt(variable), variables.join(", "))
        })
    }

    /// The settings that users make.
    pub fn for_users() -> impl Iterator<Item = &'static Setting> {
        SETTINGS.iter().filter(|setting| !(setting.help)().is_empty())
    }

    /// The name of the variable.
    pub fn variable(&self) -> String {
        format!("{PREFIX}{}", self.name.to_ascii_uppercase())
    }

    /// Takes a value, given by a variable or option that is shown so; otherwise a message with what is allowed.
    pub fn take(&self, to: &mut Settings, shown: &str, value: &OsStr) -> Result<(), String> {
        let refusal = || format!("{shown}{} is not allowed: {}", excerpt(value), (self.allowed)());
        (self.put)(to, value).then_some(()).ok_or_else(refusal)
    }
}

impl Settings {
    /// Takes a variable's value. An empty one is how a shell's script leaves a variable out.
    pub fn take_variable(&mut self, variable: &OsStr, value: &OsStr) -> Result<(), String> {
        if value.is_empty() || !variable.as_encoded_bytes().starts_with(PREFIX.as_bytes()) {
            return Ok(());
        }
        Setting::of(variable)?.take(self, &format!("{}=", excerpt(variable)), value)
    }
}
