//! Package of the distribution that has the source lines of a program without any, by Debian's and Ubuntu's lists of
//! files.

use ompttrace_report::Report;
use std::fs;
use std::path::Path;

/// Folder in which dpkg keeps a list of files for each package.
const LISTS: &str = "/var/lib/dpkg/info";

/// Adds to the report of a program without lines the package that would bring them, if a package installed the program.
pub fn name(report: &mut Report) {
    add(report, Path::new(LISTS));
}

fn add(report: &mut Report, lists: &Path) {
    let Some(file) = &report.without_lines else { return };
    if let Some(package) = of(lists, file) {
        report.caveats.push(format!(
            "Or install {package}-dbgsym, if the distribution has it: {file} belongs to the package {package}."
        ));
    }
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

    #[test]
    fn the_package_is_that_of_the_module_without_lines() {
        let lists = tempfile::tempdir().expect("a folder");
        fs::write(lists.path().join("libsolver1:amd64.list"), "/usr/lib/libsolver.so.1\n")
            .expect("written");
        let with = |module: Option<&str>| {
            let without_lines = module.map(str::to_owned);
            let mut report = Report { without_lines, ..Report::default() };
            add(&mut report, lists.path());
            report.caveats
        };
        let said = with(Some("/usr/lib/libsolver.so.1"));
        assert!(said.len() == 1 && said[0].contains("install libsolver1-dbgsym"), "{said:?}");
        assert!(with(Some("/home/me/solver")).is_empty() && with(None).is_empty());
    }
}
