//! The begin of a recording: pool, clock, streams and recorder are put together.

use crate::blocks::state::State;
use crate::blocks::tls;
use crate::files::output::Output;
use crate::host::clock::{self, ClockSource};
use crate::host::primitives;
use crate::registry::pool::{Pool, PoolPlan};
use crate::registry::recorder::{self, Recorder};
use crate::streams::AllStreams;
use ompttrace_recording::settings::{CoresMode, CounterKind, Overflow, Sampling};
use std::io;
use std::path::PathBuf;

/// Errors of beginning a recording.
#[derive(Debug)]
pub enum ArmError {
    /// No location for the pool: each path that was tried and the system's error.
    Pool(Vec<(PathBuf, io::Error)>),
}

/// Settings of a recording.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The folders for the pool; the first one that works is used.
    pub pool_files: Vec<PathBuf>,
    /// The run folder's absolute path.
    pub run: PathBuf,
    /// Bytes of each of a thread's two slots: a multiple of [`crate::page_bytes`].
    pub slot_bytes: usize,
    /// The behaviour of a thread whose slots are both full.
    pub overflow: Overflow,
    /// The way in which it is recorded which threads have a core.
    pub cores: CoresMode,
    /// The counters of threads.
    pub counters: Vec<&'static CounterKind>,
    /// The rate at which threads are sampled.
    pub sampling: Option<Sampling>,
    /// Number of this recording in its run folder.
    pub session: u32,
    /// Take quanta's clock even where the processor's counter is sound.
    pub force_quanta: bool,
    /// [`State::Recording`] or [`State::Paused`].
    pub begin: State,
}

/// Begins to record into `output`; returns the pool's file and the clock.
pub fn arm(output: Output, plan: &Plan) -> Result<(PathBuf, ClockSource), ArmError> {
    let pool = create_pool(plan)?;
    let source = clock::choose(plan.force_quanta);
    let path = pool.path.clone();
    let streams = Box::new(AllStreams::new(plan.cores, plan.sampling, &plan.counters));
    primitives::know_threads(tls::os_thread);
    let recorder = Recorder::new((pool, output), plan.session, plan.overflow, streams);
    recorder::begin(recorder, plan.begin);
    Ok((path, source))
}

fn create_pool(plan: &Plan) -> Result<Pool, ArmError> {
    let Plan { slot_bytes, session, .. } = *plan;
    let of_pool = PoolPlan { run: &plan.run, slot_bytes, session };
    let mut tried = Vec::new();
    for file in &plan.pool_files {
        match Pool::create(file, &of_pool) {
            Ok(pool) => return Ok(pool),
            Err(error) => tried.push((file.clone(), error)),
        }
    }
    Err(ArmError::Pool(tried))
}
