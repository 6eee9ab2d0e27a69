//! The command under a small limit for stacks.

use super::*;

/// Every command works with a stack of 64 KiB, and leaves the same files as otherwise.
#[test]
fn commands_do_not_depend_on_the_limit_for_stacks() {
    for arguments in [
        &["info"][..],
        &["report"],
        &["report", "--json"],
        &["inspect"],
        &["export", "--format", "perfetto,chrome,otf2,parquet"],
        &["pack"],
    ] {
        let [small, usual] = ["64", "8192"].map(|kilobytes| {
            let folder = folder();
            let mut shell = Command::new("sh");
            let limited = format!("ulimit -s {kilobytes} && exec \"$@\"");
            shell.args(["-c", &limited, "sh"]).arg(program()).args(arguments).arg(folder.path());
            let output = shell.stdin(Stdio::null()).output().expect("started");
            assert_eq!(output.status.code(), Some(0), "{arguments:?} {kilobytes}: {output:?}");
            names(folder.path())
        });
        assert_eq!(small, usual, "{arguments:?}");
    }
}
