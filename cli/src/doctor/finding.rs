//! A finding: one line for the user, and how grave it is.

use crate::say;
use serde_json::{Value, json};

/// The gravity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Everything is as it should be.
    Good,
    /// Tracing works; the user may want to know.
    Note,
    /// Tracing does not work.
    Problem,
}

/// One line for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub level: Level,
    pub about: &'static str,
    pub text: String,
}

impl Finding {
    /// A finding about `about`.
    pub fn new(level: Level, about: &'static str, text: impl Into<String>) -> Finding {
        Finding { level, about, text: text.into() }
    }

    /// The finding as a line for people.
    pub fn line(&self) -> String {
        let level = match self.level {
            Level::Good => "ok",
            Level::Note => "note",
            Level::Problem => "PROBLEM",
        };
        format!("{level:<9}{:<9}{}", self.about, say::harmless(&self.text))
    }

    /// The finding in JSON.
    pub fn value(&self) -> Value {
        let level = match self.level {
            Level::Good => "ok",
            Level::Note => "note",
            Level::Problem => "problem",
        };
        json!({ "level": level, "about": self.about, "text": self.text })
    }
}
