//! Snapshots of made-up recordings: what no runtime shows at will, and what none would show.

mod script;

mod cycles;
mod nonsense;
mod tasks;
