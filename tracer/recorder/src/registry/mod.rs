//! The recorder of the process: its pool, which thread has which block, the commands to all of them. Knows neither how a record
//! comes into a file nor which streams there are.

pub(crate) mod attention;
pub(crate) mod hung_disk;
pub(crate) mod inside;
pub(crate) mod limits;
pub(crate) mod losses;
pub(crate) mod outside;
pub(crate) mod panics;
pub(crate) mod park;
pub(crate) mod parker;
pub(crate) mod pool;
pub(crate) mod recorder;
pub(crate) mod resumed;
pub(crate) mod waits;
