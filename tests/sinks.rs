//! Made-up runs, written by the sinks of both of our formats for Perfetto's UI, native and Chrome's JSON, and judged by
//! Perfetto's trace processor; and by a decoder of messages, a JSON parser and each other.

#[path = "sinks/bytes.rs"]
mod bytes;
#[path = "sinks/cores.rs"]
mod cores;
#[path = "sinks/counts.rs"]
mod counts;
#[path = "sinks/cut.rs"]
mod cut;
#[path = "sinks/details.rs"]
mod details;
#[path = "sinks/either.rs"]
mod either;
#[path = "sinks/fake.rs"]
mod fake;
#[path = "sinks/flows.rs"]
mod flows;
#[path = "sinks/format.rs"]
mod format;
#[path = "sinks/hostile.rs"]
mod hostile;
#[path = "sinks/judge.rs"]
mod judge;
#[path = "sinks/losses.rs"]
mod losses;
#[path = "sinks/same.rs"]
mod same;
#[path = "sinks/stencil.rs"]
mod stencil;
#[path = "sinks/threads.rs"]
mod threads;
