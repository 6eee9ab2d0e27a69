//! Tables of numbers: of code addresses and of call stacks. They store no record: whoever asks hands in how one is stored.

pub(crate) mod contexts;
pub(crate) mod modules;
pub(crate) mod sites;
pub(crate) mod unmapped;
