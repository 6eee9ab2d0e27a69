//! Phases in a forked child and its parent, and in a program that has the tool in itself.

use super::{OBSERVED, after_solve, check, in_c, of_solve, program, seen};
use anyhow::{Result, ensure};
use ompttrace_recording::reader::read_facts;
use ompttrace_tests::product::Product;
use ompttrace_tests::traced::{self, By, RECORD_ONLY, Scratch, Traced};
use ompttrace_tests::{process, runtimes};

/// The child has the phases that it begins; those that were open when it was forked are its parent's.
#[test]
fn parent_and_child_of_a_fork_have_their_own() -> Result<()> {
    // On libgomp a child has no teams.
    for by in [By::Preload, By::Runtime] {
        let forked = program("forked.c", "-std=gnu99", "")?;
        let traced = traced::run(&forked, &runtimes::libomp_19()?, by, &[RECORD_ONLY])?;
        ensure!(traced.run.last_line() == "ok forked", "{:?}", traced.run);
        let (mut parents, mut children) = (Vec::new(), Vec::new());
        for run in traced.scratch.runs()? {
            let names: Vec<_> = seen(&run)?
                .into_iter()
                .map(|phase| (phase.name, phase.depth, phase.begin_mark, phase.end_mark))
                .collect();
            match read_facts(&run)?.process.fork_of {
                None => parents.push(names),
                Some(_) => children.push(names),
            }
        }
        let of = |name: &str, depth| (name.to_owned(), depth, OBSERVED, OBSERVED);
        let parent = vec![of("over the fork", 0), of("in both", 1), of("of the parent", 1)];
        ensure!(parents == [parent], "{by:?}: {parents:#?}");
        ensure!(children == [vec![of("of the child", 0)]], "{by:?}: {children:#?}");
    }
    Ok(())
}

#[test]
fn a_program_with_the_archive_linked_in_records_them() -> Result<()> {
    let archive = Product::find()?.archive;
    let mut linked = in_c("nested")?;
    linked.binary = "phases/linked".to_owned();
    let flags = &mut linked.directives.flags;
    flags.extend(["-Wl,-u,ompt_start_tool".to_owned(), archive.display().to_string()]);
    linked.inputs.push(archive);
    let scratch = Scratch::new()?;
    let mut command = linked.command(&runtimes::libomp_19()?)?;
    let (name, value) = RECORD_ONLY;
    command.env("OMPTTRACE_OUTPUT", scratch.path().join("run")).env(name, value);
    let run = process::run(&mut command, linked.directives.timeout)?;
    check(&Traced { run, scratch }, &[of_solve(), after_solve().to_vec()].concat())
}
