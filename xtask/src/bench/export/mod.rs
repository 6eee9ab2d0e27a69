//! `cargo xtask bench export`: how fast recordings become traces, how large those are, and how much
//! memory that takes.

mod measure;
mod options;
mod recorded;
mod report;

use super::{build, report as machine};
use crate::packages::{self, Purpose};
use crate::shell;
use anyhow::{Context, Result};
use recorded::Recorded;

/// A format and a view, as `ompttrace export` takes them.
pub struct Case {
    pub format: &'static str,
    pub view: &'static str,
}

/// What is measured of each recording, in the order of the table.
const CASES: &[Case] = &[
    Case { format: "perfetto", view: "threads" },
    Case { format: "perfetto", view: "both" },
    Case { format: "chrome", view: "threads" },
    Case { format: "chrome", view: "both" },
    Case { format: "otf2", view: "threads" },
    Case { format: "otf2", view: "both" },
];

/// The command.
pub fn run(arguments: &[String]) -> Result<()> {
    let options = options::read(arguments)?;
    packages::need(Purpose::Bench)?;
    shell::run(shell::cargo().args(["build", "--release"]))?;
    let built = build::build(options.loads.iter().map(|load| load.program))?;
    machine::busy().iter().for_each(|warning| eprintln!("{warning}"));
    println!("{}\n\n{}", report::LEGEND, report::head());
    let mut all = Vec::new();
    for load in &options.loads {
        let recorded = Recorded::new(load, &built)?;
        for case in CASES.iter().filter(|case| options.wants(case)) {
            let measured = measure::measure(&recorded, case, options.rounds)?;
            println!("{}", report::line(&measured));
            all.push(measured);
        }
    }
    if let Some(path) = options.json {
        let text = serde_json::to_string_pretty(&report::json(&all, options.rounds))?;
        std::fs::write(&path, text + "\n")
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}
