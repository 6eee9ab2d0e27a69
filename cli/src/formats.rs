//! The writers that were asked for, each with its place.

use crate::arguments::{ExportArguments, Format};
use crate::growing::Growing;
use crate::place::Place;
use crate::writers::Writers;
use anyhow::{Result, bail};
use ompttrace_chrome::ChromeSink;
use ompttrace_model::View;
#[cfg(feature = "otf2")]
use ompttrace_otf2::Otf2Sink;
use ompttrace_perfetto::PerfettoSink;
use ompttrace_timeline::Behind;
#[cfg(feature = "otf2")]
use rustix::fs::Mode;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A file that is written beside the interpretation.
pub type Written = Counted<Behind<Growing>>;

/// How large each file of a trace has become so far, in bytes.
pub type Sizes = Vec<Arc<AtomicU64>>;

/// What one pass writes to: the writers, their places, and what is in the files so far.
type Opened = (Writers, Vec<Place>, Sizes);

/// Opens a writer for each format; of the part with this number, if the trace is one of several.
pub fn open(arguments: &ExportArguments, part: Option<usize>) -> Result<Opened> {
    limits_are_errors();
    let count = Format::ALL.iter().filter(|format| arguments.wants(**format)).count();
    if arguments.output.is_some() && count > 1 {
        bail!("--output names one trace, and several formats are asked for");
    }
    if part.is_some() && arguments.wants(Format::Otf2) {
        bail!(
            "--split is for the files of perfetto and chrome; an archive of OTF2 is cut with --from and --to"
        );
    }
    let (mut places, mut sizes) = (Vec::new(), Sizes::new());
    let helpers = Helpers::of(arguments);
    let mut writers = open_files(arguments, part, helpers.files, &mut places, &mut sizes)?;
    add_otf2(&mut writers, arguments, helpers.encoders, &mut places)?;
    Ok((writers, places, sizes))
}

/// Threads beside the one that interprets.
struct Helpers {
    /// For as many files.
    files: usize,
    /// For archives of OTF2, whose events take longest to encode.
    encoders: usize,
}

impl Helpers {
    fn of(arguments: &ExportArguments) -> Helpers {
        let all = arguments.jobs.count().get() - 1;
        let encodes = arguments.wants(Format::Otf2);
        let files = [Format::Perfetto, Format::Chrome].map(|format| arguments.wants(format));
        let files = files.iter().filter(|wanted| **wanted).count();
        let files = files.min(all.saturating_sub(usize::from(encodes)));
        Helpers { files, encoders: all - files }
    }
}

/// A writer that others may ask how much went to it.
#[derive(Debug)]
pub struct Counted<W> {
    writer: W,
    bytes: Arc<AtomicU64>,
}

impl<W: Write> Write for Counted<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let written = self.writer.write(bytes)?;
        self.bytes.fetch_add(written as u64, Ordering::Relaxed);
        Ok(written)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.writer.flush()
    }
}

/// Where a file may not grow (`ulimit -f`) a write fails, instead of a signal that ends us with half
/// a trace left behind.
fn limits_are_errors() {
    let seen = Arc::default();
    // Where it cannot be caught, all is as it was.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, seen);
}

fn open_files(
    arguments: &ExportArguments,
    part: Option<usize>,
    mut helpers: usize,
    places: &mut Vec<Place>,
    sizes: &mut Sizes,
) -> Result<Writers> {
    let view = arguments.view.map_or(View::Both, View::from);
    let mut file = |extension| -> Result<Written> {
        let output = arguments.output.as_deref();
        let name = (arguments.stem("trace"), extension);
        let (place, file) = Place::open(&arguments.run, output, part, name)?;
        places.push(place);
        let growing = Growing::new(file);
        let is_helped = helpers > 0;
        helpers = helpers.saturating_sub(1);
        let writer = if is_helped { Behind::new(growing) } else { Behind::here(growing) };
        let counted = Counted { writer, bytes: Arc::default() };
        sizes.push(Arc::clone(&counted.bytes));
        Ok(counted)
    };
    let perfetto = match arguments.wants(Format::Perfetto) {
        true => Some(PerfettoSink::new(file("pftrace")?, view)),
        false => None,
    };
    let chrome = match (arguments.wants(Format::Chrome), arguments.gzip) {
        (false, _) => None,
        (true, false) => Some(ChromeSink::new(file("json")?, view)),
        (true, true) => Some(ChromeSink::gzip(file("json.gz")?, view)),
    };
    Ok(Writers {
        perfetto,
        chrome,
        #[cfg(feature = "otf2")]
        otf2: None,
    })
}

#[cfg(feature = "otf2")]
fn add_otf2(
    writers: &mut Writers,
    arguments: &ExportArguments,
    encoders: usize,
    places: &mut Vec<Place>,
) -> Result<()> {
    if !arguments.wants(Format::Otf2) {
        return Ok(());
    }
    // The same event on two locations would be counted twice: each view is an archive of its own.
    let view = arguments.view.map_or(View::Threads, View::from);
    if arguments.output.is_some() && view == View::Both {
        bail!("--output names one archive, and --view both makes two");
    }
    let mut folder = |wanted: bool, stem: &str| {
        wanted.then(|| {
            let output = arguments.output.as_deref();
            let stem = arguments.stem(stem);
            let (place, draft) = Place::folder(&arguments.run, output, stem, "traces.otf2")?;
            places.push(place);
            anyhow::Ok(draft)
        })
    };
    let threads = folder(view.has_threads(), "trace-otf2").transpose()?;
    let regions = folder(view.has_lanes(), "trace-otf2-regions").transpose()?;
    // OTF2's library has no other way to make all its files and folders for the owner alone, as our traces are.
    rustix::process::umask(Mode::RWXG | Mode::RWXO);
    let sink = Otf2Sink::new(threads.as_deref(), regions.as_deref())?;
    writers.otf2 = Some(sink.with_encoders(encoders));
    Ok(())
}

#[cfg(not(feature = "otf2"))]
fn add_otf2(
    _: &mut Writers,
    arguments: &ExportArguments,
    _: usize,
    _: &mut Vec<Place>,
) -> Result<()> {
    if arguments.wants(Format::Otf2) {
        bail!("--format otf2: this ompttrace was built without OTF2 (feature `otf2`)");
    }
    Ok(())
}
