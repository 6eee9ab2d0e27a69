//! In place of `tables.rs` where the feature `parquet` is not built in.

use crate::arguments::{ExportArguments, Format};
use crate::process::Life;
use anyhow::{Result, bail};
use ompttrace_model::Summary;
use ompttrace_recording::Recording;
use std::path::PathBuf;

/// Refuses tables.
pub fn write(_: &Recording, _: &ExportArguments, _: Life) -> Result<(PathBuf, Summary)> {
    bail!("{}", Format::Parquet.not_built_in().unwrap_or_default())
}
