//! What `cargo xtask bench` was asked for.

use super::loads::{LOADS, Load};
use anyhow::{Context, Result, bail};
use std::path::PathBuf;

/// The arguments, read.
pub struct Options {
    pub rounds: usize,
    pub json: Option<PathBuf>,
    pub instructions: bool,
    pub direct: bool,
    pub loads: Vec<&'static Load>,
}

/// Odd, so that a median is a run that happened.
const ROUNDS: usize = 21;

/// Reads the arguments.
pub fn read(arguments: &[String]) -> Result<Options> {
    let mut options =
        Options { rounds: ROUNDS, json: None, instructions: false, direct: false, loads: vec![] };
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--rounds" => options.rounds = rounds(words.next())?,
            "--json" => options.json = Some(words.next().context("--json needs a file")?.into()),
            "--instructions" => options.instructions = true,
            "--direct" => options.direct = true,
            name => options.loads.extend(named(name)?),
        }
    }
    if options.loads.is_empty() && !options.direct {
        options.loads = LOADS.iter().collect();
    }
    Ok(options)
}

/// The rounds of the bench `name`, which takes nothing else.
pub fn only_rounds(name: &str, arguments: &[String], default: usize) -> Result<usize> {
    match arguments {
        [] => Ok(default),
        [word, number] if word == "--rounds" => rounds(Some(number)),
        [word] if word == "--rounds" => rounds(None),
        _ => bail!("bench {name} takes --rounds N and nothing else"),
    }
}

fn rounds(word: Option<&String>) -> Result<usize> {
    let number = word.and_then(|word| word.parse().ok()).filter(|&rounds| rounds > 0);
    number.context("--rounds needs a number above 0")
}

/// `task` names task with any number of threads, `task@1` that one.
fn named(name: &str) -> Result<Vec<&'static Load>> {
    let fits = |load: &&Load| load.program == name || load.name() == name;
    let loads: Vec<_> = LOADS.iter().filter(fits).collect();
    if loads.is_empty() {
        let all: Vec<_> = LOADS.iter().map(Load::name).collect();
        bail!("`{name}` is none of the loads: {}", all.join(", "));
    }
    Ok(loads)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from(line: &str) -> Result<Options> {
        read(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn loads_are_chosen_by_program_or_by_name() {
        assert_eq!(from("").expect("all").loads.len(), LOADS.len());
        assert_eq!(from("task@1 --rounds 3").expect("one").loads.len(), 1);
        assert!(from("task").expect("both").loads.len() > 1);
        assert!(from("--direct").expect("none").loads.is_empty());
    }

    #[test]
    fn benches_that_take_rounds_alone_say_so() {
        let from = |words: &[&str]| {
            only_rounds("it", &words.iter().map(|word| word.to_string()).collect::<Vec<_>>(), 11)
        };
        assert_eq!(from(&[]).expect("default"), 11);
        assert_eq!(from(&["--rounds", "3"]).expect("three"), 3);
        for bad in [&["--rounds"][..], &["--rounds", "0"], &["lock@1"], &["--rounds", "3", "x"]] {
            assert!(from(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn wrong_arguments_are_refused() {
        for bad in ["nonsense", "--rounds", "--rounds 0", "--rounds x", "--json"] {
            assert!(from(bad).is_err(), "{bad}");
        }
    }
}
