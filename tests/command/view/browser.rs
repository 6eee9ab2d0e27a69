//! The start of the browser: what others can see of it.

use super::*;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

/// Programs that may start a browser, each of which keeps what it was given.
const STARTERS: [&str; 5] = ["xdg-open", "gio", "gnome-open", "kde-open", "wslview"];

/// A folder with browsers that write down their command lines, and with the command's temporary files.
struct Browsers(TempDir);

impl Browsers {
    fn new() -> Browsers {
        let folder = tempfile::tempdir().expect("a folder");
        let script = "#!/bin/sh\ntr '\\0' '\\n' < /proc/$$/cmdline > \"$SEEN.part\"\nmv \"$SEEN.part\" \"$SEEN\"\n";
        for name in STARTERS {
            let file = folder.path().join(name);
            std::fs::write(&file, script).expect("written");
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).expect("set");
        }
        std::fs::create_dir(folder.path().join("temporary")).expect("made");
        Browsers(folder)
    }

    fn temporary(&self) -> PathBuf {
        self.0.path().join("temporary")
    }

    fn serve(&self, arguments: &[&str], run: &Path) -> Serving {
        let mut command = ompttrace(&[&["view", "--open", "--port", "0"], arguments].concat(), run);
        let path =
            format!("{}:{}", self.0.path().display(), std::env::var("PATH").unwrap_or_default());
        command.env("PATH", path).env("SEEN", self.0.path().join("seen")).env_remove("BROWSER");
        command.env("TMPDIR", self.temporary());
        Serving::of(command)
    }

    /// The command line of the browser that was started: its words.
    fn seen(&self) -> Vec<String> {
        let (file, started) = (self.0.path().join("seen"), Instant::now());
        while !file.exists() {
            assert!(started.elapsed() < PATIENCE, "no browser was started");
            std::thread::sleep(Duration::from_millis(10));
        }
        std::fs::read_to_string(file).expect("read").lines().map(str::to_owned).collect()
    }
}

/// Every user can read command lines: the browser's names a file that only its user can read, which leads to the link.
#[test]
fn the_secret_is_in_no_command_line() {
    for arguments in [&["--ui", PAGE][..], &[]] {
        let (folder, browsers) = (folder(), Browsers::new());
        let serving = browsers.serve(arguments, folder.path());
        let secret = serving.path.split('/').nth(1).expect("a secret").to_owned();
        assert!(secret.len() == 32, "{secret}");
        let words = browsers.seen();
        assert!(words.iter().all(|word| !word.contains(&secret)), "{words:?}");
        let file = PathBuf::from(words.last().expect("a file"));
        let mode = |path: &Path| path.metadata().expect("there").permissions().mode() & 0o777;
        assert_eq!(
            (mode(&file), mode(file.parent().expect("a folder"))),
            (0o600, 0o700),
            "{words:?}"
        );
        let page = std::fs::read_to_string(&file).expect("read");
        assert!(page.contains(&serving.link.replace('&', "&amp;")), "{page}");
        let trace = match serving.path.ends_with('/') {
            true => format!("{}trace.pftrace", serving.path),
            false => serving.path.clone(),
        };
        assert_eq!(status(&serving.ask("GET", &trace, &[("Host", &serving.address)]).0), "200");
        serving.end();
        assert_eq!(names(&browsers.temporary()), [""; 0], "the file is left");
    }
}

/// Ctrl-C is the usual end of a command that no page asks.
#[test]
fn the_browsers_file_does_not_outlive_an_interrupted_command() {
    let (folder, browsers) = (folder(), Browsers::new());
    let mut serving = browsers.serve(&[], folder.path());
    browsers.seen();
    assert_eq!(names(&browsers.temporary()).len(), 1);
    let pid = rustix::process::Pid::from_child(&serving.child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).expect("sent");
    let ended = serving.child.wait().expect("waited");
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&ended), Some(2), "{ended:?}");
    assert_eq!(names(&browsers.temporary()), [""; 0], "the file is left");
}
