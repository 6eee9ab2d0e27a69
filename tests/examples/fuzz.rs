//! Mutates the kept event files for some time and reads what comes of it: `--seconds N` (10), `--seed N`
//! (1). An input that fails is put into tests/fuzz/corpus, where `cargo test` finds it again.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use ompttrace_tests::fuzz::{Bed, corpus, samples};

#[path = "../bad_input/seeded.rs"]
mod seeded;
use seeded::Seeded;

fn main() -> Result<()> {
    let (seconds, seed) = (option("--seconds", 10)?, option("--seed", 1)?);
    let beds = [Bed::new("v1")?, Bed::new("v2")?];
    let inputs = inputs()?;
    let mut random = Seeded::new(seed);
    let until = Instant::now() + Duration::from_secs(seconds);
    let mut tried = 0u64;
    while Instant::now() < until {
        let mut bytes = random.one_of(&inputs).clone();
        for _ in 0..=random.below(6) {
            let other = &inputs[random.below(inputs.len())];
            mutate(&mut bytes, other, &mut random);
        }
        let bed = random.one_of(&beds);
        if !matches!(catch_unwind(AssertUnwindSafe(|| bed.records(&bytes))), Ok(Ok(_))) {
            let path = corpus().join(format!("found-{seed}-{tried}"));
            fs::write(&path, &bytes)?;
            bail!("input {tried} of seed {seed} fails; kept as {}", path.display());
        }
        tried += 1;
    }
    println!("{tried} inputs of seed {seed} read in {seconds} s, none failed");
    Ok(())
}

fn option(name: &str, otherwise: u64) -> Result<u64> {
    let mut arguments = std::env::args().skip_while(|argument| argument != name);
    match (arguments.next(), arguments.next()) {
        (None, _) => Ok(otherwise),
        (_, value) => value.as_deref().unwrap_or("").parse().with_context(|| format!("{name} N")),
    }
}

/// The corpus and the samples' event files.
fn inputs() -> Result<Vec<Vec<u8>>> {
    let mut inputs =
        vec![fs::read(samples().join("v1/events.0"))?, fs::read(samples().join("v2/events.0"))?];
    for entry in fs::read_dir(corpus())? {
        inputs.push(fs::read(entry?.path())?);
    }
    Ok(inputs)
}

/// One change: a bit, a word, a cut, zeros, a piece of another input, a piece twice.
fn mutate(bytes: &mut Vec<u8>, other: &[u8], random: &mut Seeded) {
    let at = random.below(bytes.len());
    match random.below(6) {
        _ if bytes.is_empty() => bytes.extend_from_slice(other),
        0 => bytes[at] ^= 1 << random.below(8),
        1 => {
            let word = [0, 1, 8, u64::MAX, 1 << 63, random.next()][random.below(6)].to_ne_bytes();
            let place = at & !7;
            bytes.iter_mut().skip(place).zip(word).for_each(|(byte, new)| *byte = new);
        }
        2 => bytes.truncate(at),
        // What a write did not reach reads as 0; most often all behind a header.
        4 => {
            let from = if at.is_multiple_of(2) { 64 } else { at };
            bytes.iter_mut().skip(from).for_each(|byte| *byte = 0);
        }
        3 => {
            let from = random.below(other.len());
            let piece: Vec<u8> =
                other.iter().skip(from).take(random.below(8192)).copied().collect();
            bytes.splice(at..at, piece);
        }
        _ => {
            let piece = bytes[at..].to_vec();
            bytes.splice(at..at, piece);
        }
    }
    bytes.truncate(1 << 17);
}
