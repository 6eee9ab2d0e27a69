//! A few random programs, always the same: every ending and most of what `tests/soak` can do. Longer and
//! with others: `cargo xtask soak`.

use std::collections::BTreeSet;

use anyhow::Result;
use ompttrace_tests::soak::{self, Plan};

/// Enough for every ending.
const SEEDS: std::ops::Range<u64> = 1..41;

#[test]
fn some_random_programs_are_recorded_exactly() -> Result<()> {
    let mut wrong = String::new();
    for seed in SEEDS {
        for runtime in soak::runtimes()? {
            let outcome = soak::run(seed, &runtime)?;
            if !outcome.said.is_empty() && !outcome.fails_alone {
                let kept = outcome.kept.unwrap_or_default();
                let (name, plan, said) = (&runtime.name, &outcome.plan, &outcome.said);
                wrong += &format!("seed {seed} on {name}: {plan}\n{said}{}\n", kept.display());
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    Ok(())
}

#[test]
fn the_seeds_have_every_ending() {
    let endings: BTreeSet<_> = SEEDS.map(|seed| Plan::new(seed).ending.name).collect();
    assert_eq!(endings.len(), 12, "{endings:?}");
}
