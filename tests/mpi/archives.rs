//! OTF2 archives of all ranks of a job, messages in parts of the world, and jobs whose ranks have different clocks.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use ompttrace_tests::otf2_judge::{self, Statistics};
use serde_json::Value;

use super::clocks::in_namespaces;
use super::jobs::{MESSAGES, Recorded, command_of, waits_in};
use super::judged::{IMPLEMENTATIONS, Mpi};

/// Ranks of parts.c, and the messages that all of them send.
const RANKS: usize = 4;
const IN_PARTS: u64 = 4 * (5 * 5 + 2);

/// Rounds of patterns.c, each with a wait; and an error of the comparison of clocks in which a message may run backwards.
const ROUNDS: f64 = 20.0;
const DISTURBED: f64 = 20_000.0;

/// Runs of which one has to agree with the program: the machine may take the core away between a reading of the clock and the call.
const TRIES: usize = 4;

/// The number of events of these kinds.
fn count(statistics: &Statistics, kinds: &[&str]) -> u64 {
    kinds.iter().filter_map(|kind| statistics.events.get(*kind)).sum()
}

/// Messages that are sent, and those that are received, in an archive.
fn messages(statistics: &Statistics) -> [u64; 2] {
    [["MpiSend", "MpiIsend"], ["MpiRecv", "MpiIrecv"]].map(|kinds| count(statistics, &kinds))
}

/// The judge finds both ends of each message, and each collective operation on all ranks of its communicator.
#[test]
fn messages_in_parts_of_the_world_are_matched() -> Result<()> {
    for mpi in IMPLEMENTATIONS {
        let recorded = Recorded::of_ranks(mpi, "parts.c", RANKS)?;
        let said = recorded.stdout.lines().filter_map(|line| line.trim().strip_prefix("sent: "));
        let said: u64 = said.filter_map(|count| count.parse::<u64>().ok()).sum();
        ensure!(said == IN_PARTS, "{mpi:?}: {}", recorded.stdout);
        ensure!(recorded.messages()? == (IN_PARTS, 0), "{mpi:?}: {:?}", recorded.messages()?);
        let export = recorded.json(&["export", "--format", "otf2", "--json"])?;
        ensure!(export["messages"]["matched"] == IN_PARTS, "{mpi:?}: {export}");
        let statistics = otf2_judge::check(&recorded.folder.join("trace-otf2"))?;
        ensure!(messages(&statistics) == [IN_PARTS; 2], "{mpi:?}: {:?}", statistics.events);
        // Two in each of five communicators, and a barrier between groups.
        let collective = count(&statistics, &["MpiCollectiveEnd"]);
        ensure!(collective == 4 * (5 * 2 + 1), "{mpi:?}: {collective}");
        let comms = statistics.comms.iter().filter(|comm| comm.members.len() > 1);
        let named = comms.map(|comm| (comm.name.as_str(), comm.members.len())).collect::<Vec<_>>();
        let of_size = |size| named.iter().filter(|(_, members)| *members == size).count();
        // The world, the intercommunicator and what it is merged to; four times two halves.
        ensure!((of_size(4), of_size(2)) == (3, 8), "{mpi:?}: {named:?}");
        ensure!(named.iter().filter(|(name, _)| *name == "row").count() == 2, "{named:?}");
        let distinct: BTreeSet<_> = named.iter().map(|(name, _)| name).collect();
        ensure!(distinct.len() == named.len() - 1, "{mpi:?}: {named:?}");
    }
    Ok(())
}

/// Contents of archives: how often each event, attribute, text of a parameter and region is there.
fn contents(of: &[Statistics]) -> BTreeMap<String, u64> {
    let mut all = BTreeMap::new();
    let mut add = |what: String, count: &u64| *all.entry(what).or_insert(0) += count;
    for statistics in of {
        statistics.events.iter().for_each(|(kind, count)| add(format!("event {kind}"), count));
        statistics.attributes.iter().for_each(|(name, count)| add(name.clone(), count));
        for parameter in statistics.parameters.values() {
            parameter.texts.iter().for_each(|(text, count)| add(format!("text {text}"), count));
        }
        for region in &statistics.regions {
            add(format!("{} {} {}", region.name, region.file, region.line), &region.enters);
        }
        let teams = statistics.comms.iter().filter(|comm| comm.paradigm == Some(OPENMP));
        add("teams".into(), &(teams.count() as u64));
    }
    all
}

/// OTF2's number of OpenMP.
const OPENMP: u8 = 3;

