//! What `cargo xtask bench export` was asked for.

use super::{CASES, Case};
use crate::bench::loads::{Load, load};
use anyhow::{Context, Result, bail};
use std::path::PathBuf;

/// Programs whose recordings are exported: each some ten million events or more.
pub const LOADS: &[Load] = &[
    load("lock", 2, 1_700_000),
    load("critical", 2, 1_700_000),
    load("for", 2, 800_000),
    load("task", 2, 3_400_000),
    load("fib", 2, 90),
    load("nqueens", 2, 11),
];

/// Its argument is a size: it is never made longer.
const SIZED: &str = "nqueens";

/// A median of few rounds: each takes a second or more.
const ROUNDS: usize = 5;

/// The arguments, read.
pub struct Options {
    pub rounds: usize,
    pub json: Option<PathBuf>,
    pub loads: Vec<Load>,
    formats: Vec<String>,
}

impl Options {
    /// Whether a case was asked for.
    pub fn wants(&self, case: &Case) -> bool {
        self.formats.is_empty() || self.formats.iter().any(|format| format == case.format)
    }
}

/// Reads the arguments. `--times 10` makes each recording so many times as long.
pub fn read(arguments: &[String]) -> Result<Options> {
    let mut options = Options { rounds: ROUNDS, json: None, loads: vec![], formats: vec![] };
    let (mut programs, mut times) = (Vec::new(), 1);
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--rounds" => options.rounds = number(word, words.next())?,
            "--times" => times = number(word, words.next())?,
            "--json" => options.json = Some(words.next().context("--json needs a file")?.into()),
            name if CASES.iter().any(|case| case.format == name) => {
                options.formats.push(name.into())
            }
            name => programs.push(name.to_owned()),
        }
    }
    for program in &programs {
        if !LOADS.iter().any(|load| load.program == program) {
            bail!("`{program}` is none of the loads or formats: {}", known());
        }
    }
    let wanted = |load: &&Load| programs.is_empty() || programs.iter().any(|p| p == load.program);
    let longer = |load: &Load| {
        let times = if load.program == SIZED { 1 } else { times as u64 };
        Load { iterations: load.iterations * times, ..*load }
    };
    options.loads = LOADS.iter().filter(wanted).map(longer).collect();
    Ok(options)
}

fn number(option: &str, word: Option<&String>) -> Result<usize> {
    let number = word.and_then(|word| word.parse().ok()).filter(|&number| number > 0);
    number.with_context(|| format!("{option} needs a number above 0"))
}

fn known() -> String {
    let mut names: Vec<_> = LOADS.iter().map(|load| load.program).collect();
    names.extend(CASES.iter().map(|case| case.format));
    names.dedup();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from(line: &str) -> Result<Options> {
        read(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn loads_formats_and_lengths_are_chosen() {
        let options = from("lock chrome --times 10 --rounds 2").expect("good");
        assert_eq!((options.loads.len(), options.rounds), (1, 2));
        assert_eq!(options.loads[0].iterations, 17_000_000);
        assert_eq!(CASES.iter().filter(|case| options.wants(case)).count(), 2);
        assert_eq!(from("").expect("all").loads.len(), LOADS.len());
    }

    #[test]
    fn wrong_arguments_are_refused() {
        for bad in ["nonsense", "--rounds", "--rounds 0", "--times x", "--json"] {
            assert!(from(bad).is_err(), "{bad}");
        }
    }
}
