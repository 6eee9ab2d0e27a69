//! Call stacks against what programs know of their own: the calling context of every implicit and
//! explicit task, as Perfetto's trace processor finds it in the trace.

#[path = "callstacks/chains.rs"]
mod chains;
#[path = "callstacks/endings.rs"]
mod endings;
#[path = "callstacks/formats.rs"]
mod formats;
#[path = "callstacks/limits.rs"]
mod limits;
#[path = "callstacks/views.rs"]
mod views;
