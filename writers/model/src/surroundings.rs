//! The machine as a process found it (cores, quota, load, settings), in words that are the same in every format.

use ompttrace_recording::facts::{Facts, Surroundings};

/// Names and values in the order in which a reader wants them: `cores`, `threads`, `quota`, `load average`, and the
/// settings of the runtimes as they were. Values that are not known are left out.
pub fn surroundings(facts: &Facts) -> Vec<(String, String)> {
    let of = &facts.surroundings;
    let named = [
        ("cores", cores(facts)),
        ("threads", bound(of)),
        ("quota", quota(of)),
        ("load average", load(of)),
    ];
    let named = named.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    let settings = of.settings.iter().map(|(name, value)| (name.clone(), value.clone()));
    named.chain(settings).collect()
}

fn cores(facts: &Facts) -> Option<String> {
    let (may, of) = (facts.usable_cores(), &facts.surroundings);
    match (may, of.online, of.allowed.as_str()) {
        (0, ..) => None,
        (may, 0, _) => Some(may.to_string()),
        (may, online, "") => Some(format!("{may} of {online}")),
        (may, online, allowed) => Some(format!("{may} of {online} (may run on {allowed})")),
    }
}

/// Lists of cores on which threads may run, with the number of threads of each, if any thread is bound to other cores
/// than the process.
fn bound(of: &Surroundings) -> Option<String> {
    let is_bound = of.bound.keys().any(|list| *list != of.allowed);
    let lists = of.bound.iter().map(|(list, threads)| match threads {
        1 => format!("1 on {list}"),
        threads => format!("{threads} on {list}"),
    });
    is_bound.then(|| lists.collect::<Vec<_>>().join(", "))
}

fn quota(of: &Surroundings) -> Option<String> {
    let quota = of.quota.as_ref()?;
    let throttled = quota
        .throttled_ns
        .map(|time| format!(", which throttled threads for {:.3} s", time as f64 / 1e9));
    Some(format!("{:.3} cores ({}){}", quota.cores, quota.group, throttled.unwrap_or_default()))
}

fn load(of: &Surroundings) -> Option<String> {
    match (of.load, of.load_at_end) {
        (Some(begin), Some(end)) => Some(format!("{begin:.2} at the begin, {end:.2} at the end")),
        (Some(load), None) => Some(format!("{load:.2}")),
        (None, _) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ompttrace_recording::facts::{Process, Quota};

    #[test]
    fn what_is_known_is_said_and_nothing_else() {
        assert_eq!(surroundings(&Facts::default()), []);
        let quota = Quota { cores: 1.5, group: "/g".into(), throttled_ns: Some(2_500_000_000) };
        let surroundings_of_run = Surroundings {
            online: 8,
            allowed: "0-3".into(),
            quota: Some(quota),
            load: Some(3.25),
            load_at_end: None,
            bound: [("0-3".to_owned(), 1), ("2".to_owned(), 3)].into(),
            settings: [("OMP_NUM_THREADS".to_owned(), "4".to_owned())].into(),
        };
        let process = Process { cores: 2, ..Process::default() };
        let facts = Facts { process, surroundings: surroundings_of_run, ..Facts::default() };
        let words: Vec<_> =
            surroundings(&facts).iter().map(|(name, value)| format!("{name}: {value}")).collect();
        assert_eq!(
            words,
            [
                "cores: 4 of 8 (may run on 0-3)",
                "threads: 1 on 0-3, 3 on 2",
                "quota: 1.500 cores (/g), which throttled threads for 2.500 s",
                "load average: 3.25",
                "OMP_NUM_THREADS: 4",
            ]
        );
    }
}
