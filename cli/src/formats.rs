//! The writers that were asked for, each with its place.

use crate::arguments::{ExportArguments, Format};
use crate::place::Place;
use anyhow::{Result, bail};
use ompttrace_chrome::ChromeSink;
#[cfg(feature = "otf2")]
use ompttrace_otf2::Otf2Sink;
use ompttrace_perfetto::PerfettoSink;
use ompttrace_timeline::{Behind, Both, View};
use std::fs::File;
#[cfg(feature = "otf2")]
use std::os::unix::fs::PermissionsExt;

/// Writers for one pass: those that were not asked for are absent.
#[cfg(feature = "otf2")]
pub type Writers = Both<Drawn, Option<Otf2Sink>>;
/// Writers for one pass: those that were not asked for are absent.
#[cfg(not(feature = "otf2"))]
pub type Writers = Drawn;

type Drawn = Both<Option<PerfettoSink<Written>>, Option<ChromeSink<Written>>>;

/// A file that is written beside the interpretation.
type Written = Behind<File>;

/// Opens a writer for each format.
pub fn open(arguments: &ExportArguments) -> Result<(Writers, Vec<Place>)> {
    limits_are_errors();
    let count = Format::ALL.iter().filter(|format| arguments.wants(**format)).count();
    if arguments.output.is_some() && count > 1 {
        bail!("--output names one trace, and several formats are asked for");
    }
    let mut places = Vec::new();
    let drawn = open_drawn(arguments, &mut places)?;
    Ok((with_otf2(drawn, arguments, &mut places)?, places))
}

/// Where a file may not grow (`ulimit -f`) a write fails, instead of a signal that ends us with half
/// a trace left behind.
fn limits_are_errors() {
    let seen = std::sync::Arc::default();
    // Where it cannot be caught, all is as it was.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, seen);
}

fn open_drawn(arguments: &ExportArguments, places: &mut Vec<Place>) -> Result<Drawn> {
    let view = arguments.view.map_or(View::Both, View::from);
    let mut file = |extension| -> Result<Written> {
        let (place, file) = Place::open(&arguments.run, arguments.output.as_deref(), extension)?;
        places.push(place);
        Ok(Behind::new(file))
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
    Ok(Both(perfetto, chrome))
}

#[cfg(feature = "otf2")]
fn with_otf2(
    drawn: Drawn,
    arguments: &ExportArguments,
    places: &mut Vec<Place>,
) -> Result<Writers> {
    if !arguments.wants(Format::Otf2) {
        return Ok(Both(drawn, None));
    }
    // The same event on two locations would be counted twice: each view is an archive of its own.
    let view = arguments.view.map_or(View::Threads, View::from);
    if arguments.output.is_some() && view == View::Both {
        bail!("--output names one archive, and --view both makes two");
    }
    let mut folder = |wanted: bool, stem| {
        wanted.then(|| {
            let output = arguments.output.as_deref();
            let (place, draft) = Place::folder(&arguments.run, output, stem, "traces.otf2")?;
            places.push(place);
            anyhow::Ok(draft)
        })
    };
    let threads = folder(view.has_threads(), "trace-otf2").transpose()?;
    let regions = folder(view.has_lanes(), "trace-otf2-regions").transpose()?;
    let sink = Otf2Sink::new(threads.as_deref(), regions.as_deref())?;
    for folder in [threads, regions].into_iter().flatten() {
        // As all our traces, for nobody else to read unless the user wants it.
        let _ = std::fs::set_permissions(folder, PermissionsExt::from_mode(0o700));
    }
    Ok(Both(drawn, Some(sink)))
}

#[cfg(not(feature = "otf2"))]
fn with_otf2(drawn: Drawn, arguments: &ExportArguments, _: &mut Vec<Place>) -> Result<Writers> {
    if arguments.wants(Format::Otf2) {
        bail!("--format otf2: this ompttrace was built without OTF2 (feature `otf2`)");
    }
    Ok(drawn)
}
