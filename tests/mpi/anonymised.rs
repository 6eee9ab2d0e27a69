//! An anonymised copy of a job: texts are the same in all ranks, and the report says the same.

use anyhow::{Result, ensure};
use ompttrace_recording::reader::read_facts;

use super::jobs::{Recorded, command_of};
use super::judged::Mpi;
use crate::anonymised::{contents, copied, has, same_figures};

const COMMUNICATOR: &str = "ranks in the reverse order";

#[test]
fn a_jobs_copy_has_one_replacement_for_a_text_of_all_ranks() -> Result<()> {
    let recorded = Recorded::new(Mpi::Mpich, "communicators.c", &[])?;
    let [paths, all] = [("--anonymise", "paths"), ("--anonymise=all", "all")]
        .map(|(option, name)| copied(&recorded.folder, option, name));
    let (paths, all) = (paths?, all?);
    for copy in [&paths, &all] {
        for rank in 0..2 {
            let (before, after) =
                (recorded.folder.join(format!("rank.{rank}")), copy.join(format!("rank.{rank}")));
            let found = contents(&after)?;
            for text in ["communicators", "test-programs", "tests/mpi"] {
                ensure!(!has(&found, text), "{text} is in rank {rank} of {}", copy.display());
            }
            ensure!(has(&contents(&before)?, COMMUNICATOR), "the search does not find it");
            ensure!(
                has(&found, COMMUNICATOR) == (copy == &paths),
                "{}: {COMMUNICATOR}",
                copy.display()
            );
            let facts = read_facts(&after)?;
            ensure!(
                facts.process.host == "host-1" && facts.process.rank == Some(rank),
                "{:?}",
                facts.process
            );
            ensure!(facts.process.executable.ends_with("/program-1"), "{:?}", facts.process);
        }
        // A shorter name has fewer records, by which `info` estimates what recording cost.
        let commands: [&[&str]; 2] = [&["report", "--json"], &["info", "--json"]];
        for command in commands.into_iter().take(if copy == &paths { 2 } else { 1 }) {
            let value = |folder| {
                Ok::<_, anyhow::Error>(serde_json::from_str(&command_of(command, folder)?)?)
            };
            same_figures(&value(&recorded.folder)?, &value(copy)?, command[0])?;
        }
    }
    Ok(())
}
