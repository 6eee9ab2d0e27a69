//! The sums of a trace of slices, by Perfetto's trace processor: of Perfetto's own format or Chrome's.

use std::borrow::Cow;

use anyhow::{Context, Result};
use ompttrace_tests::judged::Judged;
use serde_json::Value;

use super::sums::{self, Sums};

/// SQL expression for the group of tracks that a slice `s` is on: Perfetto's format has tracks below tracks, Chrome's has
/// processes.
const GROUP: &str = "coalesce(above.name, case when p.name glob '*: logical threads' then 'Logical threads' \
    when p.name glob '*: parallel regions' then 'Parallel regions' \
    when p.name glob '*: locks' then 'Locks' when p.name glob '*: cores' then 'Cores' else 'threads' end)";

/// SQL expression for the source location where a mutex is waited for, from the arguments of Perfetto's format or Chrome's.
const LOCATION: &str = "case when s.category = 'openmp.mutex' then \
    coalesce(extract_arg(s.arg_set_id, 'args.location'), \
    extract_arg(s.arg_set_id, 'source.file_name') || ':' || \
    extract_arg(s.arg_set_id, 'source.line_number')) end";

/// SQL expression that is true for a slice that continues another one after an interruption.
const RESUMED: &str = "coalesce(extract_arg(s.arg_set_id, 'debug.segment'), \
    extract_arg(s.arg_set_id, 'args.segment')) is not null";

const TRACKS: &str = "left join track t on t.id = s.track_id \
    left join track above on above.id = t.parent_id left join thread_track tt on tt.id = t.id \
    left join thread using (utid) left join process p using (upid)";

/// SQL for the time by which slices are interrupted: an explicit task's slice interrupts every slice above it, up to its
/// team's implicit task. Slices that interrupt the same slice are summed.
const INTERRUPTED: &str = "with recursive up(at, ns) as (select * from ( \
    select parent_id, sum(dur) from slice where category = 'openmp.task' and parent_id is not null group by 1) \
    union all select s.parent_id, up.ns from up join slice s on s.id = up.at \
    where s.parent_id is not null and s.category != 'openmp.task' and not ( \
    s.category = 'openmp.parallel' and (s.name glob '*implicit task*' or s.name glob '*initial task*')))";

/// A row of a query: a name for several things in the sums.
struct DrawnRow<'a> {
    group: &'a str,
    category: &'a str,
    name: &'a str,
    location: Option<&'a str>,
    count: u64,
    ns: i64,
}

/// The sums of two groups, such as `threads` and `Logical threads`.
pub fn sums(judged: &mut Judged, groups: [&str; 2]) -> Result<[Sums; 2]> {
    let mut both = [Sums::default(), Sums::default()];
    let all = format!(
        "select {GROUP} as a, s.category as b, s.name as c, d, sum(e) as e, sum(f) as f from ( \
         select s.track_id, s.category, s.name, {LOCATION} as d, sum(not ({RESUMED})) as e, sum(s.dur) as f from slice s \
         where s.category not glob 'state*' group by 1, 2, 3, 4) s {TRACKS} group by 1, 2, 3, 4"
    );
    // A name must not fall together with a column's: a, b, ... are the columns'.
    let interrupted = format!(
        "{INTERRUPTED} select {GROUP} as a, s.category as b, s.name as c, d, 0 as e, -sum(ns) as f from ( \
         select s.track_id, s.category, s.name, {LOCATION} as d, sum(up.ns) as ns \
         from (select at, sum(ns) as ns from up group by 1) up join slice s on s.id = up.at group by 1, 2, 3, 4) s \
         {TRACKS} group by 1, 2, 3, 4"
    );
    for query in [&all, &interrupted] {
        for cells in &judged.judge().query(query)?.rows {
            let row = DrawnRow::of(cells).with_context(|| format!("{cells:?}"))?;
            for (sums, group) in both.iter_mut().zip(groups) {
                if row.group == group {
                    row.add_to(sums);
                } else if row.group == "Locks" {
                    // For how long is another matter: a track has one hold at a time, so a late end of
                    // one is cut where the next begins.
                    sums.add(sums::ACQUIRED, row.count, 0);
                }
            }
        }
    }
    add_counters(judged, &mut both)?;
    Ok(both)
}

