//! Files and mappings of the run folder, among the descriptors of the program. Knows the host only.

pub(crate) mod area_file;
pub(crate) mod mapping;
pub(crate) mod output;
pub(crate) mod own_file;
pub(crate) mod own_folder;