#[test]
fn an_archive_has_what_those_of_the_ranks_have() -> Result<()> {
    let recorded = Recorded::of_ranks(Mpi::Mpich, "hybrid.c", 2)?;
    let export = ["export", "--format", "otf2", "--view", "both"];
    let text = command_of(&export, &recorded.folder)?;
    ensure!(text.contains("trace-otf2-regions") && text.contains("2 processes"), "{text}");
    let runs = ["rank.0", "rank.1"].map(|rank| recorded.folder.join(rank));
    runs.iter().try_for_each(|run| command_of(&export, run).map(drop))?;
    for archive in ["trace-otf2", "trace-otf2-regions"] {
        let all = otf2_judge::check(&recorded.folder.join(archive))?;
        let ranks = runs.iter().map(|run| otf2_judge::check(&run.join(archive)));
        let ranks = contents(&ranks.collect::<Result<Vec<_>>>()?);
        let groups: BTreeSet<_> = all.locations.iter().map(|one| &one.group[..]).collect();
        ensure!(groups.len() == 2, "{archive}: {groups:?}");
        let all = contents(std::slice::from_ref(&all));
        ensure!(all == ranks && all["teams"] > 0, "{archive}: {all:?} instead of {ranks:?}");
    }
    Ok(())
}

#[test]
fn a_rank_that_is_missing_has_a_location() -> Result<()> {
    let recorded = Recorded::of_ranks(Mpi::Mpich, "judge.c", 2)?;
    fs::remove_dir_all(recorded.folder.join("rank.0"))?;
    command_of(&["export", "--format", "otf2"], &recorded.folder)?;
    let statistics = otf2_judge::check(&recorded.folder.join("trace-otf2"))?;
    let missing = statistics.locations.iter().find(|one| one.name.starts_with("rank 0, not in"));
    ensure!(missing.is_some_and(|one| one.events == 0), "{:?}", statistics.locations);
    ensure!(messages(&statistics) == [MESSAGES / 2; 2], "{:?}", statistics.events);
    // A trace of all ranks, and one of each rank, in one folder.
    let several = ["export", "--format", "otf2,chrome", "--json"];
    ensure!(command_of(&several, &recorded.folder).is_err(), "JSON of two kinds of traces");
    let later = ["export", "--format", "otf2", "--from", "600s"];
    ensure!(command_of(&later, &recorded.folder).is_err(), "an archive of nothing");
    Ok(())
}

/// A job in time namespaces.
struct Apart {
    /// Time of its waits, in nanoseconds: by the report, and by the program's readings.
    waits: (f64, f64),
    /// The error of the comparison of clocks, in nanoseconds.
    error: f64,
    /// Messages that the report finds to run backwards.
    backwards: u64,
    /// Faults of the archive.
    faults: Vec<String>,
}

impl Apart {
    fn new(folder: &Path) -> Result<Apart> {
        let output =
            in_namespaces(Mpi::Mpich, "patterns.c", folder)?.arg("late_sender").output()?;
        let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        ensure!(output.status.success(), "{stdout}{said}");
        let json = |command: &str| -> Result<Value> {
            Ok(serde_json::from_str(&command_of(&[command, "--json"], folder)?)?)
        };
        let (report, info) = (json("report")?, json("info")?);
        let clocks = &info["clocks"];
        ensure!(clocks["machines"] == 2 && clocks["aligned_by"] == "messages", "{clocks}");
        command_of(&["export", "--format", "otf2"], folder)?;
        let verdict = otf2_judge::judge(&folder.join("trace-otf2"))?;
        Ok(Apart {
            waits: waits_in(&report, &stdout, ("late_sender", "MPI_Recv"))?,
            error: clocks["error_ns"].as_f64().context("an error")?,
            backwards: report["messages"]["backwards"].as_u64().context("messages")?,
            faults: verdict.breaches.into_iter().map(|breach| breach.kind).collect(),
        })
    }

    /// True if its times are right: where ranks wait for cores while they compare clocks, as right as the comparison is.
    fn is_right(&self) -> bool {
        let (found, said) = self.waits;
        let is_close = (found - said).abs() <= said / 100.0 + ROUNDS * self.error;
        let is_in_order = self.backwards == 0 && self.faults.is_empty();
        let is_order_known = self.error < DISTURBED;
        let others = self.faults.iter().any(|kind| kind != "received-before-sent");
        said > 0.0 && is_close && !others && (is_in_order || !is_order_known)
    }
}

#[test]
fn ranks_with_clocks_a_thousand_seconds_apart_are_one_job() -> Result<()> {
    let mut tried = Vec::new();
    while tried.len() < TRIES {
        let folder = tempfile::tempdir()?;
        let apart = Apart::new(folder.path())?;
        if apart.is_right() {
            return Ok(());
        }
        tried.push((apart.waits, apart.error, apart.backwards, apart.faults));
    }
    bail!("{tried:?}")
}
