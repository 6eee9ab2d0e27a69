//! `ompttrace compare`: runs before and after a change.

use crate::arguments::CompareArguments;
use crate::output_path::OutputPath;
use crate::{report, say};
use anyhow::{Context, Result};
use ompttrace_report::{Report, compare, html};
use std::io::Write;
use std::path::{Path, PathBuf};

/// False: the runs after are slower than allowed.
pub fn run(arguments: &CompareArguments) -> Result<bool> {
    let (before, after) = arguments.sides().map_err(anyhow::Error::msg)?;
    let reports = |runs: &[PathBuf]| -> Result<Vec<Report>> {
        runs.iter().map(|run| report::of(run, arguments.window.part(), arguments.json)).collect()
    };
    let comparison = compare::compare(&reports(before)?, &reports(after)?);
    if let Some(file) = &arguments.html {
        page(&html::comparison(&comparison, arguments.top.max(1)), file)?;
    }
    match arguments.json {
        true => say::json(&comparison)?,
        false => {
            say::coloured(&compare::text::render(&comparison, arguments.top, say::width()))?;
        }
    }
    let verdict = arguments.fail_above.map(|allowed| compare::gate(&comparison, allowed));
    verdict.iter().for_each(|verdict| say::remark(&verdict.line));
    Ok(verdict.is_none_or(|verdict| verdict.passes))
}

/// Writes a page that belongs to no single run, and reports its path.
pub fn page(page: &str, file: &Path) -> Result<()> {
    let (output_path, mut to) =
        OutputPath::file(Path::new("."), Some(file), ("page".to_owned(), "html"))?;
    to.write_all(page.as_bytes()).with_context(|| say::shown(file))?;
    let path = output_path.done()?;
    say::remark(&format!("{}: a page to open in a browser", say::shown(&path)));
    Ok(())
}
