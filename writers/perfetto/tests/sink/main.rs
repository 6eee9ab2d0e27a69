//! Writes made-up runs through the sink and has them judged: by Perfetto's trace processor, and by a
//! decoder of the messages.

mod bytes;
mod cores;
mod counts;
mod details;
mod fake;
mod hostile;
mod judge;
mod losses;
mod stencil;
