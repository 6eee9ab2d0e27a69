//! To be written soon.
