//! Texts and numbers that nobody expects.

use anyhow::Result;
use ompttrace_model::{
    Arg, ArgKey, ArgValue, Executor, Mark, RegionTrack, Slice, SliceKind, SourceLocation, View,
    ompt,
};
use ompttrace_recording::Id;

use crate::fake::START;
use crate::format::{FORMATS, Format};
use crate::judge::{all, judge};

fn texts(format: Format) -> Vec<String> {
    let mut texts = vec![
        "quotes \" ' ` and \\ back\\slash".into(),
        "two\nlines\r\n\tand a tab, \u{1}\u{8}\u{1f}\u{7f} controls".into(),
        "\u{e9}\u{4e2d}\u{6587} \u{1f525} \u{202e}reversed \u{2028} \u{feff}".into(),
        "'; drop table slice; --".into(),
        "}],\"ph\":\"E\"},{".into(),
        "\\u0041 \\\" \\\\".into(),
        "<script>alert(1)</script> %s %n ${x}".into(),
        "x".repeat(10 * 1024),
        "\u{4e2d}".repeat(10 * 1024),
    ];
    // The trace processor takes no JSON in which a track has such a name.
    texts.extend(format.pick(Some(String::new()), None));
    texts
}

#[test]
fn hostile_names_come_through() -> Result<()> {
    for (format, view) in all() {
        let texts = texts(format);
        let mut judged = judge(format, view, |fake| {
            for (text, i) in texts.iter().zip(0u64..) {
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
        let names = judged.rows("select name, count(*) n from slice group by name")?;
        let tracks = judged.rows("select name from $locks")?;
        for text in &texts {
            let row = names.rows.iter().find(|row| row[0].as_str().unwrap_or_default() == text);
            let short: String = text.chars().take(30).collect();
            assert_eq!(row.and_then(|row| row[1].as_u64()), Some(tables), "{short:?}");
            assert!(tracks.rows.iter().any(|row| row[0] == **text), "{short:?}");
        }
        let messages = judged.number(
            "select count(distinct display_value) from args where flat_key = '$args.message'",
        )?;
        assert_eq!(messages, texts.len() as u64);
    }
    Ok(())
}

#[test]
fn an_empty_name_and_one_that_is_not_there_are_slices_too() -> Result<()> {
    for format in FORMATS {
        let mut judged = judge(format, View::Threads, |fake| {
            let executor = Executor { thread: 0, logical_thread: None };
            let empty = fake.slice(SliceKind::Masked, "", 0);
            for (name, i) in [(empty.name, 0), (77, 1)] {
                fake.begin(START + i * 10, executor, &Slice { name, ..empty });
                fake.end(START + i * 10 + 5, executor, Mark::Observed);
            }
        })?;
        judged.assert_sound()?;
        let slices = "select count(*) from slice where dur = 5 and category glob 'openmp.*'";
        assert_eq!(judged.number(slices)?, 2);
        assert_eq!(judged.number("select count(*) from slice where name = '?'")?, 1);
    }
    Ok(())
}

#[test]
fn numbers_at_their_limits() -> Result<()> {
    for format in FORMATS {
        // JSON's numbers keep every nanosecond for 52 days. What is before the start of the run is at its start there.
        let (begin, longest) = format.pick((START, u64::MAX / 4), (START - 7, 1 << 50));
        let mut judged = judge(format, View::Both, |fake| {
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
            fake.begin(begin, executor, &slice);
            fake.end(START + longest, executor, Mark::Cut);
            let track = RegionTrack { level: u32::MAX, number: u32::MAX };
            fake.region(START, START + 1, track, &plain);
        })?;
        judged.assert_sound()?;
        for (key, value) in [
            ("bytes", "0xffffffffffffffff"),
            ("count", "9223372036854775807"),
            ("first", "4503599627370496"),
            ("modifier", "-9223372036854775808"),
            ("result", "-7"),
            ("wait id", "0xffffffffffffffff"),
            ("parent task", "i262143.4294967295"),
            ("region", "?"),
            ("kind", "task"),
            ("end", "cut"),
        ] {
            let found = judged.number(&format!(
                "select count(*) from args where flat_key = '$args.{key}' and display_value = '{value}'"
            ))?;
            assert_ne!(found, 0, "{key}");
        }
        let long = format!(
            "select count(*) from slice where dur = {longest} and category glob 'openmp.*'"
        );
        assert_eq!(judged.number(&long)?, 2);
        assert_eq!(judged.lines("select name from $regions")?, ["level 4294967295 (4294967296)"]);
    }
    Ok(())
}

#[test]
fn a_location_reports_file_and_function_or_the_module() -> Result<()> {
    for format in FORMATS {
        let mut judged = judge(format, View::Threads, |fake| {
            let module = Some("libwork.so+0x1234 (build id 0badcafe)".into());
            let module = SourceLocation { module, ..SourceLocation::default() };
            let unknown = [module, SourceLocation::default()];
            let [module, nothing] = unknown.map(|what| fake.definitions.add_source_location(what));
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
            "select flat_key, display_value from args where flat_key in ('$args.location', \
             '$args.path', '$args.function', 'source.file_name', 'source.function_name') \
             order by 1, 2",
        )?;
        let expected = format.pick(
            [
                "debug.location|libwork.so+0x1234 (build id 0badcafe)",
                "debug.location|stencil.c:42",
                "source.file_name|/home/me/src/stencil.c",
                "source.file_name|libwork.so+0x1234 (build id 0badcafe)",
                "source.function_name|null",
                "source.function_name|heat_step",
            ]
            .as_slice(),
            &[
                "args.function|heat_step",
                "args.location|libwork.so+0x1234 (build id 0badcafe)",
                "args.location|stencil.c:42",
                "args.path|/home/me/src/stencil.c",
            ],
        );
        assert_eq!(reported, expected);
    }
    Ok(())
}
