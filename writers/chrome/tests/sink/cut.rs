//! A file that ends early, one that is compressed, one that could not be written, one with losses.

use std::io::{self, Write};

use anyhow::Result;
use ompttrace_chrome::{ChromeSink, Error, View};
use ompttrace_model::{Executor, InstantKind, Mark, SliceKind};

use crate::fake::{Fake, START, threads};
use crate::judge::{VIEWS, judge, load};
use crate::stencil::play;

#[test]
fn a_file_cut_off_after_a_line_still_loads() -> Result<()> {
    let judged = judge(View::Both, |fake| play(fake, START, 2))?;
    let ends: Vec<usize> = (0..judged.bytes.len()).filter(|&i| judged.bytes[i] == b'\n').collect();
    for share in 1..6 {
        let end = ends[ends.len() * share / 6];
        // With the line's own newline and without: then even the comma may be missing.
        for cut in [end + 1, end, end - 1] {
            let mut processor = load(&judged.bytes[..cut], "trace.json")?;
            assert_eq!(processor.stats_errors()?, []);
            let lines = String::from_utf8_lossy(&judged.bytes[..cut]).into_owned();
            let begins =
                lines.matches("\"ph\":\"B\"").count() + lines.matches("\"ph\":\"i\"").count();
            let found = processor.query("select count(*) from slice")?.integer()?;
            assert_eq!(usize::try_from(found)?, begins);
        }
    }
    Ok(())
}

#[test]
fn a_full_disk_is_reported() {
    struct Full;
    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::Error::from(io::ErrorKind::StorageFull))
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut fake = Fake::new(ChromeSink::new(Full, View::Both), &threads(4));
    play(&mut fake, START, 400);
    assert!(fake.sink.check().is_err());
    assert!(
        matches!(fake.finish().1, Err(Error::Write(error)) if error.kind() == io::ErrorKind::StorageFull)
    );
}

#[test]
fn a_loss_is_an_instant_or_a_remark() -> Result<()> {
    for view in VIEWS {
        let mut judged = judge(view, |fake| {
            let executor = fake.on(1, "0.1");
            let outer = fake.slice(SliceKind::ImplicitTask, "implicit", 1);
            fake.begin(START, executor, &outer);
            let lost = fake.new_instant(InstantKind::Lost, "lost records", 0);
            fake.instant(START + 10, executor, &lost);
            fake.end(START + 40, executor, Mark::Cut);
            fake.reported.lost = 5;
        })?;
        judged.assert_sound()?;
        let slices = judged.lines("select distinct name, depth, ts, dur from slice where category glob 'openmp.*' order by ts")?;
        assert_eq!(slices, ["stencil.c:1 implicit|0|0|40", "lost records|1|10|0"]);
        assert_eq!(judged.written.drawn.process_instants, 0);
        let ends =
            "select count(*) from args where flat_key = 'args.end' and display_value = 'cut'";
        assert!(judged.number(ends)? > 0);
    }
    let mut judged = judge(View::Regions, |fake| {
        // On no logical thread, and threads are not shown.
        let lost = fake.new_instant(InstantKind::Lost, "lost records", 0);
        fake.instant(START + 10, Executor { thread: 1, logical_thread: None }, &lost);
        fake.reported.lost = 5;
    })?;
    judged.assert_sound()?;
    assert_eq!(judged.lines("select name from slice")?, ["5 records lost"]);
    assert_eq!(judged.written.drawn.process_instants, 1);
    Ok(())
}
