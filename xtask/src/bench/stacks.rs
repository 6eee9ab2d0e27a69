//! `cargo xtask bench stacks`: what a call stack costs where a region or a task is made, by how deep the
//! calls are and whether the program keeps frame pointers.

use super::bed::Bed;
use super::contender::Contender;
use super::figures::{Times, median, min};
use super::loads::{Load, load};
use super::{build, options, report};
use crate::packages::{self, Purpose};
use crate::shell;
use anyhow::Result;

/// Regions or tasks of a run.
const CAPTURES: u64 = 20_000;
/// Of the two runs whose instructions are counted.
const COUNTED: [u64; 2] = [1_000, 3_000];
const KINDS: [&str; 3] = ["parallel", "nested", "task"];
const DEPTHS: [usize; 2] = [5, 30];
const FRAME_POINTERS: [(&str, &str); 2] =
    [("kept", "-fno-omit-frame-pointer"), ("none", "-fomit-frame-pointer")];

/// The command.
pub fn run(arguments: &[String]) -> Result<()> {
    let rounds = options::only_rounds("stacks", arguments, 21)?;
    packages::need(Purpose::Bench)?;
    shell::run(shell::cargo().args(["build", "--release"]))?;
    let built = build::build(std::iter::empty())?;
    report::busy().iter().for_each(|warning| eprintln!("{warning}"));
    println!(
        "One thread, OMPTTRACE_CALLSTACK=regions beside off: added time, minimum and median of the \
         rounds, and instructions, per stack.\n\n{:>9}{:>7}{:>16}{:>9}{:>9}{:>14}",
        "made", "calls", "frame pointers", "ns min", "median", "instructions"
    );
    for kind in KINDS {
        for depth in DEPTHS {
            for (kept, flag) in FRAME_POINTERS {
                let flags = [&format!("-DKIND_{kind}=1"), &format!("-DDEPTH={depth}"), flag];
                build::variant("stacks", &flags, &built.join("stacks"))?;
                let figures = measure(&mut Bed::new(built.clone())?, rounds)?;
                println!("{kind:>9}{depth:>7}{kept:>16}{figures}");
            }
        }
    }
    Ok(())
}

fn measure(bed: &mut Bed, rounds: usize) -> Result<String> {
    let timed = load("stacks", 1, CAPTURES);
    let (mut off, mut on) = (Times::new(), Times::new());
    for _ in 0..rounds {
        for (setting, times) in [("off", &mut off), ("regions", &mut on)] {
            bed.set("OMPTTRACE_CALLSTACK", setting);
            times.push(bed.run(&timed, Contender::Ompttrace)?.ns as f64);
        }
    }
    let per_stack = 1.0 / CAPTURES as f64;
    let added: Times = on.iter().zip(&off).map(|(on, off)| on - off).collect();
    let best = (min(&on) - min(&off)) * per_stack;
    let instructions = instructions(bed, &timed)?;
    Ok(format!("{best:>9.0}{:>9.0}{instructions:>14.0}", median(&added) * per_stack))
}

/// Instructions that one stack adds.
fn instructions(bed: &mut Bed, load: &Load) -> Result<f64> {
    let mut grown = |setting| -> Result<f64> {
        bed.set("OMPTTRACE_CALLSTACK", setting);
        let [few, many] = COUNTED.map(|count| bed.instructions(load, Contender::Ompttrace, count));
        Ok(many? as f64 - few? as f64)
    };
    let added = grown("regions")? - grown("off")?;
    // A load begins with a hundredth of its turns.
    let more = (COUNTED[1] - COUNTED[0]) as f64 * 1.01;
    Ok(added / more)
}
