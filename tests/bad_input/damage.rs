//! From a damaged recording to its traces: whatever is read, all writers come to an end, without a
//! panic and in memory that does not follow what the bytes claim.

use std::cell::Cell;
use std::fs;
use std::io;
use std::num::NonZero;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use ompttrace_chrome::ChromeSink;
use ompttrace_model::Sink;
use ompttrace_otf2::Otf2Sink;
use ompttrace_parquet::{Options, ParquetSink};
use ompttrace_perfetto::{PerfettoSink, View};
use ompttrace_recording::fragment::{FragmentHeader, HEADER_BYTES};
use ompttrace_recording::{FORMAT_VERSION, PinnedFolder, Recording};
use ompttrace_report::{Beside, Report, ReportSink, html, text};
use ompttrace_tests::traced::{self, By, RECORD_ONLY, Traced};
use ompttrace_tests::{extent, programs};
use ompttrace_timeline::WindowOptions;
use serde_json::Value;

use super::memory;
use super::small;
use ompttrace_tests::seeded::Seeded;

/// Far more than a small recording needs: two megabytes of buffers and tables.
const MEMORY: usize = 48 << 20;
const HOSTILE: [u64; 12] = [
    0,
    1,
    7,
    8,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    1 << 48,
    i64::MAX as u64,
    1 << 63,
    u64::MAX - 7,
    u64::MAX,
];

/// Archives are folders full of files: one is made of every so many recordings.
const FOR_AN_ARCHIVE: u64 = 16;
/// A page of a report takes as long as all else: CI has one made of every so many recordings.
const FOR_A_PAGE: u64 = 4;

/// The outputs that are made of a recording beside traces.
#[derive(Clone, Copy, Debug)]
struct Made {
    archive: bool,
    page: bool,
}

impl Made {
    const ALL: Made = Made { archive: true, page: true };

    /// Exports to make of the recording with this number.
    fn of(number: u64) -> Made {
        Made {
            archive: number.is_multiple_of(FOR_AN_ARCHIVE),
            page: number.is_multiple_of(extent::rounds(FOR_A_PAGE, 1)),
        }
    }
}

/// Reads and exports as `ompttrace export` does; an error is as good as a trace. Archives have threads of their own.
fn survive(run: &Path, made: Made) -> Result<Option<u64>> {
    let (records, held) = match made.archive {
        true => memory::most_below(MEMORY, || exported(run, made)),
        false => memory::most_here(|| exported(run, made)),
    };
    ensure!(held < MEMORY, "{held} bytes of memory");
    Ok(records)
}

/// The number of records, if it could be read.
fn exported(run: &Path, made: Made) -> Option<u64> {
    let archives = made.archive.then(|| tempfile::tempdir_in("/dev/shm").expect("a folder"));
    let recording = Recording::open(run).ok()?;
    let native = ompttrace_timeline::run(&recording, PerfettoSink::new(io::sink(), View::Both));
    let json = ompttrace_timeline::run(&recording, ChromeSink::new(io::sink(), View::Both));
    assert_eq!(native.is_ok(), json.is_ok());
    let sums = ompttrace_timeline::run(&recording, ReportSink::new());
    assert_eq!(native.is_ok(), sums.is_ok());
    if let (true, Ok((report, _))) = (made.page, &sums) {
        words(report);
    }
    if let Some(folder) = &archives {
        let options = WindowOptions {
            min_resume_ns: ReportSink::MIN_RESUME_NS,
            jobs: NonZero::<usize>::MIN,
            window: None,
            shown: Default::default(),
            watch: &mut |_, _| {},
            job: None,
        };
        let beside = Beside::windows(ReportSink::new());
        let beside = ompttrace_timeline::run_in_windows(&recording, beside, options);
        let beside = beside.map(|joined| joined.output);
        let json = |report| serde_json::to_value(report).expect("JSON");
        assert!(sums.ok().map(|(report, _)| json(report)) == beside.ok().map(json));
        let [threads, logical_threads] =
            ["threads", "logical-threads"].map(|name| folder.path().join(name));
        let sink = Otf2Sink::new(Some(&threads), Some(&logical_threads)).expect("archives begun");
        let archives = ompttrace_timeline::run(&recording, sink);
        assert_eq!(native.is_ok(), archives.is_ok());
        for intervals in [false, true] {
            let scratch = PinnedFolder::open(folder.path()).expect("a folder");
            let tables = scratch.private(format!("tables-{intervals}")).expect("a folder");
            let options = Options { intervals, ..Options::default() };
            let sink = ParquetSink::begin(tables, options);
            let tables = ompttrace_timeline::run(&recording, sink);
            assert_eq!(native.is_ok(), tables.is_ok(), "{:?}", tables.err());
        }
    }
    native.ok().map(|(_, summary)| summary.records)
}

/// Renders a report as text, as a page and as JSON; none of them may panic.
fn words(report: &Report) {
    assert!(text::render(report, 10, Some(80)).contains("Findings"));
    assert!(
        html::render(report, &html::Extras::default(), 10).expect("a page").contains("</html>")
    );
    serde_json::to_value(report).expect("JSON");
}

