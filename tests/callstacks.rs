//! Call stacks against what programs know of their own: the calling context of every implicit and
//! explicit task, as Perfetto's trace processor finds it in the trace.

mod chains;
mod endings;
mod formats;
mod limits;
mod views;
