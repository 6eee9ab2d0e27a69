//! The timeline as data: definitions, which are owned once and referred to by numbers; events, which are values; and the
//! trait of their writers. Names and categories that all formats share are here as well.
//!
//! Absent are the derivation of events (`ompttrace-timeline`) and every output format.
#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod annotation;
mod any_sink;
mod blocks;
mod border;
mod category;
mod chunks;
mod context;
mod core;
mod definitions;
mod event;
mod item;
mod join;
mod kinds;
mod labels;
mod mpi;
pub mod ompt;
mod on_device;
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
pub use context::{ContextFrame, ContextRef, FrameKind};
pub use core::{Core, CoreSums};
pub use definitions::{
    Definitions, Lock, LockRef, LogicalThread, LogicalThreadRef, NameRef, RunInfo, SourceLocation,
    SourceRef, ThreadInfo, ThreadRef,
};
pub use event::{
    Counter, Event, Executor, Instant, LockEvent, Mark, RegionTrack, Slice, TeamThread,
};
pub use item::{Item, Variable};
pub use join::Join;
pub use kinds::{InstantKind, SliceKind};
pub use labels::{
    base_name, end_in_words, harmless, process_labels, process_name, thread_name,
    threads_left_behind,
};
pub use mpi::{Collective, Communicator, CommunicatorRef, Message, MpiEvent};
pub use on_device::OnDevice;
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
