//! `src/tables`: what of it is shipped, and what replaces the rest.

pub(crate) use crate::around::{contexts, phase_names, sites};
