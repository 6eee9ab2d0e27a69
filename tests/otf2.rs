//! OTF2 archives in front of readers that other people wrote: every program's are sound in both
//! views, and hold what the other formats hold.

#[path = "otf2/archive.rs"]
mod archive;
#[path = "otf2/drawn.rs"]
mod drawn;
#[path = "otf2/expected.rs"]
mod expected;
#[path = "otf2/exported.rs"]
mod exported;
#[path = "otf2/formats.rs"]
mod formats;
#[path = "otf2/listing.rs"]
mod listing;
#[path = "otf2/room.rs"]
mod room;
#[path = "otf2/scorep.rs"]
mod scorep;
#[path = "otf2/sums.rs"]
mod sums;
#[path = "otf2/table.rs"]
mod table;
