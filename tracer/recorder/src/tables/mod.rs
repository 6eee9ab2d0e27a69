//! Tables of numbers: of code addresses, of call stacks and of phases' names. They store no record: whoever asks hands in how one is stored.

pub(crate) mod contexts;
pub(crate) mod modules;
pub(crate) mod phase_names;
pub(crate) mod sites;
pub(crate) mod unmapped;
