//! Mutexes that let others wait, by the place that holds them.

use super::{named, of_all, worth};
use crate::model::{Finding, HolderReport, Report};
use crate::text::{duration, percent};

pub(super) fn find(report: &Report, found: &mut Vec<Finding>) {
    for holder in report.holders.iter().filter(|holder| worth(report, holder.blame_ns)) {
        found.push(Finding {
            kind: "lock",
            lost_ns: holder.blame_ns,
            share: of_all(report, holder.blame_ns),
            construct: Some(holder.construct),
            place: holder.place.short.clone(),
            text: text(report, holder),
        });
    }
}

fn text(report: &Report, holder: &HolderReport) -> String {
    let within = report.constructs.get(holder.construct).map_or_else(String::new, |construct| {
        if construct.place.short.is_empty() {
            String::new()
        } else {
            format!(" in {}", named(construct))
        }
    });
    format!(
        "{} at {}{within}: others wait {} for it ({} of all thread time) while it is held {} times, \
         {} on average; {}",
        what(holder),
        holder.place.short,
        duration(holder.blame_ns),
        percent(of_all(report, holder.blame_ns)),
        holder.holds,
        duration(holder.held_ns / holder.holds.max(1)),
        advice(holder.kind),
    )
}

/// `critical update`; of several locks only what they are.
pub(crate) fn what(holder: &HolderReport) -> String {
    let place = format!(" {}", holder.place.short);
    let name = if holder.several { holder.kind } else { holder.lock.as_str() };
    format!("`{}`", name.strip_suffix(&place).unwrap_or(name))
}

fn advice(kind: &str) -> &'static str {
    match kind {
        "critical" => "hold it shorter, or use `atomic` or `reduction`",
        "ordered" => "keep less of the loop ordered",
        "atomic" => "use `reduction`",
        _ => "hold it shorter, or use more locks",
    }
}
