//! Writes where the time of a run went as tables in Parquet, one dataset a run, which an engine reads together with
//! those of a thousand others.
//!
//! [`ParquetSink`] makes the report's accounts and writes every charge of its journal into rows: the sums of a table are
//! the report's. `README.md` of this crate describes the tables and their columns.
#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod bins;
mod cells;
mod column;
mod constructs;
mod encode;
mod error;
mod file;
mod open;
mod recent;
mod remainder;
mod rows;
mod sink;
mod sites;
mod stage;
mod tables;
mod unread;

pub use error::Error;
pub use sink::{Options, ParquetSink, SCHEMA, SECOND};
pub use tables::{TableColumn, all_columns};
