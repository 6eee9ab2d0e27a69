//! The rounds of one load: every contender once a round, each round starting
//! with another one, so that drift of the machine meets all alike.

use super::bed::Bed;
use super::contender::Contender;
use super::figures::Times;
use super::loads::Load;
use anyhow::Result;

/// All that was measured on one load.
pub struct Measured {
    pub load: &'static Load,
    pub events: u64,
    /// By place in `Contender::ALL`.
    pub times: Vec<Times>,
    /// Bytes that the last run left.
    pub bytes: Vec<u64>,
    /// Instructions per event, where they were counted.
    pub instructions: Option<Vec<f64>>,
}

impl Measured {
    /// One contender's times.
    pub fn times(&self, contender: Contender) -> &Times {
        &self.times[contender as usize]
    }

    /// Instructions per event that one contender adds.
    pub fn instructions(&self, contender: Contender) -> Option<f64> {
        self.instructions.as_ref().map(|all| all[contender as usize])
    }

    /// Bytes per event that one contender left.
    pub fn bytes_per_event(&self, contender: Contender) -> f64 {
        self.bytes[contender as usize] as f64 / self.events.max(1) as f64
    }
}

/// Runs one load under every contender, so many rounds.
pub fn measure(bed: &Bed, load: &'static Load, rounds: usize) -> Result<Measured> {
    let all = Contender::ALL;
    let mut measured = Measured {
        load,
        events: bed.count(load, load.iterations)?,
        times: vec![Times::new(); all.len()],
        bytes: vec![0; all.len()],
        instructions: None,
    };
    for round in 0..rounds {
        for turn in 0..all.len() {
            let contender = all[(round + turn) % all.len()];
            let run = bed.run(load, contender)?;
            measured.times[contender as usize].push(run.ns as f64);
            measured.bytes[contender as usize] = run.bytes;
        }
    }
    Ok(measured)
}
