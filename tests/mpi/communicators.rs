//! Communicators with their members and names, and requests that are cancelled or started again.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use ompttrace_tests::otf2_judge::{self, Statistics};
use ompttrace_tests::product::Product;
use serde_json::Value;

use super::judged::{IMPLEMENTATIONS, Mpi, Recorded};

const PROGRAM: &str = "communicators.c";

/// The archive of a rank.
fn archive(recorded: &Recorded, rank: usize) -> Result<Statistics> {
    let run = recorded.run(rank);
    Product::find()?.export_with(&run, &["--format", "otf2"])?;
    otf2_judge::check(&run.join("trace-otf2"))
}

#[test]
fn communicators_have_their_members_and_names() -> Result<()> {
    for mpi in IMPLEMENTATIONS {
        let folder = tempfile::tempdir()?;
        let recorded = Recorded::new(mpi, PROGRAM, &[], folder.path())?;
        for rank in 0..2 {
            let statistics = archive(&recorded, rank)?;
            let members: BTreeMap<_, _> =
                statistics.comms.iter().map(|comm| (&comm.name[..], &comm.members)).collect();
            let world = members.get(&format!("MPI_COMM_WORLD (rank {rank} of 2)")[..]);
            let reversed: Vec<_> = world.context("all ranks")?.iter().rev().copied().collect();
            let other = 1 - rank;
            let named = format!("ranks in the reverse order (rank {other} of 2)");
            // That of MPI_Comm_idup is the second of those that the program makes.
            let copy = format!("communicator 2 (rank {other} of 2)");
            for name in [named, copy] {
                ensure!(members.get(&name[..]) == Some(&&reversed), "{mpi:?}: {members:?}");
            }
            let between = "communicator 4 (rank 0 of 1, with 1 of another group)";
            ensure!(members.contains_key(between), "{mpi:?}: {members:?}");
            let unknown = members.keys().find(|name| name.contains("not recorded"));
            ensure!(unknown.is_none(), "{mpi:?}: {unknown:?}");
            let cancelled = statistics.events.get("MpiRequestCancelled").copied();
            ensure!(cancelled == Some(1), "{mpi:?}: {:?}", statistics.events);
        }
    }
    Ok(())
}

/// Nothing was received by the cancelled receive, also where its cancellation is not recorded; the persistent one has received.
#[test]
fn cancelled_requests_receive_nothing() -> Result<()> {
    for how in ["recorded", "paused"] {
        let folder = tempfile::tempdir()?;
        let recorded = Recorded::with(Mpi::Mpich, PROGRAM, how, folder.path())?;
        let run = recorded.run(1);
        Product::find()?.export_with(&run, &["--format", "chrome"])?;
        let trace: Value = serde_json::from_slice(&std::fs::read(run.join("trace.json"))?)?;
        let events = trace.as_array().or(trace["traceEvents"].as_array()).context("events")?;
        let received = events.iter().filter(|event| event["name"] == "received");
        let tags: Vec<_> = received.filter_map(|event| event["args"]["tag"].as_u64()).collect();
        ensure!(tags == [1, 2], "{how}: {tags:?}");
    }
    Ok(())
}
