//! The recorder of the process: its pool, which thread has which block, what all of them are told. Knows neither how a record
//! comes into a file nor which streams there are.

pub(crate) mod inside;
pub(crate) mod limits;
pub(crate) mod losses;
pub(crate) mod panics;
pub(crate) mod park;
pub(crate) mod parker;
pub(crate) mod patience;
pub(crate) mod pool;
pub(crate) mod recorder;
pub(crate) mod resumed;
pub(crate) mod waits;
