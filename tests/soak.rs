//! A few seeds of the soak, whose programs are small: random programs on two runtimes, each recorded to
//! the last event however it ends. `cargo xtask soak` continues from there.

use std::fmt::Write;

use anyhow::{Result, ensure};
use ompttrace_tests::extent;
use ompttrace_tests::soak::{self, Plan};

/// One of each ending at least; 21, 23 and 20020, whose tasks have no switches, are drawn in all formats. 246
/// gives commands before its runtime has started.
const SEEDS: &[u64] = &[1, 4, 6, 12, 13, 14, 15, 16, 17, 19, 20, 21, 23, 24, 246, 20020];

#[test]
fn random_programs_are_recorded_to_the_last_event() -> Result<()> {
    let (mut said, mut judged, mut drawn) = (String::new(), 0, 0);
    for (at, runtime) in soak::runtimes()?.iter().enumerate() {
        // CI has all seeds on the first runtime.
        for seed in extent::some(SEEDS, if at == 0 { 1 } else { 3 }) {
            let outcome = soak::run(Plan::new(*seed), runtime)?;
            if let Some(alone) = outcome.alone {
                println!("seed {seed} on {} {alone}", runtime.name);
            } else if !outcome.said.is_empty() {
                let (plan, kept) = (&outcome.plan, &outcome.kept);
                writeln!(said, "seed {seed} on {}, kept in {kept:?}: {plan}", runtime.name)?;
                said += &outcome.said;
            } else {
                judged += 1;
                drawn += usize::from(outcome.plan.is_drawn);
                ensure!(outcome.events > 0, "seed {seed}: nothing happened");
            }
        }
    }
    ensure!(said.is_empty(), "{said}");
    // A runtime may fail by itself now and then, not mostly.
    ensure!(judged > SEEDS.len() && drawn > 0, "{judged} runs judged, {drawn} drawn");
    Ok(())
}
