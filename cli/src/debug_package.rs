//! Which package of the distribution has the lines of a program that has none: Debian's and Ubuntu's lists of files.

use ompttrace_report::Report;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Where dpkg keeps a list of files for each package.
const LISTS: &str = "/var/lib/dpkg/info";
/// What a report says of a program without lines.
const WITHOUT_LINES: &str = "Locations have no lines";

/// Adds to what a report says of a program without lines which package would bring them, where one installed it.
pub fn name(report: &mut Report) {
    add(report, Path::new(LISTS));
}

fn add(report: &mut Report, lists: &Path) {
    let file = without_lines(report);
    let caveats = report.caveats.iter_mut();
    for caveat in caveats.filter(|caveat| caveat.starts_with(WITHOUT_LINES)) {
        if let Some(package) = of(lists, &file) {
            *caveat += &format!(
                " Or install {package}-dbgsym, if the distribution has it: {file} belongs to the package {package}."
            );
        }
    }
}

/// Where most of the time at locations without lines is: often a library; the program, where nobody knows.
fn without_lines(report: &Report) -> String {
    let mut times = BTreeMap::new();
    for construct in &report.constructs {
        if let Some(module) = &construct.location.module {
            *times.entry(module).or_insert(0) += construct.times.all();
        }
    }
    let most = times.into_iter().max_by_key(|(_, time)| *time);
    most.map_or(&report.program.executable, |(module, _)| module).clone()
}

/// The package that has installed a file.
fn of(lists: &Path, file: &str) -> Option<String> {
    // Files below /usr may be listed as where they were before the folders became one.
    let names = [Some(file), file.strip_prefix("/usr").filter(|rest| rest.starts_with('/'))];
    if !file.starts_with("/usr/") && !file.starts_with("/bin/") {
        return None;
    }
    let lists = fs::read_dir(lists).ok()?.flatten().map(|entry| entry.path());
    let mut lists = lists.filter(|path| path.extension().is_some_and(|ending| ending == "list"));
    let list = lists.find(|path| {
        let text = fs::read_to_string(path).unwrap_or_default();
        text.lines().any(|line| names.iter().flatten().any(|name| *name == line))
    })?;
    // `libgomp1:amd64.list` is of libgomp1.
    let name = list.file_stem()?.to_str()?;
    Some(name.split(':').next().unwrap_or(name).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use ompttrace_report::State;
    use ompttrace_report::model::ConstructReport;

    #[test]
    fn the_package_of_a_file_is_the_one_that_lists_it() {
        let lists = tempfile::tempdir().expect("a folder");
        let list = |name: &str, text: &str| {
            fs::write(lists.path().join(name), text).expect("written");
        };
        list("other.list", "/.\n/usr\n/usr/bin/solver-tool\n");
        list("solver:amd64.list", "/.\n/usr\n/usr/bin/solver\n");
        list("old.list", "/bin/old\n");
        assert_eq!(of(lists.path(), "/usr/bin/solver").as_deref(), Some("solver"));
        assert_eq!(of(lists.path(), "/usr/bin/old").as_deref(), Some("old"));
        assert_eq!(of(lists.path(), "/home/me/solver"), None);
    }

    /// A program without lines whose regions are in a library.
    fn report(executable: &str) -> Report {
        let caveats =
            vec!["Something else.".to_owned(), format!("{WITHOUT_LINES}: build with -g.")];
        let mut report = Report { caveats, ..Report::default() };
        report.program.executable = executable.into();
        for (module, time) in [(executable, 10), ("/usr/lib/libsolver.so.1", 90)] {
            let mut construct = ConstructReport::default();
            construct.location.module = Some(module.to_owned());
            construct.times.add(State::WorkParallel, time);
            report.constructs.push(construct);
        }
        report
    }

    #[test]
    fn the_package_is_that_of_the_code_without_lines() {
        let lists = tempfile::tempdir().expect("a folder");
        let list = |name: &str, text: &str| {
            fs::write(lists.path().join(name), text).expect("written");
        };
        list("solver.list", "/usr/bin/solver\n");
        list("libsolver1:amd64.list", "/usr/lib/libsolver.so.1\n");
        let mut of_library = report("/usr/bin/solver");
        add(&mut of_library, lists.path());
        assert!(of_library.caveats[1].contains("install libsolver1-dbgsym"), "{of_library:?}");
        let mut of_program = report("/usr/bin/solver");
        of_program.constructs.truncate(1);
        add(&mut of_program, lists.path());
        assert!(of_program.caveats[1].contains("install solver-dbgsym"), "{of_program:?}");
    }

    #[test]
    fn only_the_text_about_missing_lines_grows() {
        let mut report = report("/home/me/solver");
        report.constructs.clear();
        let caveats = report.caveats.clone();
        name(&mut report);
        assert_eq!(report.caveats, caveats, "no package has it");
    }
}
