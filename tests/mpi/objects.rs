//! Windows and files in OTF2 archives, of a job and of one rank, and their bytes in tables.

use std::collections::BTreeMap;

use anyhow::{Result, ensure};
use ompttrace_tests::otf2_judge::{self, Statistics};
use ompttrace_tests::tables::{Tables, export};

use super::jobs::{Recorded, command_of};
use super::judged::IMPLEMENTATIONS;

/// Numbers of the program, of all of these ranks: for each kind of access how many there were, and their bytes.
fn said(stdout: &str, ranks: &[usize]) -> BTreeMap<String, Vec<u64>> {
    let mut all: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for rank in ranks {
        let start = format!("rank {rank}: ");
        for line in stdout.lines().filter_map(|line| line.trim().strip_prefix(&start)) {
            let mut words = line.split_whitespace();
            let Some(kind) = words.next() else { continue };
            let numbers: Vec<u64> = words.filter_map(|word| word.parse().ok()).collect();
            let sums = all.entry(kind.to_owned()).or_insert_with(|| vec![0; numbers.len()]);
            sums.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += number);
        }
    }
    all
}

/// Numbers of an archive, in the same way.
fn found(statistics: &Statistics) -> BTreeMap<String, Vec<u64>> {
    let events = |kind: &str| statistics.events.get(kind).copied().unwrap_or(0);
    let moved = |kind: &str| statistics.moved.get(kind).copied().unwrap_or(0);
    [
        ("RmaPut", vec![events("RmaPut"), moved("RmaPut")]),
        ("RmaGet", vec![events("RmaGet"), moved("RmaGet")]),
        (
            "RmaAtomic",
            vec![events("RmaAtomic"), moved("RmaAtomic sent"), moved("RmaAtomic received")],
        ),
        (
            "IoOperation",
            vec![
                events("IoOperationBegin"),
                moved("IoOperationBegin"),
                moved("IoOperationComplete"),
            ],
        ),
    ]
    .into_iter()
    .map(|(kind, numbers)| (kind.to_owned(), numbers))
    .collect()
}

/// Rounds of accesses.c.
const ROUNDS: u64 = 20;

/// The number of events of each kind, for each rank.
const EVENTS: [(&str, u64); 13] = [
    ("RmaWinCreate", 3),
    ("RmaWinDestroy", 3),
    // Fences and the ends of windows.
    ("RmaCollectiveBegin", ROUNDS * 2 + 2 + 3),
    ("RmaCollectiveEnd", ROUNDS * 2 + 2 + 3),
    ("RmaAcquireLock", ROUNDS + 1),
    ("RmaReleaseLock", ROUNDS + 1),
    ("RmaSync", 1),
    ("RmaWaitChange", 1),
    ("IoCreateHandle", 3),
    ("IoDestroyHandle", 3),
    // Two that have requests, and one that two functions make.
    ("IoOperationIssued", 2 + 1),
    ("IoOperationTest", 0),
    ("IoOperationCancelled", 0),
];

fn check(statistics: &Statistics, stdout: &str, ranks: &[usize]) -> Result<()> {
    let (said, found) = (said(stdout, ranks), found(statistics));
    ensure!(said.len() == 4 && said == found, "{found:?} instead of {said:?}");
    let events = |kind: &str| statistics.events.get(kind).copied().unwrap_or(0);
    for (kind, count) in EVENTS {
        ensure!(events(kind) == count * ranks.len() as u64, "{kind}: {:?}", statistics.events);
    }
    let accesses = ["RmaPut", "RmaGet", "RmaAtomic"].map(events).iter().sum::<u64>();
    for end in ["RmaOpCompleteNonBlocking", "RmaOpCompleteRemote"] {
        ensure!(events(end) == accesses, "{end}: {:?}", statistics.events);
    }
    ensure!(events("IoOperationComplete") == events("IoOperationBegin"), "{:?}", statistics.events);
    Ok(())
}

#[test]
fn accesses_to_windows_and_files_are_in_archives_with_their_bytes() -> Result<()> {
    for mpi in IMPLEMENTATIONS {
        let recorded = Recorded::new(mpi, "accesses.c", &[])?;
        command_of(&["export", "--format", "otf2"], &recorded.folder)?;
        let all = otf2_judge::check(&recorded.folder.join("trace-otf2"))?;
        check(&all, &recorded.stdout, &[0, 1])?;
        // The file that both ranks open is one, as its handles are.
        ensure!(all.files.len() == 3, "{mpi:?}: {:?}", all.files);
        let of_one = recorded.folder.join("rank.1");
        command_of(&["export", "--format", "otf2"], &of_one)?;
        let one = otf2_judge::check(&of_one.join("trace-otf2"))?;
        check(&one, &recorded.stdout, &[1])?;
        ensure!(one.files == ["accesses.data", "accesses.1"], "{mpi:?}: {:?}", one.files);
    }
    Ok(())
}

#[test]
fn tables_have_the_bytes_of_accesses() -> Result<()> {
    let recorded = Recorded::new(IMPLEMENTATIONS[1], "accesses.c", &[])?;
    export(&recorded.folder, &[])?;
    let mut tables = Tables::open(recorded.folder.join("rank.*/trace-parquet"))?;
    // Without messages there are no tables of them, which the script that ships opens as well.
    let calls = "getvariable('datasets') || '/rank=*/mpi_calls.parquet'";
    tables.query(&format!("create view mpi_calls as select * from read_parquet({calls})"))?;
    let said = said(&recorded.stdout, &[0, 1]);
    let mut sum = |column: &str, names: &str| {
        tables.number(&format!(
            "select sum({column})::bigint from mpi_calls where regexp_matches(function, '^MPI_({names})$')"
        ))
    };
    let atomic = "Accumulate|Get_accumulate|Fetch_and_op|Compare_and_swap";
    for (column, names, kind, at) in [
        ("sent_bytes", "R?[Pp]ut", "RmaPut", 1),
        ("received_bytes", "R?[Gg]et", "RmaGet", 1),
        ("sent_bytes", atomic, "RmaAtomic", 1),
        ("received_bytes", atomic, "RmaAtomic", 2),
        ("sent_bytes + received_bytes", "File_.*", "IoOperation", 1),
    ] {
        let found = sum(column, names)?;
        ensure!(found as u64 == said[kind][at], "{names}: {found} instead of {said:?}");
    }
    Ok(())
}
