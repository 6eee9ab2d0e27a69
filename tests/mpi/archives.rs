//! OTF2 archives of all ranks of a job, messages in parts of the world, and jobs whose ranks have different clocks.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use ompttrace_tests::otf2_judge::{self, Statistics};
use serde_json::Value;

use super::clocks::in_namespaces;
use super::jobs::{MESSAGES, Recorded, command_of, waits_in};
use super::judged::{IMPLEMENTATIONS, Mpi};

/// Ranks of parts.c, and the messages that all of them send.
const RANKS: usize = 4;
const IN_PARTS: u64 = 4 * (5 * 5 + 2);

/// Runs with a clock that agree with the program's own readings: the machine may take the core away between a reading and the call.
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

#[test]
fn an_archive_has_the_threads_of_all_ranks() -> Result<()> {
    let recorded = Recorded::of_ranks(Mpi::Mpich, "hybrid.c", 2)?;
    let text = command_of(&["export", "--format", "otf2", "--view", "both"], &recorded.folder)?;
    ensure!(text.contains("trace-otf2") && text.contains("2 processes"), "{text}");
    for archive in ["trace-otf2", "trace-otf2-regions"] {
        let statistics = otf2_judge::check(&recorded.folder.join(archive))?;
        let groups: BTreeSet<_> = statistics.locations.iter().map(|one| &one.group[..]).collect();
        ensure!(groups.len() == 2, "{archive}: {groups:?}");
        // What the archives of the ranks have.
        let mut sums = Vec::new();
        for rank in 0..2 {
            let run = recorded.folder.join(format!("rank.{rank}"));
            if !run.join(archive).exists() {
                command_of(&["export", "--format", "otf2", "--view", "both"], &run)?;
            }
            sums.push(otf2_judge::check(&run.join(archive))?);
        }
        for (kind, events) in &statistics.events {
            let sum = sums.iter().map(|one| count(one, &[kind])).sum::<u64>();
            ensure!(*events == sum, "{archive}, {kind}: {events} instead of {sum}");
        }
        let [all, teams] = [&[&statistics][..], &sums.iter().collect::<Vec<_>>()[..]].map(|of| {
            let comms = of.iter().flat_map(|one| &one.comms);
            comms.filter(|comm| comm.paradigm == Some(OPENMP)).count()
        });
        ensure!(all == teams && all > 0, "{archive}: {all} teams instead of {teams}");
        let [all, of_ranks] =
            [&[&statistics][..], &sums.iter().collect::<Vec<_>>()[..]].map(|of| {
                let regions = of.iter().flat_map(|one| &one.regions);
                let entered = regions.filter(|region| region.enters > 0);
                entered.map(|region| (&region.name[..], region.line)).collect::<BTreeSet<_>>()
            });
        ensure!(all == of_ranks, "{archive}: other regions");
    }
    Ok(())
}

/// OTF2's number of OpenMP.
const OPENMP: u8 = 3;

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
    Ok(())
}

/// The report of a job in time namespaces, and the output of its program.
fn apart(folder: &Path) -> Result<(Value, String)> {
    let output = in_namespaces(Mpi::Mpich, "patterns.c", folder)?.arg("late_sender").output()?;
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    ensure!(output.status.success(), "{stdout}{}", String::from_utf8_lossy(&output.stderr));
    Ok((serde_json::from_str(&command_of(&["report", "--json"], folder)?)?, stdout))
}

/// Where ranks wait for cores a comparison of clocks has an error of milliseconds.
#[test]
fn ranks_with_clocks_a_thousand_seconds_apart_are_one_job() -> Result<()> {
    let mut tried = Vec::new();
    loop {
        ensure!(tried.len() < TRIES, "{tried:?}");
        let folder = tempfile::tempdir()?;
        let (report, stdout) = apart(folder.path())?;
        let (found, said) = waits_in(&report, &stdout, ("late_sender", "MPI_Recv"))?;
        let backwards = report["messages"]["backwards"].as_u64().context("messages")?;
        command_of(&["export", "--format", "otf2"], folder.path())?;
        let verdict = otf2_judge::judge(&folder.path().join("trace-otf2"))?;
        if backwards == 0
            && (found - said).abs() < said / 100.0
            && verdict.breaches.is_empty()
            && said > 0.0
        {
            return Ok(());
        }
        tried.push((found, said, backwards, verdict.report()));
    }
}
