//! Explicit tasks of a report.

use crate::construct_table::ConstructRef;
use crate::findings::USUAL_MAKING;
use crate::model::{GrainBucket, QueuePoint, TaskReport, TasksReport};
use crate::sink::ReportSink;
use crate::tasks::TaskSite;
use std::cmp::Reverse;

/// Number of tasks from which on their size is worth a sentence.
const MANY: u64 = 100;
/// Tasks with less work cost about as much as they bring, nanoseconds.
const FINE: u64 = 2_000;

pub(super) fn tasks(sink: &mut ReportSink) -> TasksReport {
    let mut sites: Vec<_> = sink
        .tasks
        .sites
        .iter()
        .filter(|(_, site)| site.is_used())
        .map(|(construct, site)| report(*construct, site))
        .collect();
    sites.sort_by_key(|site| (Reverse(site.work_ns), site.construct));
    let sum = |of: &dyn Fn(&TaskReport) -> u64| sites.iter().map(of).sum();
    let (created, executed) = (sum(&|site| site.created), sum(&|site| site.executed));
    let queue = std::mem::take(&mut sink.tasks.queue);
    let queue = if created == 0 { Vec::new() } else { queue.finish(sink.end) };
    let queue = queue.into_iter().map(|(at_ns, mean, longest)| QueuePoint { at_ns, mean, longest });
    let dependences = sink.tasks.dependences;
    TasksReport { created, executed, dependences, queue: queue.collect(), sites }
}

fn report(construct: ConstructRef, site: &TaskSite) -> TaskReport {
    let mean = |sum: u64, count: u64| sum / count.max(1);
    let mean_ns = mean(site.work, site.complete);
    let making_ns = mean(site.making, site.in_a_row);
    // Where data is copied for a task its size is not the reason.
    let usual = if making_ns < USUAL_MAKING { making_ns } else { 0 };
    let grains = site.grains.iter().enumerate().filter(|(_, tasks)| **tasks > 0);
    TaskReport {
        construct: construct as usize,
        created: site.created,
        executed: site.executed,
        work_ns: site.work,
        mean_ns,
        longest_ns: site.longest,
        grains: grains.map(|(at, tasks)| GrainBucket { from_ns: 1 << at, tasks: *tasks }).collect(),
        makers: site.makers.len() as u64,
        made_in_a_row: site.in_a_row,
        making_ns,
        queued_ns: mean(site.queued, site.executed),
        longest_queued_ns: site.longest_queued,
        begun_elsewhere: site.elsewhere,
        migrations: site.migrations,
        too_fine: site.complete >= MANY && mean_ns < FINE.max(usual),
    }
}
