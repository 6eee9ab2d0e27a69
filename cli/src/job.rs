//! The folder of an MPI job: a run folder for each rank, `rank.N`; and what commands make of it.

pub mod each;
pub mod export;
pub mod info;
pub mod report;

use crate::{run_folder, say};
use anyhow::{Result, bail};
use ompttrace_recording::facts::Facts;
use ompttrace_recording::reader::read_facts;
use std::collections::BTreeMap;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

/// The beginning of the names of ranks' run folders.
const RANK: &str = "rank.";
/// Ranks that are named when they are missing; of more only their number is said.
const MOST_NAMED: usize = 20;

/// Why one process does not take an option.
pub const CORRECT_CLOCKS: &str =
    "--correct-clocks is for the ranks of a job, whose clocks it compares: give the job's folder";

/// A job.
#[derive(Debug)]
pub struct Job {
    /// Its folder.
    pub path: PathBuf,
    /// Its ranks that have a recording, in their order.
    pub ranks: Vec<Rank>,
    /// The number of ranks that it had, as far as any recording says it.
    pub size: u32,
}

/// A rank with a recording.
#[derive(Debug)]
pub struct Rank {
    pub number: u32,
    /// Its run folder.
    pub path: PathBuf,
}

/// The rank whose run folder this is, by its name.
pub fn rank_of(run: &Path) -> Option<u32> {
    run.file_name().and_then(|name| name.to_str()).and_then(rank)
}

/// A number of the job of a rank's run folder, for its messages: that of the launcher's name of the job, which MPMD programs with a
/// folder each have in common, or else of the job's folder. 0 for a run folder that is in no job's.
pub fn number(run: &Path) -> u64 {
    let run = fs::canonicalize(run).unwrap_or_else(|_| run.to_owned());
    let is_rank = rank_of(&run).is_some();
    let Some(folder) = run.parent().filter(|_| is_rank) else { return 0 };
    let name = folder.file_name().and_then(|name| name.to_str());
    let name = name.and_then(|name| name.strip_suffix(".ompttrace"));
    let mut hasher = DefaultHasher::new();
    match name.and_then(|name| name.rsplit_once('.')) {
        Some((_, job)) => job.hash(&mut hasher),
        None => folder.hash(&mut hasher),
    }
    hasher.finish()
}

impl Job {
    /// The job whose folder this is; `None`: it is none.
    pub fn at(path: &Path) -> Result<Option<Job>> {
        if run_folder::is_run(path) {
            return Ok(None);
        }
        let mut found = BTreeMap::<u32, Vec<(PathBuf, Facts)>>::new();
        for entry in fs::read_dir(path).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let run = entry.path();
            let Some(rank) = name.to_str().and_then(rank) else { continue };
            if run_folder::is_run(&run) {
                // One that cannot be read is reported when it is opened.
                let facts = read_facts(&run).unwrap_or_default();
                found.entry(rank).or_default().push((run, facts));
            }
        }
        if found.is_empty() {
            return Ok(None);
        }
        let sizes = found.values().flatten().filter_map(|(_, facts)| facts.process.ranks);
        let last = found.keys().last().map_or(0, |last| last + 1);
        let size = sizes.max().unwrap_or(0).max(last);
        let ranks =
            found.into_iter().map(|(number, runs)| Ok(Rank { number, path: only(number, runs)? }));
        Ok(Some(Job { path: path.to_owned(), ranks: ranks.collect::<Result<_>>()?, size }))
    }

    /// The run folders of its ranks.
    pub fn runs(&self) -> Vec<PathBuf> {
        self.ranks.iter().map(|rank| rank.path.clone()).collect()
    }

    /// Ranks without a recording.
    pub fn missing(&self) -> Vec<u32> {
        let is_there =
            |rank: &u32| self.ranks.binary_search_by_key(rank, |rank| rank.number).is_ok();
        (0..self.size).filter(|rank| !is_there(rank)).collect()
    }

    /// A line on the ranks without a recording, if there are any.
    pub fn remark(&self) -> Option<String> {
        let missing = self.missing();
        let names: Vec<_> = missing.iter().take(MOST_NAMED).map(u32::to_string).collect();
        let more = match missing.len() - names.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let which = if missing.len() == 1 { "rank" } else { "ranks" };
        let (job, size) = (say::shown(&self.path), self.size);
        (!missing.is_empty())
            .then(|| format!("{job}: no recording of {which} {}{more} of {size}", names.join(", ")))
    }

    /// Says which ranks have no recording.
    pub fn remark_missing(&self) {
        self.remark().iter().for_each(|remark| say::remark(remark));
    }
}

