//! The files of traces: compressed inside, as a whole, or not at all; and the number of bytes written to each.

use super::Draft;
use super::table::{Format, row};
use crate::arguments::ExportArguments;
use crate::deflated::{self, Deflated, Workers};
use crate::gzip::Packed;
use crate::output_path::OutputPath;
use crate::preallocated::PreallocatedFile;
use anyhow::Result;
use ompttrace_timeline::BackgroundWriter;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes of each file of a trace so far.
pub type Sizes = Vec<Arc<AtomicU64>>;

/// A file whose number of written bytes others may read.
pub struct Counted {
    writer: Box<dyn Write + Send>,
    bytes: Arc<AtomicU64>,
}

impl Counted {
    /// Counts the bytes written to `writer`.
    pub fn new(writer: impl Write + Send + 'static) -> (Self, Arc<AtomicU64>) {
        let bytes = Arc::default();
        (Counted { writer: Box::new(writer), bytes: Arc::clone(&bytes) }, bytes)
    }
}

impl Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let written = self.writer.write(bytes)?;
        self.bytes.fetch_add(written as u64, Ordering::Relaxed);
        Ok(written)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.writer.flush()
    }
}

/// Opens the files of one trace after the other.
pub struct Files<'a> {
    arguments: &'a ExportArguments,
    part: Option<usize>,
    workers: Option<Arc<Workers>>,
    /// Number of threads that may still be used to write files.
    helpers: usize,
    pub sizes: Sizes,
}

impl<'a> Files<'a> {
    /// The files of the part with this number, if the trace is one of several.
    pub fn new(arguments: &'a ExportArguments, part: Option<usize>) -> Files<'a> {
        // Formats are made one after the other, except for several parts of a run: these are interpreted by the calling
        // thread, while otherwise others do so. Then it writes, if there are no more than two of them: to join windows
        // takes it little time, and to copy bytes to a further thread costs more than is gained. To compress takes longer.
        let helpers = arguments.helpers();
        let needs_others = arguments.split.is_some() || arguments.gzip;
        let workers = arguments.compress.then(|| deflated::workers(helpers));
        let helpers = if needs_others { helpers } else { helpers.saturating_sub(1) };
        Files { arguments, part, workers, helpers, sizes: Sizes::new() }
    }

    /// Opens a file, of one of several traces of which one will be kept if it has a resolution.
    pub fn open(
        &mut self,
        format: Format,
        resolution: Option<u64>,
        drafts: &mut Vec<Draft>,
    ) -> Result<Counted> {
        let (arguments, row) = (self.arguments, row(format));
        let [plain, gzipped] = row.extensions;
        let extension = if arguments.gzip { gzipped } else { plain };
        let (output, name) = (arguments.output.as_deref(), (arguments.stem(row.stem), extension));
        let (output_path, file) = OutputPath::open(&arguments.run, output, self.part, name)?;
        drafts.push(Draft { output_path, format, resolution });
        let file = PreallocatedFile::new(file);
        let (file, size) = match &self.workers {
            Some(workers) => Counted::new(Deflated::new(file, workers)),
            None => {
                let packed = Packed::new(file, arguments.gzip && plain != gzipped);
                // Samples are written when all of them are known.
                let is_helped = self.helpers > 0 && !row.is_of_samples;
                self.helpers -= usize::from(is_helped);
                Counted::new(if is_helped {
                    BackgroundWriter::new(packed)
                } else {
                    BackgroundWriter::here(packed)
                })
            }
        };
        self.sizes.push(size);
        Ok(file)
    }
}
