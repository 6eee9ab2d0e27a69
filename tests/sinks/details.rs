//! Process, threads, arguments, locations: what a user sees beside slices and in them.

use anyhow::Result;
use ompttrace_model::View;

use crate::fake::{REALTIME_OFFSET, START};
use crate::format::{FORMATS, Format};
use crate::judge::judge;
use crate::stencil::play;

#[test]
fn process_and_threads_are_named() -> Result<()> {
    let mut judged = judge(Format::Perfetto, View::Threads, |fake| play(fake, START, 1))?;
    let process = judged.lines(
        "select name, pid, cmdline, extract_arg(arg_set_id, 'chrome.process_label[0]') from process \
         where pid = 4711",
    )?;
    let version = "LLVM OMP version: 5.0.20140926";
    assert_eq!(process, [format!("stencil|4711|stencil -n 100|{version}")]);
    let threads = judged
        .lines("select name, tid, is_main_thread from thread where upid != 0 order by tid desc")?;
    assert_eq!(
        threads,
        ["worker 1|4799|0", "worker 2|4798|0", "worker 3|4797|0", "initial|4711|1"]
    );
    let clock = judged.number(&format!(
        "select clock_value from clock_snapshot where clock_name = 'REALTIME' and ts = {START}"
    ))?;
    assert_eq!(clock, START.wrapping_add_signed(REALTIME_OFFSET));
    Ok(())
}

#[test]
fn slices_have_their_arguments() -> Result<()> {
    for format in FORMATS {
        let mut judged = judge(format, View::Both, |fake| play(fake, START, 1))?;
        let categories = judged.lines(
            "select distinct category from slice where category glob 'openmp.*' order by 1",
        )?;
        let expected = ["mutex", "parallel", "sync", "task", "work"];
        assert_eq!(categories, expected.map(|family| format!("openmp.{family}")));
        let arguments = [
            ("$args.location", "stencil.c:42", "stencil.c:42 parallel*", 1),
            ("source.file_name", "/home/me/src/stencil.c", "* for static*", 1),
            ("source.function_name", "heat_step", "* wait: barrier*", 1),
            ("source.line_number", "62", "* chunk", 1),
            ("$args.region", "0.1", "* parallel*", 1),
            ("$args.end", "inferred", "* implicit task*", 3),
            ("$args.logical thread", "0.3", "* implicit task*", 1),
            ("$args.thread", "worker 3", "* implicit task*", 1),
            ("$args.thread", "worker 2", "* critical update", 1),
            ("$args.logical thread", "0.2", "* critical update", 1),
            ("$args.segment", "resumed", "* task *", 12),
            ("$args.first", "224", "* chunk", 4),
        ];
        // Chrome's format has no table of source locations.
        let is_there = |key: &str| format == Format::Perfetto || !key.starts_with("source.");
        for (key, value, name, least) in arguments.into_iter().filter(|row| is_there(row.0)) {
            let found = judged.number(&format!(
                "select count(*) from slice join args using (arg_set_id) where name glob '{name}' \
                 and flat_key = '{key}' and display_value = '{value}'"
            ))?;
            assert!(found >= least, "{key} = {value} on {name}: {found}");
        }
        let coloured = "select count(*) from args where flat_key = 'correlation_id'";
        assert_eq!(judged.number(coloured)?, 0, "tasks are coloured by construct, not one by one");
        let uncertain = "select count(*) from args where flat_key = '$args.certainty' or \
                         flat_key glob '$args.*[?]'";
        assert_eq!(judged.number(uncertain)?, 0);
    }
    Ok(())
}