/// A recording whose files a test changes and restores.
struct Victim {
    _traced: Traced,
    run: PathBuf,
    files: Vec<(PathBuf, Vec<u8>)>,
    /// Number of damages so far.
    damages: Cell<u64>,
}

impl Victim {
    fn closed() -> Result<Victim> {
        let (traced, run) = small()?;
        Victim::of(traced, run)
    }

    /// A run that was killed and still has its pool, in its run folder.
    fn killed() -> Result<Victim> {
        let program = programs::by_name("c/quick_death")?;
        let settings = [RECORD_ONLY, ("OMPTTRACE_BUFFER", "4K@run")];
        let runtime = ompttrace_tests::runtimes::libomp_19()?;
        let traced = traced::run_in_memory(&program, &runtime, By::Runtime, &settings)?;
        let run = traced.scratch.only_run()?;
        ensure!(run.join("pool").is_file(), "no pool");
        Victim::of(traced, run)
    }

    fn of(traced: Traced, run: PathBuf) -> Result<Victim> {
        let mut files = Vec::new();
        for entry in fs::read_dir(&run)? {
            let path = entry?.path();
            files.push((path.clone(), fs::read(&path)?));
        }
        files.sort();
        let whole = survive(&run, Made::ALL)?;
        ensure!(whole > Some(10), "{whole:?} records");
        Ok(Victim { _traced: traced, run, files, damages: Cell::new(0) })
    }

    /// Temporarily replaces a file's bytes by these.
    fn with(&self, path: &Path, own: &[u8], bytes: &[u8], what: &str) -> Result<Option<u64>> {
        fs::write(path, bytes)?;
        self.damages.update(|damages| damages + 1);
        let made = Made::of(self.damages.get());
        let records =
            survive(&self.run, made).with_context(|| format!("{}: {what}", path.display()));
        fs::write(path, own)?;
        records
    }

    fn of_name(&self, beginning: &str) -> impl Iterator<Item = &(PathBuf, Vec<u8>)> {
        let fits = move |path: &Path| {
            path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(beginning))
        };
        self.files.iter().filter(move |(path, _)| fits(path))
    }
}

/// An export without an archive allocates on its own thread only, so that the memory counted there is all of it.
#[test]
fn an_export_has_no_other_thread() -> Result<()> {
    let (_traced, run) = small()?;
    let made = Made { archive: false, page: true };
    let (_, here) = memory::most_here(|| exported(&run, made));
    // Other tests take memory meanwhile, but not each time.
    let is_all = |_| memory::most(|| exported(&run, made)).1 < here + here / 2;
    ensure!((0..100).any(is_all), "more than {here} bytes");
    Ok(())
}

/// Reads the recording with each file cut at every length, in CI at every third, and exports it where the number of records
/// changes.
#[test]
fn cut_at_every_length() -> Result<()> {
    for victim in [Victim::closed()?, Victim::killed()?] {
        let whole = records(&victim.run);
        for (path, own) in &victim.files {
            let mut exported = None;
            // From behind, so that no byte is written twice.
            fs::write(path, own)?;
            let file = fs::File::options().write(true).open(path)?;
            for cut in (0..own.len()).rev().step_by(extent::rounds(3, 1)) {
                file.set_len(cut as u64)?;
                let (found, held) = memory::most_here(|| records(&victim.run));
                ensure!(held < MEMORY && found <= whole, "{} cut at {cut}", path.display());
                if exported != Some(found) {
                    survive(&victim.run, Made::of(cut as u64))
                        .with_context(|| format!("cut at {cut}"))?;
                    exported = Some(found);
                }
            }
            fs::write(path, own)?;
        }
    }
    Ok(())
}

/// Number of records in the recording; None if it cannot be opened.
fn records(run: &Path) -> Option<u64> {
    let recording = Recording::open(run).ok()?;
    let mut found = 0;
    for thread in 0..recording.threads.len() {
        let mut stream = recording.stream(thread);
        while stream.take(|_| found += 1).is_some() {}
    }
    Some(found)
}

#[test]
fn flipped_bits() -> Result<()> {
    for victim in [Victim::closed()?, Victim::killed()?] {
        // An event file that was opened and not written yet has no bits.
        for (path, own) in victim.files.iter().filter(|(_, own)| !own.is_empty()) {
            for seed in 0..extent::rounds(100, 300) {
                let mut random = Seeded::new(seed);
                let mut bytes = own.clone();
                for _ in 0..=random.below(3) {
                    let at = random.below(bytes.len().min(3 * 4096));
                    bytes[at] ^= 1 << random.below(8);
                }
                victim.with(path, own, &bytes, &format!("seed {seed}"))?;
            }
        }
    }
    Ok(())
}

