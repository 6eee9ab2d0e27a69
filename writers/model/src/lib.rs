//! The timeline as data: definitions, which are owned once and referred to by numbers; events, which are values; and the
//! trait of their writers. Names and categories that all formats share are here as well.
//!
//! Absent are the derivation of events (`ompttrace-timeline`) and every output format.
//!
//! A writer implements [`Sink`]. This one adds up the time in which threads work:
//!
//! ```
//! use ompttrace_model::{Definitions, Event, RunInfo, Sink, State, Summary};
//! use std::collections::HashMap;
//!
//! /// Nanoseconds of work of all threads.
//! #[derive(Default)]
//! struct Work {
//!     since: HashMap<u32, u64>,
//!     sum: u64,
//! }
//!
//! impl Sink for Work {
//!     type Output = u64;
//!     type Error = std::convert::Infallible;
//!
//!     fn start(&mut self, _: &RunInfo<'_>) {}
//!
//!     fn event(&mut self, _: &Definitions, at: u64, event: &Event<'_>) {
//!         let Event::State(thread, state) = *event else { return };
//!         if let Some(since) = self.since.remove(&thread) {
//!             self.sum += at.saturating_sub(since);
//!         }
//!         if state.is_some_and(State::is_work) {
//!             self.since.insert(thread, at);
//!         }
//!     }
//!
//!     fn finish(self, _: &Definitions, _: &Summary) -> Result<u64, Self::Error> {
//!         Ok(self.sum)
//!     }
//! }
//! ```
//!
//! `ompttrace_timeline::run(&recording, Work::default())` returns the sum.
#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod annotation;
mod any_sink;
mod blocks;
mod border;
mod category;
mod chunks;
mod collective;
mod context;
mod core;
mod definitions;
mod event;
mod hash;
mod host_operations;
mod item;
mod join;
mod kinds;
mod labels;
mod mpi;
mod objects;
pub mod ompt;
mod on_device;
mod phase_kind;
mod pool;
mod pseudo;
mod sample;
mod sink;
mod state;
mod summary;
mod surroundings;
mod takes;
mod view;
mod windows;

pub use annotation::{Arg, ArgKey, ArgValue};
pub use any_sink::{AnyOutput, AnySink, Kept};
pub use blocks::Blocks;
pub use border::{AtBorder, Border};
pub use category::Category;
pub use chunks::Chunks;
pub use collective::{Shape, collective_operation};
pub use context::{ContextFrame, ContextRef, FrameKind};
pub use core::{Core, CoreSums};
pub use definitions::{
    Definitions, DeviceStream, Lock, LockRef, LogicalThread, LogicalThreadRef, NameRef, RunInfo,
    SourceLocation, SourceRef, ThreadInfo, ThreadRef,
};
pub use event::{
    Counter, Event, Executor, Instant, LockEvent, Mark, RegionTrack, Slice, TeamThread,
};
pub use hash::{FastMap, Fold, mix};
pub use host_operations::HostOperations;
pub use item::{Item, Variable};
pub use join::Join;
pub use kinds::{InstantKind, SliceKind};
pub use labels::{
    base_name, end_in_words, harmless, process_labels, process_name, thread_name,
    threads_left_behind,
};
pub use mpi::{Collective, Communicator, CommunicatorRef, MESSAGE_FLOW, Message, MpiEvent};
pub use objects::{Access, Moves, MpiObject, MpiObjectKind, MpiObjectRef, ObjectCall};
pub use on_device::{OnDevice, waits_for_device};
pub use phase_kind::PhaseKind;
pub use pool::Pool;
pub use pseudo::{pseudo_frame, sampled_frame};
pub use sample::{CodeLine, Sample, SampleBlame};
pub use sink::{MIN_RESUME_NS, Sink};
pub use state::{Activity, Metric, State};
pub use summary::Summary;
pub use surroundings::surroundings;
pub use takes::Takes;
pub use view::View;
pub use windows::{Sinks, Windows};
