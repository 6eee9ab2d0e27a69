//! Threads whose kernel ids come again or are unknown, and which are still threads of their own.

use anyhow::Result;
use ompttrace_model::{Executor, InstantKind, Mark, SliceKind, View};

use crate::fake::{START, threads};
use crate::format::{FORMATS, Format};
use crate::judge::judge_threads;

#[test]
fn a_kernel_id_that_comes_again_is_another_thread() -> Result<()> {
    let mut twins = threads(4);
    (twins[2].os_thread, twins[3].os_thread) = (twins[1].os_thread, 0);
    twins[2].name = "io".into();
    for format in FORMATS {
        // In Perfetto's format a kernel id belongs to one thread at a time.
        let apart = format.pick(100, 0);
        let mut judged = judge_threads(format, View::Threads, &twins, |fake| {
            for thread in 0..4 {
                let (executor, at) = (fake.on(thread, "0"), START + u64::from(thread) * apart);
                let slice = fake.slice(SliceKind::ImplicitTask, "implicit", 1);
                fake.begin(at, executor, &slice);
                fake.end(at + 50, executor, Mark::Observed);
            }
        })?;
        judged.assert_sound()?;
        let names = judged.lines(
            "select th.name, s.depth from slice s join thread_track t on t.id = s.track_id \
             join thread th using (utid) where s.category glob 'openmp.*' order by th.name",
        )?;
        let expected = ["initial", "io (worker 2)", "worker 1", "worker 3"];
        assert_eq!(names, expected.map(|name| format!("{name}|0")));
        if format == Format::Perfetto {
            let ids = judged.lines("select name from thread where tid = 4799 order by 1")?;
            assert_eq!(ids, ["io (worker 2)", "worker 1"]);
        }
    }
    Ok(())
}

#[test]
fn threads_that_nobody_knows_have_tracks_of_their_own() -> Result<()> {
    let mut nameless = threads(3);
    nameless
        .iter_mut()
        .for_each(|thread| (thread.os_thread, thread.kind) = (0, Default::default()));
    for format in FORMATS {
        let mut judged = judge_threads(format, View::Threads, &nameless, |fake| {
            for thread in 0..3 {
                let plain = fake.new_instant(InstantKind::ThreadBegin, "thread begin", 0);
                fake.instant(START, Executor { thread, logical_thread: None }, &plain);
            }
        })?;
        judged.assert_sound()?;
        let names = judged.lines(
            "select th.name from slice s join thread_track t on t.id = s.track_id \
             join thread th using (utid) order by 1",
        )?;
        assert_eq!(names, ["thread 0", "thread 1", "thread 2"]);
    }
    Ok(())
}
