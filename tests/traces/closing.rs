//! The barrier that ends a region stands where the region does, on every thread of the team: runtimes
//! report that to the primary thread's alone.

use std::fmt::Write;

use anyhow::{Result, ensure};
use ompttrace_tests::judged::Judged;
use ompttrace_tests::programs;
use ompttrace_tests::runtimes;

/// SQL for the barriers at the ends of implicit tasks, with their implicit tasks. In a truncated run another barrier
/// may be the last one, as in a team of one, which has none at its end.
const CLOSING: &str = "from slice s join slice p on p.id = s.parent_id \
    join thread_track t on t.id = s.track_id \
    where what(p.name) glob 'implicit task*' and what(s.name) in ('barrier (implicit)', 'barrier (teams)') \
    and extract_arg(s.arg_set_id, 'debug.end') is not 'cut' \
    and extract_arg(p.arg_set_id, 'debug.team size') > 1 \
    and not exists (select 1 from slice n where n.parent_id = p.id and n.ts > s.ts)";

/// SQL condition for a closing barrier whose location differs from its implicit task's.
const OTHER_LOCATION: &str = "and extract_arg(s.arg_set_id, 'source_location_iid') \
    is not extract_arg(p.arg_set_id, 'source_location_iid')";

/// A line with the number of closing barriers that have another location than their region; empty if there are none.
pub fn check(judged: &mut Judged) -> Result<String> {
    let mut said = String::new();
    let wrong = judged.count(&format!("select count(*) {CLOSING} {OTHER_LOCATION}"))?;
    if wrong > 0 {
        writeln!(said, "    {wrong} closing barriers are not where their region is")?;
    }
    Ok(said)
}

#[test]
fn every_thread_of_a_team_has_one_with_a_line() -> Result<()> {
    let traced = super::record(&programs::by_name("c/for_static")?, &runtimes::libomp_19()?)?;
    let mut judged = Judged::open(&traced.scratch.only_run()?)?;
    let has_line = "and extract_arg(s.arg_set_id, 'source.line_number') is not null";
    let reported = judged.count(&format!("select count(*) {CLOSING} {has_line}"))?;
    let implicit_tasks = "select count(*) from slice s join thread_track t on t.id = s.track_id \
        where what(s.name) glob 'implicit task*'";
    let implicit_tasks = judged.count(implicit_tasks)?;
    ensure!(
        reported == implicit_tasks && implicit_tasks > 0,
        "{reported} closing barriers of {implicit_tasks} implicit tasks"
    );
    Ok(())
}
