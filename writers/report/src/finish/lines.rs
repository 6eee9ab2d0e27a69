//! Module that was built without lines, where most of the time is in it.

use crate::model::Report;
use std::collections::BTreeMap;

/// The path of the module that most of the time at locations is in, if it is at such as have no line.
pub(super) fn module_without_lines(report: &Report) -> Option<String> {
    let located = report.constructs.iter().filter(|one| !one.location.short.is_empty());
    let (mut all, mut by_module) = (0, BTreeMap::new());
    for one in located {
        let time = one.times.all();
        all += time;
        if one.location.line.is_none() {
            let module = one.location.module.as_ref().unwrap_or(&report.program.executable);
            *by_module.entry(module).or_insert(0) += time;
        }
    }
    let (module, time) = by_module.into_iter().max_by_key(|(_, time)| *time)?;
    (2 * time > all).then(|| module.clone())
}

/// The sentence about it for a reader of the numbers.
pub(super) fn caveat(module: &str) -> String {
    let name = ompttrace_model::base_name(module);
    format!("Source locations in {name} have no lines: build it with -g.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{ConstructReport, Site};
    use crate::state::State;

    fn construct(line: Option<u32>, module: Option<&str>, time: u64) -> ConstructReport {
        let module = module.map(str::to_owned);
        let location = Site { short: "somewhere".into(), line, module, ..Site::default() };
        let mut construct = ConstructReport { location, ..ConstructReport::default() };
        construct.times.add(State::WorkParallel, time);
        construct
    }

    #[test]
    fn the_module_that_lacks_lines_is_named_and_no_other() {
        let library = Some("/usr/lib/libsolver.so.1");
        let with = |constructs| Report { constructs, ..Report::default() };
        let most_in_library =
            with(vec![construct(Some(7), None, 40), construct(None, library, 60)]);
        let found = module_without_lines(&most_in_library).expect("a module");
        assert_eq!(found, "/usr/lib/libsolver.so.1");
        assert!(caveat(&found).contains("in libsolver.so.1 have no lines"));
        let little = with(vec![construct(Some(7), None, 60), construct(None, library, 40)]);
        assert_eq!(module_without_lines(&little), None);
        // In two modules together, but in neither most of it.
        let other = Some("/usr/lib/libother.so");
        let of_two = vec![
            construct(Some(7), None, 40),
            construct(None, library, 30),
            construct(None, other, 30),
        ];
        assert_eq!(module_without_lines(&with(of_two)), None);
    }
}
