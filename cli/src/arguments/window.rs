//! The part of a run's time that a report is about: `--from --to`, `--region --instance`, `--phase`, `--after-first-region`.

use crate::units;
use clap::Args;

#[derive(Args, Clone, Debug, Default)]
pub struct WindowArguments {
    /// Begin of the time window that is reported, since the process began: 2.5s, 300ms, 10us
    #[arg(long, value_name = "TIME", value_parser = units::time)]
    from: Option<u64>,
    /// End of the time window
    #[arg(long, value_name = "TIME", value_parser = units::time)]
    to: Option<u64>,
    /// Report the executions of the parallel region at this location, from the begin of the first one to the end of the
    /// last one
    #[arg(long, value_name = "FILE:LINE", conflicts_with_all = ["from", "to"])]
    region: Option<String>,
    /// Report the executions of the phase with this name, from the begin of the first one to the end of the last one
    #[arg(long, value_name = "NAME", conflicts_with_all = ["from", "to", "region"])]
    phase: Option<String>,
    /// Report only this execution of the region or phase, from 1 on
    #[arg(
        long, value_name = "N",
        value_parser = clap::value_parser!(u64).range(1..)
    )]
    instance: Option<u64>,
    /// Report what comes after the first parallel region, in which the runtime creates its threads
    #[arg(long, conflicts_with_all = ["from", "region", "phase"])]
    after_first_region: bool,
}

/// The part of a run that is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    Whole,
    /// Nanoseconds since the process began.
    Times(Option<u64>, Option<u64>),
    /// The parallel region at a location: one execution of it, or from the first to the last.
    Region(String, Option<u64>),
    /// The phase with a name: one execution of it, or from the first to the last.
    Phase(String, Option<u64>),
    /// From the end of the first parallel region on, up to a time.
    AfterFirstRegion(Option<u64>),
}

impl WindowArguments {
    pub fn part(&self) -> Part {
        if let Some(phase) = &self.phase {
            return Part::Phase(phase.clone(), self.instance);
        }
        match (&self.region, self.after_first_region, (self.from, self.to)) {
            (Some(region), ..) => Part::Region(region.clone(), self.instance),
            (None, true, (_, to)) => Part::AfterFirstRegion(to),
            (None, false, (None, None)) => Part::Whole,
            (None, false, (from, to)) => Part::Times(from, to),
        }
    }

    /// The contradiction between the options, if there is one.
    pub fn contradiction(&self) -> Option<String> {
        if self.instance.is_some() && self.region.is_none() && self.phase.is_none() {
            return Some(
                "--instance is that of a --region or --phase, which is missing".to_owned(),
            );
        }
        units::empty_window(self.from?, self.to?)
    }
}
