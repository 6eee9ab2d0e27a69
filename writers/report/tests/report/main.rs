//! Reports of recordings made by hand: sums that are exact whatever is recorded, blame on the right
//! construct, pages and texts that bear any name.

mod beside;
mod busy;
mod compared;
mod cores;
mod counters;
mod drawn;
mod findings;
mod job;
mod journal;
mod life;
mod script;
mod states;
mod strip;
mod sums;
mod team;
