//! Lines of source files in the page: which ones a recording may bring in, where its files are the user's own.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use ompttrace_tests::product::Product;
use ompttrace_tests::{build, process};
use tempfile::TempDir;

/// Content of the files that are nobody else's business.
const SECRET: &str = "SECRETKEYLINE";

/// A recorded program whose line table names a file.
struct Recorded {
    folder: TempDir,
    program: PathBuf,
}

impl Recorded {
    /// Records a program in a folder that is not hidden, with the named source file, by its path below the folder or a full one.
    fn new(named: &str, mode: u32) -> Result<Recorded> {
        let folder = tempfile::Builder::new().prefix("sources.").tempdir()?;
        let file = folder.path().join(named.trim_start_matches("/proc/self/cwd/"));
        fs::create_dir_all(file.parent().context("a folder")?)?;
        fs::write(&file, SECRET)?;
        fs::set_permissions(&file, Permissions::from_mode(mode))?;
        let (source, program) = (folder.path().join("program.c"), folder.path().join("program"));
        let line = folder.path().join(named);
        let code = format!(
            "int main(void) {{\nfor (int i = 0; i < 50; i++) {{\n#line 1 \"{}\"\n#pragma omp parallel num_threads(2)\n;\n}}\n}}\n",
            line.display()
        );
        fs::write(&source, code)?;
        let mut clang = Command::new("clang-19");
        build::run(
            clang.args(["-g", "-fopenmp"]).arg(&source).arg("-o").arg(&program),
            "clang-19",
        )?;
        let mut run = Command::new(Product::find()?.program);
        process::without_settings(&mut run);
        run.args(["run", "--quiet", "--format", "recording", "--output", "run", "--"])
            .arg(&program);
        build::run(run.current_dir(folder.path()), "")?;
        Ok(Recorded { folder, program })
    }

    /// Replaces the program by one with the same bytes, as whoever unpacks an archive does.
    fn unpack(&self) -> Result<()> {
        let copy = self.folder.path().join("copy");
        fs::copy(&self.program, &copy)?;
        Ok(fs::rename(copy, &self.program)?)
    }

    /// The page with source lines, and what is said on stderr.
    fn page(&self) -> Result<(String, String)> {
        let page = self.folder.path().join("page.html");
        let _ = fs::remove_file(&page);
        let mut report = Command::new(Product::find()?.program);
        report
            .args(["report", "run", "--source", "--html"])
            .arg(&page)
            .current_dir(self.folder.path());
        let ended = report.output()?;
        ensure!(ended.status.success(), "{ended:?}");
        Ok((fs::read_to_string(page)?, String::from_utf8_lossy(&ended.stderr).into_owned()))
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Files that anybody may read are shown, and which ones is said.
#[test]
fn files_whose_lines_are_in_the_page_are_listed() -> Result<()> {
    let recorded = Recorded::new("open.c", 0o644)?;
    recorded.unpack()?;
    let (page, said) = recorded.page()?;
    ensure!(page.contains(SECRET), "no lines");
    ensure!(said.contains("the page has lines of 1 source file: open.c"), "{said}");
    Ok(())
}

/// A user's own program, recorded here, may name files that others cannot read; one that came with the recording may not.
#[test]
fn private_and_hidden_files_are_shown_for_programs_recorded_here_only() -> Result<()> {
    for (named, mode, why) in
        [("private.c", 0o600, "only you can read it"), (".ssh/id_rsa", 0o644, "its path is hidden")]
    {
        let recorded = Recorded::new(named, mode)?;
        ensure!(recorded.page()?.0.contains(SECRET), "{named}: no lines");
        recorded.unpack()?;
        let (page, said) = recorded.page()?;
        ensure!(!page.contains(SECRET) && page.contains(why), "{named} is in the page");
        ensure!(!said.contains("source file"), "{said}");
    }
    Ok(())
}

/// A hidden file is not shown by a link with another name.
#[test]
fn links_to_hidden_files_are_not_followed() -> Result<()> {
    let recorded = Recorded::new("link.c", 0o644)?;
    let (link, hidden) = (recorded.path().join("link.c"), recorded.path().join(".hidden"));
    fs::rename(&link, &hidden)?;
    std::os::unix::fs::symlink(hidden, link)?;
    recorded.unpack()?;
    ensure!(!recorded.page()?.0.contains(SECRET), "a hidden file is in the page");
    Ok(())
}

/// A path below /proc leads to files of the process that reads it.
#[test]
fn paths_below_proc_are_not_followed() -> Result<()> {
    let (page, _) = Recorded::new("/proc/self/cwd/open.c", 0o644)?.page()?;
    ensure!(!page.contains(SECRET) && page.contains("files below /proc are not shown"), "{page}");
    Ok(())
}