impl<'a> DrawnRow<'a> {
    fn of(cells: &'a [Value]) -> Option<DrawnRow<'a>> {
        let location = cells[3].as_str().and_then(|location| location.rsplit('/').next());
        Some(DrawnRow {
            group: cells[0].as_str()?,
            category: cells[1].as_str()?,
            name: cells[2].as_str()?,
            location: location.filter(|location| has_line(location)),
            count: cells[4].as_u64()?,
            ns: cells[5].as_i64()?,
        })
    }

    fn add_to(&self, sums: &mut Sums) {
        let DrawnRow { count, ns, .. } = *self;
        let name = &*of_archive(self.category, self.name);
        match self.category {
            // A location begins with its first event and ends with its last: OTF2 has no word for it.
            "openmp.parallel" if ["thread begin", "thread end"].contains(&name) => {}
            // A remark on the run as a whole, which OTF2 has as a marker.
            _ if name.ends_with(" records lost") => {}
            "openmp.parallel" if !is_task_of_team(name) => sums.add(sums::FORKS, count, ns),
            "openmp.work" if name.starts_with("single") => {
                sums.add(sums::single(name), count, ns);
                if !name.starts_with("single (other thread)") {
                    sums.add(sums::SINGLE_BLOCKS, count, ns);
                }
            }
            "openmp.mutex" if name.starts_with("wait: ") => {
                let kind = kind_of_mutex(name.trim_start_matches("wait: "));
                sums.add(sums::mutex_wait(kind, self.location), count, ns);
            }
            "openmp.mutex" if name.starts_with("test failed: ") => {
                let kind = kind_of_mutex(name.trim_start_matches("test failed: "));
                sums.add(sums::failed_tests(kind, self.location), count, ns);
            }
            _ => sums.add(name, count, ns),
        }
        if self.category == "openmp.task" && name.starts_with("create ") {
            sums.add(sums::CREATED, count, 0);
        }
    }
}

/// Name of a slice in an archive: only constructs that are one among others of their kind have their source location, which
/// follows the construct's word.
fn of_archive<'a>(category: &str, name: &'a str) -> Cow<'a, str> {
    let (near, rest) = name.strip_prefix("near ").map_or(("", name), |rest| ("near ", rest));
    let Some((location, what)) = rest.split_once(' ').filter(|(location, _)| has_line(location))
    else {
        return name.into();
    };
    let word = what.split(" (").next().unwrap_or(what);
    let is_located = match category {
        "openmp.parallel" => true,
        "openmp.task" => ["task", "create task"].contains(&word),
        "openmp.work" => !["chunk", "masked", "section"].contains(&word),
        "openmp.target" => word.starts_with("target") && word != "target map",
        _ => false,
    };
    match (is_located, what.strip_prefix(word).filter(|_| category != "openmp.work")) {
        (false, _) => what.into(),
        (true, None) => format!("{what} {near}{location}").into(),
        (true, Some(function)) => format!("{word} {near}{location}{function}").into(),
    }
}

/// The kind of a mutex by its name.
fn kind_of_mutex(name: &str) -> &str {
    let kinds = ["nest lock", "lock", "critical", "atomic", "ordered"];
    kinds.into_iter().find(|word| name.starts_with(word)).unwrap_or(name)
}

fn is_task_of_team(name: &str) -> bool {
    name.starts_with("implicit task") || name.starts_with("initial task")
}

/// Returns true if a location is a file and a line: formats differ in how they write any other.
fn has_line(location: &str) -> bool {
    let line = location.rsplit_once(':').map_or("", |(_, line)| line);
    line.parse::<u32>().is_ok_and(|line| line > 0)
}

fn add_counters(judged: &mut Judged, both: &mut [Sums; 2]) -> Result<()> {
    // SQLite takes the value from the row that has the largest id.
    let query = "select t.name, count(*), cast(c.value as int) as last, max(c.id) from counter c \
        join counter_track t on t.id = c.track_id group by 1";
    for row in &judged.judge().query(query)?.rows {
        let name = row[0].as_str().context("a counter's name")?;
        let count = row[1].as_u64().context("a count")?;
        let value = row[2].as_i64().context("a value")?;
        both.iter_mut().for_each(|sums| sums.add(sums::counter(name), count, value));
    }
    Ok(())
}
