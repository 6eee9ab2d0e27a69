//! Texts and numbers that nobody expects.

use anyhow::Result;
use ompttrace_chrome::View;
use ompttrace_model::ompt;
use ompttrace_model::{
    Arg, ArgKey, ArgValue, Executor, Mark, RegionTrack, Slice, SliceKind, SourceLocation,
};
use ompttrace_recording::Id;

use crate::fake::START;
use crate::judge::{VIEWS, judge};

fn texts() -> Vec<String> {
    vec![
        "quotes \" ' ` and \\ back\\slash".into(),
        "two\nlines\r\n\tand a tab, \u{1}\u{8}\u{1f}\u{7f} controls".into(),
        "\u{e9}\u{4e2d}\u{6587} \u{1f525} \u{202e}reversed \u{2028} \u{feff}".into(),
        "'; drop table slice; --".into(),
        "}],\"ph\":\"E\"},{".into(),
        "\\u0041 \\\" \\\\".into(),
        "<script>alert(1)</script> %s %n ${x}".into(),
        "x".repeat(10 * 1024),
        "\u{4e2d}".repeat(10 * 1024),
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
        let tracks = judged.processor.query("select distinct name from thread")?;
        for text in texts() {
            let row = names.rows.iter().find(|row| row[0].as_str().unwrap_or_default() == text);
            let short: String = text.chars().take(30).collect();
            assert_eq!(row.and_then(|row| row[1].as_u64()), Some(tables), "{short:?}");
            assert!(tracks.rows.iter().any(|row| row[0] == *text), "{short:?}");
        }
        let messages = judged.number(
            "select count(distinct display_value) from args where flat_key = 'args.message'",
        )?;
        assert_eq!(messages, texts().len() as u64);
    }
    Ok(())
}

#[test]
fn an_empty_name_and_one_that_is_not_there_are_slices_too() -> Result<()> {
    let mut judged = judge(View::Threads, |fake| {
        let executor = Executor { thread: 0, logical_thread: None };
        let empty = fake.slice(SliceKind::Masked, "", 0);
        for (name, i) in [(empty.name, 0), (77, 1)] {
            fake.begin(START + i * 10, executor, &Slice { name, ..empty });
            fake.end(START + i * 10 + 5, executor, Mark::Observed);
        }
    })?;
    judged.assert_sound()?;
    assert_eq!(
        judged.number("select count(*) from slice where dur = 5 and category glob 'openmp.*'")?,
        2
    );
    assert_eq!(judged.number("select count(*) from slice where name = '?'")?, 1);
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
            Arg { key: ArgKey::First, value: ArgValue::Number(1 << 52) },
            Arg { key: ArgKey::Modifier, value: ArgValue::Signed(i64::MIN) },
            Arg { key: ArgKey::Result, value: ArgValue::Signed(-7) },
            Arg { key: ArgKey::WaitId, value: ArgValue::Address(u64::MAX) },
            Arg { key: ArgKey::Parent, value: ArgValue::Id(largest) },
            Arg { key: ArgKey::Region, value: ArgValue::Id(Id::NONE) },
            Arg { key: ArgKey::Kind, value: ArgValue::Word("task") },
        ];
        let plain = fake.slice(SliceKind::Task, "task", 0);
        let slice = Slice { args: &args, task: largest, flows: &[u64::MAX, 0], ..plain };
        // Before the start of the run: reported at its start.
        fake.begin(START - 7, executor, &slice);
        fake.end(START + (1 << 50), executor, Mark::Cut);
        let track = RegionTrack { level: u32::MAX, number: u32::MAX };
        fake.region(START, START + 1, track, &plain);
    })?;
    judged.assert_sound()?;
    for (key, value) in [
        ("args.bytes", "0xffffffffffffffff"),
        ("args.count", "9223372036854775807"),
        ("args.first", "4503599627370496"),
        ("args.modifier", "-9223372036854775808"),
        ("args.result", "-7"),
        ("args.wait id", "0xffffffffffffffff"),
        ("args.parent task", "i262143.4294967295"),
        ("args.region", "?"),
        ("args.kind", "task"),
        ("args.end", "cut"),
    ] {
        let sql = format!(
            "select count(*) from args where flat_key = '{key}' and display_value = '{value}'"
        );
        assert_ne!(judged.number(&sql)?, 0, "{key}");
    }
    assert_eq!(
        judged.number(&format!(
            "select count(*) from slice where dur = {} and category glob 'openmp.*'",
            1u64 << 50
        ))?,
        2
    );
    let name = "select count(*) from thread where name = 'level 4294967295 (4294967296)'";
    assert_eq!(judged.number(name)?, 1);
    Ok(())
}

#[test]
fn a_location_reports_file_and_function_or_the_module() -> Result<()> {
    let mut judged = judge(View::Threads, |fake| {
        let module = Some("libwork.so+0x1234 (build id 0badcafe)".into());
        let locations =
            [SourceLocation { module, ..SourceLocation::default() }, SourceLocation::default()];
        let [module, nothing] = locations.map(|what| fake.definitions.add_source_location(what));
        let executor = Executor { thread: 0, logical_thread: None };
        let known = fake.line(42);
        for (source, i) in [(module, 0), (nothing, 1), (known, 2)] {
            let plain = fake.slice(SliceKind::Region { league: false }, "parallel", 0);
            fake.begin(START + i * 10, executor, &Slice { source, ..plain });
            fake.end(START + i * 10 + 5, executor, Mark::Observed);
        }
    })?;
    judged.assert_sound()?;
    let reported = judged.lines(
        "select flat_key, display_value from args where flat_key in \
         ('args.location', 'args.path', 'args.function') order by 1, 2",
    )?;
    assert_eq!(
        reported,
        [
            "args.function|heat_step",
            "args.location|libwork.so+0x1234 (build id 0badcafe)",
            "args.location|stencil.c:42",
            "args.path|/home/me/src/stencil.c",
        ]
    );
    Ok(())
}
