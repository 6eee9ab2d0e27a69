//! `src/files`: what of it is shipped, and what replaces the rest.

pub(crate) mod output;