/// Each word of the records, and of the pool's pages, is replaced by one that no writer makes.
#[test]
fn hostile_words() -> Result<()> {
    for victim in [Victim::closed()?, Victim::killed()?] {
        for (path, own) in victim.of_name("events").chain(victim.of_name("pool")) {
            let used = own.len().min(2 * 4096 + 512);
            for at in (0..used).step_by(8).filter(|at| own[*at..at + 8] != [0; 8]) {
                let mut random = Seeded::new(at as u64);
                let hostile = [*random.one_of(&HOSTILE), *random.one_of(&HOSTILE), random.draw()];
                for hostile in hostile.into_iter().take(extent::rounds(1, 3)) {
                    let mut bytes = own.clone();
                    bytes[at..at + 8].copy_from_slice(&hostile.to_ne_bytes());
                    victim.with(path, own, &bytes, &format!("{hostile:#x} at {at}"))?;
                }
            }
        }
    }
    Ok(())
}

/// Headers whose check sums are right and whose claims are not.
#[test]
fn hostile_headers() -> Result<()> {
    let victim = Victim::closed()?;
    for (path, own) in victim.of_name("events") {
        let (header, area) = FragmentHeader::parse(own).context("a fragment")?;
        for seed in 0..extent::rounds(130, 400) {
            let mut random = Seeded::new(seed);
            let mut one =
                |own: u64| if random.below(3) == 0 { *random.one_of(&HOSTILE) } else { own };
            let made = FragmentHeader {
                session: one(header.session.into()) as u32,
                thread: one(header.thread.into()) as u32,
                chunk: one(header.chunk),
                offset: one(header.offset.into()) as u32,
                bytes: one(header.bytes.into()) as u32,
                os_thread: one(header.os_thread.into()) as u32,
                ticks: one(header.ticks),
                monotonic: one(header.monotonic),
            };
            let words = made.to_words_in(one(area.into()) as u32);
            let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
            bytes.extend_from_slice(&own[HEADER_BYTES..]);
            // Once in its place, and once more after the sound one.
            victim.with(path, own, &bytes, &format!("{made:?}"))?;
            victim.with(path, own, &[own.as_slice(), &bytes].concat(), &format!("and {made:?}"))?;
        }
    }
    Ok(())
}

/// Facts of every type and size instead of each fact.
#[test]
fn hostile_facts() -> Result<()> {
    for victim in [Victim::closed()?, Victim::killed()?] {
        let (path, own) = victim.of_name("recording.json").next().context("facts")?;
        let facts: Value = serde_json::from_slice(own)?;
        let long = "x/".repeat(1 << 12);
        let hostile = [
            Value::Null,
            0.into(),
            u64::MAX.into(),
            i64::MIN.into(),
            1e300.into(),
            "".into(),
            "\u{0}\n\u{1b}[2J\"".into(),
            long.as_str().into(),
            "../../../../etc/passwd".into(),
            "/etc/passwd".into(),
            "/dev/zero".into(),
            Value::Array(vec![Value::Null; 3]),
            Value::Object(serde_json::Map::new()),
        ];
        let mut pointers = Vec::new();
        pointers_of(&facts, String::new(), &mut pointers);
        for (at, pointer) in pointers.into_iter().enumerate() {
            // CI has every third value of a fact, and others of the next fact.
            let every = extent::rounds(3, 1);
            for value in hostile.iter().skip(at % every).step_by(every) {
                let mut facts = facts.clone();
                *facts.pointer_mut(&pointer).context("there")? = value.clone();
                let text = serde_json::to_vec(&facts)?;
                victim.with(path, own, &text, &format!("{pointer}: {value}"))?;
            }
        }
        for version in [0, 3, FORMAT_VERSION + 1, u32::MAX] {
            let mut facts = facts.clone();
            facts["format"] = version.into();
            let records = victim.with(path, own, &serde_json::to_vec(&facts)?, "version")?;
            ensure!(records.is_none(), "version {version} was read");
        }
    }
    Ok(())
}

/// The path of every value, but of at most three elements of an array.
fn pointers_of(value: &Value, path: String, all: &mut Vec<String>) {
    if let Some(object) = value.as_object() {
        object.iter().for_each(|(name, value)| pointers_of(value, format!("{path}/{name}"), all));
    }
    if let Some(array) = value.as_array() {
        let some = array.iter().take(3).enumerate();
        some.for_each(|(at, value)| pointers_of(value, format!("{path}/{at}"), all));
    }
    all.push(path);
}

/// Modules that are no text, have no end, or lie about their addresses.
#[test]
fn hostile_modules() -> Result<()> {
    let victim = Victim::closed()?;
    let (path, own) = victim.of_name("modules").next().context("modules")?;
    let lines = [
        "ffffffffffffffff-0 0 - /bin/sh\n",
        "0-ffffffffffffffff ffffffffffffffff - /bin/sh\n",
        "0-ffffffffffffffff 0 - /dev/zero\n",
        "0-ffffffffffffffff 0 - /dev/stdin\n",
        "0-ffffffffffffffff 0 - /\n",
        "0-ffffffffffffffff 0 zz \u{0}\n",
        "@ 99999999999999999999999\n",
        "- - - -\n",
    ];
    for line in lines {
        victim.with(path, own, line.as_bytes(), line)?;
        victim.with(path, own, &[line.as_bytes(), own].concat(), line)?;
        victim.with(path, own, line.repeat(20_000).as_bytes(), line)?;
    }
    Ok(())
}
