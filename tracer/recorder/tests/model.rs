//! The concurrent core under loom: the files of `src` that move records between threads, compiled
//! over a model checker's atomics and memory, in every order of steps with few preemptions.
//!
//! | here as shipped | here another |
//! |---|---|
//! | sync, block, room, state, ledger, recorder, inside, limits, losses, park, chunk, head, part, drain, overflow, slow, control | what they are built on: atomics and bytes of slots (loom's), clock, pool, files, thread-local pointer |
//!
//! loom and not shuttle, which takes every access for a sequentially consistent one and would not
//! see a wrong ordering. Not modelled: the size of stores into a word, forks, refusing file systems.
//!
//! A signal handler is another event of the same thread, after any of its loads and stores ([`handlers`]).
//!
//! Limits of the models: a sequentially consistent access stands here for a fence as well, so an
//! acquire right before such a load, or a release right after such a store, could be missing. Each model
//! is tried with the fences before and after such accesses; the lock has a model of its own. loom looks for
//! races with the last access of a word only, which is why words have owners (`touch_owned`).
#![allow(dead_code, unused_imports, missing_docs, reason = "half of the files are used by others")]

#[path = "model/around.rs"]
mod around;
#[path = "model/blocks.rs"]
mod blocks;
#[path = "model/commands.rs"]
mod commands;
#[path = "model/events.rs"]
mod events;
#[path = "model/files.rs"]
mod files;
#[path = "model/found.rs"]
mod found;
#[path = "model/full.rs"]
mod full;
#[path = "model/handlers.rs"]
mod handlers;
#[path = "model/host.rs"]
mod host;
#[path = "model/registry.rs"]
mod registry;
#[path = "model/scenes.rs"]
mod scenes;
#[path = "model/slots.rs"]
mod slots;
#[path = "model/tables.rs"]
mod tables;

use blocks::{block, record_slot, room, state, tls};
use commands::control;
use events::slow;
use files::output;
use host::{primitives, sync};
use primitives::Fences;
use registry::{losses, park, pool, recorder};
use std::sync::atomic::{AtomicU64, Ordering};

/// A model: its name, its number of preemptions, the positions of its fences, and the function that its threads run.
type Model = (&'static str, usize, &'static [Fences], fn());

/// Those of the full slots take long, and are not about the order of sequentially consistent accesses.
const MODELS: [Model; 20] = [
    ("a_lock_hands_over_what_its_holder_did", 3, BOTH, scenes::lock),
    ("a_reader_of_the_pool_sees_whole_records", 3, BOTH, scenes::reader),
    ("a_flush_finds_all_that_was_done_before", 2, BOTH, scenes::flush),
    ("a_flush_during_a_change_of_slots", 3, BOTH, scenes::flush_during),
    ("a_slot_that_is_flushed_is_begun_anew", 4, BOTH, scenes::flush_again),
    ("two_flushes", 1, BOTH, scenes::two_flushes),
    ("records_that_grow", 3, BOTH, scenes::growth),
    ("records_that_grew_and_were_flushed", 1, BOTH, scenes::growth_and_own_flush),
    ("a_kill_at_any_step", 2, BOTH, scenes::kill),
    ("an_exit_while_a_drain_is_under_way", 2, BOTH, scenes::exit),
    ("a_block_goes_to_another_thread", 2, BOTH, scenes::reuse),
    ("a_pause_closes_the_fast_path", 3, BOTH, scenes::pause),
    ("a_pause_during_a_first_event", 3, BOTH, scenes::pause_at_first),
    ("an_end_closes_the_fast_path", 2, BOTH, scenes::end),
    ("a_parked_thread_does_nothing_more", 3, BOTH, scenes::park),
    ("a_ring_keeps_the_newest", 2, &[Fences::Before], full::ring),
    ("a_kill_of_a_ring_at_any_step", 1, &[Fences::Before], full::ring_kill),
    ("a_flush_of_a_ring", 2, &[Fences::Before], full::ring_flush),
    ("a_flush_of_a_ring_that_may_not_wait", 1, &[Fences::Before], full::ring_out_of_time),
    ("a_disk_that_does_not_follow", 2, &[Fences::Before], full::dropping),
];

const BOTH: &[Fences] = &[Fences::Before, Fences::Behind];

fn main() {
    let wanted = std::env::args().nth(1).filter(|name| !name.starts_with('-'));
    for (name, preemptions, fences, scene) in MODELS {
        let is_wanted = wanted.as_ref().is_none_or(|wanted| name.contains(wanted.as_str()));
        for side in fences.iter().filter(|_| is_wanted) {
            primitives::put_fences(*side);
            check(&format!("{name}, fences {side:?}"), preemptions, scene);
        }
    }
    for (name, preemptions, scene) in handlers::MODELS {
        if wanted.as_ref().is_none_or(|wanted| name.contains(wanted.as_str())) {
            primitives::put_fences(Fences::Before);
            handlers::at_every_step(name, |name| check(name, preemptions, scene));
        }
    }
}

fn check(name: &str, preemptions: usize, scene: fn()) {
    let executions = std::sync::Arc::new(AtomicU64::new(0));
    let count = executions.clone();
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(preemptions);
    model.max_branches = 10_000;
    let began = std::time::Instant::now();
    println!("model {name} ...");
    model.check(move || {
        count.fetch_add(1, Ordering::Relaxed);
        scene();
    });
    let all = executions.load(Ordering::Relaxed);
    println!("model {name}: {all} executions, {:.1} s", began.elapsed().as_secs_f64());
}