/// Does one thing with a job, and another with what is none.
pub fn or_run(
    path: &Path,
    of_job: impl FnOnce(&Job) -> Result<()>,
    of_run: impl FnOnce() -> Result<()>,
) -> Result<()> {
    match Job::at(path)? {
        Some(job) => of_job(&job),
        None => of_run(),
    }
}

/// The rank in the name of a run folder, which has a number after it where the name was taken.
fn rank(name: &str) -> Option<u32> {
    let numbers = name.strip_prefix(RANK)?;
    let (rank, again) = numbers.split_once('.').unwrap_or((numbers, "1"));
    again.parse::<u64>().ok()?;
    rank.parse().ok()
}

/// The recording that is the rank's: a program that it starts has its variables, and records into a folder beside it.
fn only(rank: u32, mut runs: Vec<(PathBuf, Facts)>) -> Result<PathBuf> {
    if runs.len() > 1 && runs.iter().any(|(_, facts)| facts.has_mpi()) {
        runs.retain(|(_, facts)| facts.has_mpi());
    }
    runs.sort_by(|(one, _), (other, _)| one.cmp(other));
    match &runs[..] {
        [(path, _)] => Ok(path.clone()),
        [(one, _), (other, _), ..] => bail!(
            "{} and {} are both recordings of rank {rank}: move one of them elsewhere",
            say::shown(one),
            say::shown(other)
        ),
        [] => bail!("rank {rank} has no recording"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ompttrace_recording::FORMAT_VERSION;
    use serde_json::json;

    fn put(job: &Path, name: &str, ranks: Option<u32>, interface: &str) {
        fs::create_dir_all(job.join(name)).expect("a folder");
        let runtimes = [json!({ "interface": interface })];
        let process = json!({ "ranks": ranks });
        let (format, little_endian) = (FORMAT_VERSION, cfg!(target_endian = "little"));
        let facts = json!({
            "format": format, "little_endian": little_endian, "process": process, "runtimes": runtimes
        });
        fs::write(job.join(name).join("recording.json"), facts.to_string()).expect("written");
    }

    #[test]
    fn jobs_are_distinguished_by_their_names_and_else_by_their_folders() {
        let folder = tempfile::tempdir().expect("a folder");
        let number = |run: &str| {
            fs::create_dir_all(folder.path().join(run)).expect("a folder");
            number(&folder.path().join(run))
        };
        assert_eq!(number("a.7.ompttrace/rank.0"), number("b.7.ompttrace/rank.1"));
        assert_ne!(number("a.7.ompttrace/rank.0"), number("a.8.ompttrace/rank.0"));
        assert_eq!(number("mine/rank.0"), number("mine/rank.1"));
        assert_eq!(number("mine/rank.0"), number("mine/../mine/rank.0"));
        assert_ne!(number("mine/rank.0"), number("other/rank.0"));
        assert_eq!(number("mine/run"), 0);
    }

    #[test]
    fn ranks_are_found_and_missing_ones_are_named() {
        let folder = tempfile::tempdir().expect("a folder");
        assert!(Job::at(folder.path()).expect("nothing").is_none());
        for name in ["rank.10", "rank.2", "rank.x", "other.1"] {
            put(folder.path(), name, Some(12), "mpi");
        }
        fs::create_dir(folder.path().join("rank.3")).expect("a folder");
        let job = Job::at(folder.path()).expect("readable").expect("a job");
        let numbers: Vec<_> = job.ranks.iter().map(|rank| rank.number).collect();
        assert_eq!((numbers, job.size), (vec![2, 10], 12));
        assert_eq!(job.missing(), [0, 1, 3, 4, 5, 6, 7, 8, 9, 11]);
        assert!(job.remark().expect("some").ends_with("ranks 0, 1, 3, 4, 5, 6, 7, 8, 9, 11 of 12"));
        assert!(Job::at(&job.ranks[0].path).expect("a run").is_none());
    }

    #[test]
    fn of_several_recordings_of_a_rank_that_with_mpi_counts() {
        let folder = tempfile::tempdir().expect("a folder");
        put(folder.path(), "rank.0", None, "ompt");
        put(folder.path(), "rank.0.2", None, "mpi");
        let job = Job::at(folder.path()).expect("readable").expect("a job");
        assert!(job.ranks[0].path.ends_with("rank.0.2") && job.missing().is_empty());
        put(folder.path(), "rank.0.3", None, "mpi");
        let error = Job::at(folder.path()).expect_err("two of one rank");
        assert!(error.to_string().contains("both recordings of rank 0"), "{error:#}");
    }
}
