//! Cores: who wanted one, who had one, and how threads waited.

use super::figures::part;
use super::page::Page;
use super::tables::Table;
use super::{duration, heading, more, remark};
use crate::model::{Cores, Report};

/// Nothing where nobody saw who had a core.
pub(super) fn cores(report: &Report, top: usize, text: &mut Page) {
    let Some(all) = &report.cores else { return };
    heading("Cores", text);
    let mut table = Table::new(&HEADS);
    let threads = report.threads.iter();
    let known: Vec<_> = threads.filter_map(|one| Some((&one.name, one.cores.as_ref()?))).collect();
    for (name, cores) in known.iter().take(top) {
        table.row([vec![name.to_string()], figures(cores).to_vec()].concat());
    }
    table.row([vec!["(all threads)".to_owned()], figures(all).to_vec()].concat());
    table.write(text);
    remark(
        "wanted: time in which a thread wanted a core; had: that in which it had one; spinning: of that, waiting for \
         other threads or in no team; asleep: sleeping in the kernel, in waits: of that, waiting for other threads or in \
         no team",
        text,
    );
    more(known.len(), top, text);
}

/// What the columns are called.
pub(crate) const HEADS: [&str; 7] =
    ["thread", "wanted", "had", "share", "spinning", "asleep", "in waits"];

/// The columns behind the name.
pub(crate) fn figures(cores: &Cores) -> [String; 6] {
    [
        duration(cores.wanted_ns),
        duration(cores.given_ns),
        part(cores.given_ns, cores.wanted_ns),
        duration(cores.spun_ns),
        duration(cores.blocked_ns),
        duration(cores.slept_ns),
    ]
}
