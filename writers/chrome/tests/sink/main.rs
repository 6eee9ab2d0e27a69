//! Writes made-up runs through the sink and has them judged by Perfetto's trace processor, by a JSON
//! parser, and by comparison with what our native writer makes of the same run.

mod cores;
mod counts;
mod cut;
#[path = "../../../perfetto/tests/sink/fake.rs"]
mod fake;
mod flows;
mod hostile;
mod judge;
mod native;
#[path = "../../../perfetto/tests/sink/stencil.rs"]
mod stencil;
