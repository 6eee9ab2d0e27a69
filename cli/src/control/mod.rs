//! `ompttrace control`: commands to the recording of a program that runs.

mod program;

pub use program::{Outcome, Program, give, programs};

use crate::arguments::{ControlArguments, ControlCommand};
use crate::say;
use anyhow::{Result, bail};
use clap::ValueEnum;
use clap::builder::PossibleValue;
use ompttrace_recording::outside::{Answer, ENDED, PAUSED, RECORDING};
use serde_json::{Value, json};

/// The version of the schema: raised where a field changes its meaning or goes.
const SCHEMA: u32 = 1;

pub fn run(arguments: &ControlArguments) -> Result<()> {
    let programs = programs(&arguments.target)?;
    let outcomes = give(&programs, arguments.command, arguments.wait);
    let mut failures = Vec::new();
    let mut values = Vec::new();
    for (program, outcome) in programs.iter().zip(outcomes) {
        let said = match &outcome {
            Ok(outcome) => said(arguments.command, *outcome)
                .map_err(|line| format!("{}: {line}", program.name)),
            Err(error) => Err(format!("{error:#}")),
        };
        values.push(value(program, &outcome, &said));
        match said {
            Ok(line) if !arguments.json => say::out(&format!("{}: {line}", program.name))?,
            Ok(_) => {}
            Err(line) => failures.push(line),
        }
    }
    if arguments.json {
        let command = arguments.command.to_possible_value();
        let command = command.as_ref().map(PossibleValue::get_name);
        say::json(&json!({ "schema": SCHEMA, "command": command, "programs": values }))?;
    }
    match failures.split_last() {
        None => Ok(()),
        Some((last, others)) => {
            others.iter().for_each(|line| say::remark(line));
            bail!("{last}")
        }
    }
}

/// A program and what became of its command, as `--json` prints it.
fn value(
    program: &Program,
    outcome: &Result<Outcome>,
    said: &Result<&'static str, String>,
) -> Value {
    let mut value = program.value();
    let answer = match outcome {
        Ok(Outcome::Carried(carried)) => Some(carried.answer),
        _ => None,
    };
    value["done"] = said.is_ok().into();
    value["before"] = json!(answer.map(|answer| state(answer.before)));
    value["after"] = json!(answer.map(|answer| state(answer.after)));
    value["text"] = match said {
        Ok(line) => json!(line),
        Err(line) => json!(line),
    };
    value
}

/// The name of a recording's state.
fn state(state: u8) -> &'static str {
    match state {
        RECORDING => "recording",
        PAUSED => "paused",
        ENDED => "ended",
        _ => "none",
    }
}

/// The words about a command that was given; an error if it has no effect, or none yet.
pub fn said(command: ControlCommand, outcome: Outcome) -> Result<&'static str, String> {
    let carried = match outcome {
        Outcome::Carried(carried) => carried,
        Outcome::Pending(waited) => {
            let waited = crate::units::in_words(waited.as_nanos() as u64);
            return Err(format!(
                "no event of the program within {waited}: the command takes effect at the next one"
            ));
        }
        Outcome::UnderWay(waited) => {
            let waited = crate::units::in_words(waited.as_nanos() as u64);
            return Err(format!(
                "the program has taken the command, which was not done within {waited}"
            ));
        }
        Outcome::Over => return Err("the program ended before it took the command".to_owned()),
    };
    let Answer { before, after, .. } = carried.answer;
    Ok(match (command, before, after) {
        (_, ENDED, _) => return Err("the recording has ended already".to_owned()),
        (ControlCommand::Start, RECORDING, _) => "the recording was not paused",
        (ControlCommand::Start, _, RECORDING) => "the recording has started",
        (ControlCommand::Pause, PAUSED, _) => "the recording was paused already",
        (ControlCommand::Pause, _, PAUSED) => "the recording is paused",
        (ControlCommand::Flush, RECORDING | PAUSED, _) => "the files have all records up to now",
        (ControlCommand::End, _, ENDED) => "the recording has ended, the program runs on",
        _ => return Err("the program records nothing at this time".to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ompttrace_recording::outside::Carried;
    use std::time::Duration;

    #[test]
    fn each_answer_has_its_words() {
        let of = |command, before, after| {
            let answer = Answer { before, after, ..Answer::default() };
            said(command, Outcome::Carried(Carried { answer, ..Carried::default() }))
        };
        use ControlCommand::{End, Flush, Pause, Start};
        assert_eq!(of(Start, PAUSED, RECORDING), Ok("the recording has started"));
        assert_eq!(of(Start, RECORDING, RECORDING), Ok("the recording was not paused"));
        assert_eq!(of(Pause, RECORDING, PAUSED), Ok("the recording is paused"));
        assert_eq!(of(Pause, PAUSED, PAUSED), Ok("the recording was paused already"));
        assert_eq!(of(Flush, PAUSED, PAUSED), Ok("the files have all records up to now"));
        assert!(of(End, RECORDING, ENDED).is_ok_and(|line| line.contains("runs on")));
        for (before, after) in [(ENDED, ENDED), (0, 0)] {
            assert!(
                [Start, Pause, Flush, End].into_iter().all(|one| of(one, before, after).is_err())
            );
        }
        let pending = said(Start, Outcome::Pending(Duration::from_millis(2_500)));
        assert!(pending.is_err_and(|line| line.contains("within 2.5s")));
    }
}
