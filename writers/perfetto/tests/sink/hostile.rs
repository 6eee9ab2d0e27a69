//! Texts and numbers that nobody expects.

use anyhow::Result;
use ompttrace_model::ompt;
use ompttrace_model::{
    Arg, ArgKey, ArgValue, Executor, InstantKind, Mark, RegionTrack, Slice, SliceKind,
    SourceLocation,
};
use ompttrace_perfetto::View;
use ompttrace_recording::Id;

use crate::fake::{START, threads};
use crate::judge::{VIEWS, judge, judge_threads};

fn texts() -> Vec<String> {
    vec![
        "quotes \" ' ` and \\ back\\slash".into(),
        "two\nlines\r\n\tand a tab".into(),
        "\u{e9}\u{4e2d}\u{6587} \u{1f525} \u{202e}reversed".into(),
        "'; drop table slice; --".into(),
        "<script>alert(1)</script> %s %n ${x}".into(),
        "x".repeat(10 * 1024),
        "\u{4e2d}".repeat(10 * 1024),
        String::new(),
    ]
}

#[test]
fn hostile_names_come_through() -> Result<()> {
    for view in VIEWS {
        let mut judged = judge(view, |fake| {
            for (text, i) in texts().iter().zip(0u64..) {
                let executor = fake.on(0, text);
                let lock = fake.lock(text);
                let value = ArgValue::Text(fake.name(text));
                let args = [Arg { key: ArgKey::Message, value }];
                let plain = fake.slice(SliceKind::MutexHold(ompt::Mutex::Lock), text, 0);
                let slice = Slice { args: &args, ..plain };
                let at = START + i * 100;
                fake.begin(at, executor, &slice);
                fake.hold(at + 1, at + 2, lock, executor, &slice);
                fake.end(at + 50, executor, Mark::Observed);
            }
        })?;
        judged.assert_sound()?;
        let tables = if view == View::Both { 3 } else { 2 };
        let names = judged.processor.query("select name, count(*) n from slice group by name")?;
        for text in texts() {
            let row = names.rows.iter().find(|row| row[0].as_str().unwrap_or_default() == text);
            let short: String = text.chars().take(30).collect();
            assert_eq!(row.and_then(|row| row[1].as_u64()), Some(tables), "{short:?}");
        }
        let messages = judged.number(
            "select count(distinct display_value) from args where flat_key = 'debug.message'",
        )?;
        assert_eq!(messages, texts().len() as u64);
    }
    Ok(())
}

#[test]
fn numbers_at_their_limits() -> Result<()> {
    let mut judged = judge(View::Both, |fake| {
        let executor = fake.on(3, "0.3");
        // With both upper bits it would be a source's own number, which no writer sees.
        let largest = Id(u64::MAX >> 1);
        let args = [
            Arg { key: ArgKey::Bytes, value: ArgValue::Number(u64::MAX) },
            Arg { key: ArgKey::Count, value: ArgValue::Number(i64::MAX as u64) },
            Arg { key: ArgKey::Modifier, value: ArgValue::Signed(i64::MIN) },
            Arg { key: ArgKey::WaitId, value: ArgValue::Address(u64::MAX) },
            Arg { key: ArgKey::Parent, value: ArgValue::Id(largest) },
            Arg { key: ArgKey::Region, value: ArgValue::Id(Id::NONE) },
            Arg { key: ArgKey::Kind, value: ArgValue::Word("task") },
        ];
        let plain = fake.slice(SliceKind::Task, "task", 0);
        let slice = Slice { args: &args, task: largest, flows: &[u64::MAX, 0], ..plain };
        fake.begin(START, executor, &slice);
        fake.end(START + u64::MAX / 4, executor, Mark::Cut);
        let track = RegionTrack { level: u32::MAX, number: u32::MAX };
        fake.region(START, START + 1, track, &plain);
    })?;
    judged.assert_sound()?;
    for (key, value) in [
        ("debug.bytes", "0xffffffffffffffff"),
        ("debug.count", "9223372036854775807"),
        ("debug.modifier", "-9223372036854775808"),
        ("debug.wait id", "0xffffffffffffffff"),
        ("debug.parent task", "i262143.4294967295"),
        ("debug.region", "?"),
        ("debug.kind", "task"),
        ("debug.end", "cut"),
    ] {
        let sql = format!(
            "select count(*) from args where flat_key = '{key}' and display_value = '{value}'"
        );
        assert_ne!(judged.number(&sql)?, 0, "{key}");
    }
    let name = "select count(*) from track where name = 'level 4294967295 (4294967296)'";
    assert_eq!(judged.number(name)?, 1);
    Ok(())
}

#[test]
fn a_location_without_lines_reports_the_module() -> Result<()> {
    let mut judged = judge(View::Threads, |fake| {
        let module = Some("libwork.so+0x1234 (build id 0badcafe)".into());
        let locations =
            [SourceLocation { module, ..SourceLocation::default() }, SourceLocation::default()];
        let [module, nothing] = locations.map(|what| fake.definitions.add_source_location(what));
        let executor = Executor { thread: 0, logical_thread: None };
        for (source, i) in [(module, 0), (nothing, 1)] {
            let plain = fake.slice(SliceKind::Region { league: false }, "parallel", 0);
            fake.begin(START + i * 10, executor, &Slice { source, ..plain });
            fake.end(START + i * 10 + 5, executor, Mark::Observed);
        }
    })?;
    judged.assert_sound()?;
    let reported = judged.lines("select flat_key, display_value from args where flat_key in ('debug.location', 'source.file_name') order by 1")?;
    let module = "libwork.so+0x1234 (build id 0badcafe)";
    assert_eq!(
        reported,
        [format!("debug.location|{module}"), format!("source.file_name|{module}")]
    );
    Ok(())
}

#[test]
fn threads_that_nobody_knows_have_tracks_of_their_own() -> Result<()> {
    let mut nameless = threads(3);
    nameless
        .iter_mut()
        .for_each(|thread| (thread.os_thread, thread.kind) = (0, Default::default()));
    let mut judged = judge_threads(View::Threads, &nameless, |fake| {
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
    Ok(())
}
