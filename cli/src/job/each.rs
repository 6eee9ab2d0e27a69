//! Commands that do the same with each rank of a job.

use super::Job;
use crate::arguments::{InspectArguments, PackArguments};
use crate::inspect::{self, Seen};
use crate::{pack, say};
use anyhow::Result;
use serde_json::json;

/// Packs the recording of each rank.
pub fn pack(job: &Job, arguments: &PackArguments) -> Result<()> {
    job.remark_missing();
    let packed = job.ranks.iter().map(|rank| {
        let outcome = pack::pack(&PackArguments { run: rank.path.clone(), ..arguments.clone() })?;
        if !arguments.json && !arguments.quiet {
            say::out(&pack::line(&outcome))?;
        }
        let mut value = pack::value(&outcome);
        value["rank"] = json!(rank.number);
        Ok(value)
    });
    let packed = packed.collect::<Result<Vec<_>>>()?;
    if arguments.json {
        return say::json(&json!({ "job": job.path.to_string_lossy(), "ranks": packed }));
    }
    Ok(())
}

/// Shows the state of each rank.
pub fn inspect(job: &Job, arguments: &InspectArguments) -> Result<()> {
    job.remark_missing();
    let mut values = Vec::new();
    for rank in &job.ranks {
        let Seen { snapshot, lines, answer } =
            inspect::see(&inspect::of_run(&rank.path), arguments)?;
        if arguments.json {
            let mut value = inspect::value(&snapshot, answer)?;
            value["rank"] = json!(rank.number);
            values.push(value);
            continue;
        }
        say::out(&format!("rank {}: {}", rank.number, say::shown(&rank.path)))?;
        inspect::show(lines, answer)?;
    }
    match arguments.json {
        true => say::json(&json!({ "job": job.path.to_string_lossy(), "ranks": values })),
        false => Ok(()),
    }
}
