//! OTF2 archives in front of readers that other people wrote: every program's are sound in both
//! views, and hold what the other formats hold.

mod archive;
mod drawn;
mod expected;
mod exported;
mod formats;
mod listing;
mod room;
mod scorep;
mod sums;
mod table;
