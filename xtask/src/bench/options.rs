//! Options of a bench, from the arguments of its command line; one parser for all subjects.

use super::Subject;
use super::loads::Load;
use anyhow::{Context, Result, bail};
use std::path::PathBuf;

/// The word of a subject that takes revisions.
pub const REVISIONS: &str = "REVISION...";

/// Options of a bench.
pub struct Options {
    pub rounds: usize,
    pub json: Option<PathBuf>,
    pub loads: Vec<Load>,
    /// Numbers of threads to compare.
    pub jobs: Vec<u64>,
    /// Revisions to compare.
    pub revisions: Vec<String>,
    /// Words of the command line that belong to the subject: its switches and names that are no loads.
    words: Vec<String>,
}

impl Options {
    /// Returns true if this word of the subject was given.
    pub fn has(&self, word: &str) -> bool {
        self.words.iter().any(|given| given == word)
    }
}

/// Reads the arguments of a bench. Loads are named by program or as `program@threads`; none means all, unless the
/// subject does something else when it gets a switch.
pub fn read(subject: &Subject, arguments: &[String]) -> Result<Options> {
    let mut options = Options {
        rounds: subject.rounds,
        json: None,
        loads: Vec::new(),
        jobs: Vec::new(),
        revisions: Vec::new(),
        words: Vec::new(),
    };
    let (mut turns, mut times) = (None, 1);
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--rounds" => options.rounds = number(word, words.next())? as usize,
            "--json" => options.json = Some(words.next().context("--json needs a file")?.into()),
            "--times" if subject.words.contains(&"--times") => times = number(word, words.next())?,
            "--jobs" if subject.words.contains(&"--jobs") => {
                let numbers = words.next().context("--jobs needs numbers: 1,2")?.split(',');
                let numbers = numbers.map(|text| number(word, Some(&text.to_owned())));
                options.jobs = numbers.collect::<Result<_>>()?;
            }
            "--turns" if subject.words.contains(&"--turns") => {
                turns = Some(number(word, words.next())?);
            }
            name if subject.words.contains(&name) => options.words.push(name.to_owned()),
            name => match named(subject, name) {
                Err(_) if is_revision(subject, name) => options.revisions.push(name.to_owned()),
                loads => options.loads.extend(loads?),
            },
        }
    }
    if options.loads.is_empty() && !options.has("--direct") {
        options.loads = subject.loads.to_vec();
    }
    if let Some(turns) = turns {
        options.loads.truncate(1);
        options.loads.iter_mut().for_each(|load| load.iterations = turns / load.threads as u64);
    }
    options.loads.iter_mut().filter(|load| !load.is_sized()).for_each(|l| l.iterations *= times);
    Ok(options)
}

fn number(option: &str, word: Option<&String>) -> Result<u64> {
    let number = word.and_then(|word| word.parse().ok()).filter(|&number| number > 0);
    number.with_context(|| format!("{option} needs a number above 0"))
}

/// True for a revision to compare with, of words that are neither options nor loads.
fn is_revision(subject: &Subject, name: &str) -> bool {
    subject.words.contains(&REVISIONS) && !name.starts_with('-')
}

/// `task` names task with any number of threads, `task@1` that one.
fn named(subject: &Subject, name: &str) -> Result<Vec<Load>> {
    let fits = |load: &&Load| load.program == name || load.name() == name;
    let loads: Vec<_> = subject.loads.iter().filter(fits).copied().collect();
    if loads.is_empty() {
        let all: Vec<_> = subject.loads.iter().map(Load::name).collect();
        let words = [&["--rounds N", "--json FILE"], subject.words].concat().join(", ");
        bail!("`{name}` is none of the options and loads: {words}, {}", all.join(", "));
    }
    Ok(loads)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::subject;

    fn from(line: &str) -> Result<Options> {
        let words: Vec<_> = line.split_whitespace().map(str::to_owned).collect();
        let (subject, rest) = subject(&words);
        read(subject, rest)
    }

    #[test]
    fn loads_are_chosen_by_program_or_by_name() {
        assert_eq!(from("").expect("all").loads.len(), crate::bench::loads::LOADS.len());
        assert_eq!(from("task@1 --rounds 3").expect("one").loads.len(), 1);
        assert!(from("task").expect("both").loads.len() > 1);
        assert!(from("--direct").expect("none").loads.is_empty());
        assert_eq!(from("gomp task").expect("both").loads.len(), 2);
    }

    #[test]
    fn formats_and_lengths_are_chosen() {
        let options = from("export lock@2 chrome --times 10 --rounds 2").expect("good");
        assert_eq!((options.loads.len(), options.rounds), (1, 2));
        assert!(options.has("chrome") && !options.has("otf2"));
        assert_eq!(options.loads[0].iterations, 17_000_000);
        assert_eq!(from("export --jobs 1,2").expect("good").jobs, [1, 2]);
        let options = from("scale --turns 1000").expect("good");
        assert_eq!(options.loads.iter().map(|load| load.iterations).collect::<Vec<_>>(), [500]);
    }

    #[test]
    fn what_is_no_load_may_be_a_revision() {
        let options = from("export --instructions main lock v0.1").expect("good");
        assert_eq!(options.revisions, ["main", "v0.1"]);
        assert_eq!(options.loads.len(), 1);
    }

    #[test]
    fn wrong_arguments_are_refused() {
        for bad in [
            "nonsense",
            "--rounds",
            "--rounds 0",
            "--rounds x",
            "--json",
            "--turns 3",
            "gomp --direct",
            "export --times x",
            "export --jobs 1,",
            "scale --jobs 1",
            "stacks lock@1",
            "export main",
            "export --instructions --main",
        ] {
            assert!(from(bad).is_err(), "{bad}");
        }
    }
}
