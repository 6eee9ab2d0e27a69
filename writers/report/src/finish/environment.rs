//! The program and its environment: where, when and how it ran.

use crate::model::Program;
use crate::sink::ReportSink;
use chrono::{DateTime, SecondsFormat};
use ompttrace_recording::facts::Facts;

pub(super) fn program(sink: &ReportSink) -> Program {
    let facts = &sink.facts;
    let process = &facts.process;
    let runtime = facts.last_runtime().map(|runtime| runtime.version.clone()).unwrap_or_default();
    let recorded = recorded(facts);
    let first = [
        ("host", process.host.clone()),
        ("recorded", recorded.clone()),
        ("command", command(&process.arguments)),
        ("runtime", runtime.clone()),
    ];
    let first = first.into_iter().filter(|(_, value)| !value.is_empty());
    let first = first.map(|(name, value)| (name.to_owned(), value));
    Program {
        executable: process.executable.clone(),
        arguments: process.arguments.clone(),
        pid: process.pid,
        fork_of: process.fork_of,
        host: process.host.clone(),
        cores: sink.usable_cores,
        used_cores: sink.core_use.used(),
        surroundings: facts.surroundings.clone(),
        recorded,
        environment: first.chain(ompttrace_model::surroundings(facts)).collect(),
        runtime,
    }
}

/// Date and time at which the recording began, in UTC; empty where it is not known.
fn recorded(facts: &Facts) -> String {
    match i64::try_from(facts.clock.realtime) {
        Ok(0) | Err(_) => String::new(),
        Ok(at) => DateTime::from_timestamp_nanos(at).to_rfc3339_opts(SecondsFormat::Secs, true),
    }
}

/// The command as it may be typed into a shell, with quotes around words that need them.
fn command(arguments: &[String]) -> String {
    let is_plain = |word: &str| {
        let plain = |letter: char| letter.is_alphanumeric() || "%+,-./:=@_".contains(letter);
        !word.is_empty() && word.chars().all(plain)
    };
    let quoted = |word: &String| match is_plain(word) {
        true => word.clone(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    };
    arguments.iter().map(quoted).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_one_for_a_shell() {
        let words = ["./heat", "-n", "100", "two words", "it's", ""].map(str::to_owned);
        assert_eq!(command(&words), "./heat -n 100 'two words' 'it'\\''s' ''");
    }

    #[test]
    fn the_date_is_that_of_the_recordings_begin() {
        let mut facts = Facts::default();
        assert_eq!(recorded(&facts), "");
        facts.clock.realtime = 1_795_000_000_123_456_789;
        assert_eq!(recorded(&facts), "2026-11-18T11:06:40Z");
    }
}
