//! `cargo xtask bench`: what an event costs under ompttrace, beside tools in C that do as little as can be done;
//! and other subjects, by name. Options, rounds, tables and JSON are the same for all of them.

mod advice;
mod bed;
pub mod build;
mod busy;
mod collector;
pub mod contender;
mod cores;
pub mod direct;
mod drains;
mod export;
mod figures;
mod gomp;
mod jobs;
mod large;
pub mod loads;
mod matrix;
mod mpi;
mod ompi;
mod options;
pub mod reading;
mod report;
mod samples;
mod scale;
mod stacks;
mod tools;
mod whole;

use crate::packages::{self, Purpose};
use crate::{product, shell};
use anyhow::Result;
use loads::Load;
use options::Options;
use report::Report;

/// A subject of a bench.
pub struct Subject {
    /// Name in one or two words; a subject with an empty name is measured if the user names none.
    name: &'static str,
    /// Default number of rounds. It is odd, so that a median is a run that happened.
    rounds: usize,
    loads: &'static [Load],
    /// Words that the command line may have besides loads, `--rounds` and `--json`.
    words: &'static [&'static str],
    run: fn(&Options, &mut Report) -> Result<()>,
}

/// All subjects; the one without a name is the last.
static SUBJECTS: [Subject; 17] = [
    busy::SUBJECT,
    jobs::SUBJECT,
    advice::SUBJECT,
    collector::SUBJECT,
    cores::SUBJECT,
    drains::SUBJECT,
    reading::SUBJECT,
    export::SUBJECT,
    gomp::SUBJECT,
    large::SUBJECT,
    mpi::SUBJECT,
    ompi::SUBJECT,
    samples::SUBJECT,
    scale::SUBJECT,
    stacks::SUBJECT,
    whole::SUBJECT,
    tools::SUBJECT,
];

/// Subjects that do not time the command: that of a checkout does for them, which is built in a fraction of the time. Its libraries
/// are those of a release.
const MADE_FAST: [&str; 4] =
    [advice::SUBJECT.name, busy::SUBJECT.name, jobs::SUBJECT.name, mpi::SUBJECT.name];

/// The subject that the first words name, or the nameless one; and the words that are left.
fn subject(words: &[String]) -> (&'static Subject, &[String]) {
    let rest = |subject: &Subject| {
        let name: Vec<&str> = subject.name.split_whitespace().collect();
        let (first, rest) = words.split_at_checked(name.len())?;
        (first == name).then_some(rest)
    };
    // The nameless one fits all.
    let found = SUBJECTS.iter().find_map(|subject| Some((subject, rest(subject)?)));
    found.unwrap_or((&SUBJECTS[SUBJECTS.len() - 1], words))
}

/// The command.
pub fn run(arguments: &[String]) -> Result<()> {
    let (subject, rest) = subject(arguments);
    let options = options::read(subject, rest)?;
    packages::need(Purpose::Bench)?;
    match MADE_FAST.contains(&subject.name) {
        true => product::build().map(drop)?,
        false => shell::run(shell::cargo().args(["build", "--release"]))?,
    }
    report::busy().iter().for_each(|warning| eprintln!("{warning}"));
    let mut report = Report::default();
    (subject.run)(&options, &mut report)?;
    options.json.as_ref().map_or(Ok(()), |path| report.write(path, options.rounds))
}
