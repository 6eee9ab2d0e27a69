//! Encodes events by hand, decodes them by prost, compares.
//!
//! The reader here is written from the schema's comments alone and shares nothing
//! with the encoder, so that a wrong tag or a wrong delta cannot cancel out.

mod cases;
mod random;
mod reader;
mod special;
