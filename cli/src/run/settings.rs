//! The settings of a run: options before variables, checked by the library before the program starts.

use super::pattern::Pattern;
use crate::arguments::{Format, RunArguments, View};
use crate::ask_tool::{Answer, ask};
use crate::{detail, random};
use clap::ValueEnum;
use std::ffi::{OsStr, OsString};
use std::path::Path;

const DEFAULT_FORMAT: &str = "perfetto";
const DEFAULT_OUTPUT: &str = "%e.%p.ompttrace";

/// Why a run cannot begin.
#[derive(Debug)]
pub enum Refusal {
    /// What the user asked for is not allowed.
    Usage(String),
    /// Something is missing.
    Failure(String),
}

/// The settings of a run.
#[derive(Debug)]
pub struct Settings {
    /// Formats to make; none: only the recordings stay.
    pub formats: Vec<Format>,
    pub view: Option<View>,
    /// Bytes that a trace for viewers may have.
    pub limit: Option<u64>,
    /// Whether words are wanted when nothing is wrong.
    pub quiet: bool,
    /// The run folders' names.
    pub output: Pattern,
    /// A word that no other run has: recordings say under which they were made.
    pub id: String,
    /// The name of the run's socket, which all users can see and which says nothing of the word.
    pub socket: String,
    /// Variables for the program.
    pub variables: Vec<(&'static str, OsString)>,
}

impl Settings {
    /// Takes the options and the environment, and has `library` check both.
    pub fn new(arguments: &RunArguments, library: &Path) -> Result<Settings, Refusal> {
        let options = options(arguments);
        refuse_empty(&options)?;
        check(&options, library)?;
        let value = |option, default| value(&options, option, default);
        let formats = formats(&value("--format", DEFAULT_FORMAT))?;
        let view = View::from_str(value("--view", "").to_string_lossy().trim(), false).ok();
        let limit = detail::parse_limit(&value("--limit", "").to_string_lossy()).ok();
        let quiet = arguments.quiet || is_on(std::env::var_os("OMPTTRACE_QUIET"));
        let output = Pattern::from_here(&value("--output", DEFAULT_OUTPUT))
            .map_err(|error| Refusal::Failure(format!("the working folder: {error}")))?;
        let mut variables: Vec<_> = options
            .into_iter()
            .filter_map(|(_, variable, value)| Some((variable, value?)))
            .filter(|(variable, _)| !["OMPTTRACE_FORMAT", "OMPTTRACE_OUTPUT"].contains(variable))
            .collect();
        // Traces are made here, when all is over; the library keeps to its recording.
        variables.push(("OMPTTRACE_FORMAT", "recording".into()));
        variables.push(("OMPTTRACE_QUIET", "1".into()));
        variables.push(("OMPTTRACE_OUTPUT", output.text().to_owned()));
        let word = || {
            random::word().map_err(|error| Refusal::Failure(format!("no random numbers: {error}")))
        };
        let (id, socket) = (word()?, word()?);
        variables.push(("OMPTTRACE_RUN", format!("{id}.{socket}").into()));
        Ok(Settings { formats, view, limit, quiet, output, id, socket, variables })
    }
}

/// An option, the variable that sets the same, and the option's value.
type OptionSetting = (&'static str, &'static str, Option<OsString>);

fn options(arguments: &RunArguments) -> [OptionSetting; 11] {
    [
        ("--format", "OMPTTRACE_FORMAT", arguments.format.clone()),
        ("--view", "OMPTTRACE_VIEW", arguments.view.clone()),
        ("--limit", "OMPTTRACE_LIMIT", arguments.limit.clone()),
        ("--output", "OMPTTRACE_OUTPUT", arguments.output.clone()),
        ("--events", "OMPTTRACE_EVENTS", arguments.events.clone()),
        ("--buffer", "OMPTTRACE_BUFFER", arguments.buffer.clone()),
        ("--overflow", "OMPTTRACE_OVERFLOW", arguments.overflow.clone()),
        ("--callstack", "OMPTTRACE_CALLSTACK", arguments.callstack.clone()),
        ("--cores", "OMPTTRACE_CORES", arguments.cores.clone()),
        ("--counters", "OMPTTRACE_COUNTERS", arguments.counters.clone()),
        ("--sample", "OMPTTRACE_SAMPLE", arguments.sample.clone()),
    ]
}

/// A variable may be empty, and counts as unset then; an option needs a value.
fn refuse_empty(options: &[OptionSetting]) -> Result<(), Refusal> {
    let empty =
        options.iter().find(|(.., value)| value.as_ref().is_some_and(|value| value.is_empty()));
    empty.map_or(Ok(()), |(option, ..)| {
        Err(Refusal::Usage(format!("{option} \"\" is not allowed: see `ompttrace run --help`")))
    })
}

fn check(options: &[OptionSetting], library: &Path) -> Result<(), Refusal> {
    let given: Vec<_> = options
        .iter()
        .filter_map(|(_, variable, value)| Some((*variable, value.clone()?)))
        .collect();
    match ask(library, &given) {
        Answer::Accepted => Ok(()),
        Answer::Refused(why) => Err(Refusal::Usage(in_options(options, &why))),
        Answer::Broken(why) => {
            Err(Refusal::Failure(format!("{} cannot be used: {why}", library.display())))
        }
    }
}

/// The library speaks of variables: where an option set it, the option is named.
fn in_options(options: &[OptionSetting], why: &str) -> String {
    let given = options.iter().filter(|(_, _, value)| value.is_some());
    for (option, variable, _) in given {
        if let Some(rest) = why.strip_prefix(&format!("{variable:?}=")) {
            return format!("{option} {rest}");
        }
    }
    why.to_owned()
}

/// The option's value, otherwise the variable's, otherwise the default.
fn value(options: &[OptionSetting], option: &str, default: &str) -> OsString {
    let found = options.iter().find(|(name, _, _)| *name == option);
    found
        .and_then(|(_, variable, value)| value.clone().or_else(|| std::env::var_os(variable)))
        .filter(|value| !value.is_empty())
        .unwrap_or_else(|| default.into())
}

/// Of a list that the library accepts.
fn formats(list: &OsStr) -> Result<Vec<Format>, Refusal> {
    let list = list.to_string_lossy();
    let mut formats = Vec::new();
    for name in list.split(',').map(str::trim) {
        match Format::from_str(name, false) {
            Ok(format) if !formats.contains(&format) => formats.push(format),
            _ => {}
        }
    }
    if let Some(why) = formats.iter().find_map(|format| format.not_built_in()) {
        return Err(Refusal::Usage(why.into()));
    }
    Ok(formats)
}

/// The library's words for yes.
fn is_on(value: Option<OsString>) -> bool {
    let value = value.unwrap_or_default();
    ["1", "on", "yes", "true"].contains(&value.to_string_lossy().trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_name_the_option_that_was_given() {
        let options = [("--buffer", "OMPTTRACE_BUFFER", Some("1G".into()))];
        let message = in_options(&options, "\"OMPTTRACE_BUFFER\"=\"1G\" is not allowed: x");
        assert_eq!(message, "--buffer \"1G\" is not allowed: x");
        let unset = [("--buffer", "OMPTTRACE_BUFFER", None)];
        let message = in_options(&unset, "\"OMPTTRACE_BUFFER\"=\"1G\" is not allowed: x");
        assert!(message.starts_with("\"OMPTTRACE_BUFFER\"="), "{message}");
    }

    #[test]
    fn recording_alone_makes_no_trace() {
        assert_eq!(formats("recording".as_ref()).expect("allowed"), []);
        let both = formats("chrome, recording,perfetto,chrome".as_ref()).expect("allowed");
        assert_eq!(both, [Format::Chrome, Format::Perfetto]);
    }
}
