//! A table's file: row groups, encoded by other threads where there are some, in their order.

use crate::Error;
use crate::column::{Column, Spec, schema};
use crate::encode::{Chunk, Encoding};
use ompttrace_recording::PinnedFolder;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::metadata::{KeyValue, SortingColumn};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::ColumnPath;
use std::collections::VecDeque;
use std::fs::File;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{Builder, JoinHandle};

/// What a file is made by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Table {
    /// Its name, and the file's.
    pub name: &'static str,
    pub columns: &'static [Spec],
    /// By which columns each row group is sorted.
    pub sorted_by: &'static [i32],
}

/// A table that is being written.
pub(crate) struct TableFile {
    writer: SerializedFileWriter<File>,
    encoding: Encoding,
    encoders: Vec<Encoder>,
    /// The encoders that have row groups at work, the one with the first of them first.
    at_work: VecDeque<usize>,
    next: usize,
}

impl TableFile {
    /// Makes `NAME.parquet` in a folder, with this many threads to encode at most.
    pub(crate) fn create(
        folder: &PinnedFolder,
        table: &Table,
        version: &str,
        threads: usize,
    ) -> Result<TableFile, Error> {
        let file = folder.create(format!("{}.parquet", table.name))?;
        let properties = Arc::new(properties(table, version));
        let writer =
            SerializedFileWriter::new(file, schema(table.name, table.columns)?, properties)?;
        let encoding = Encoding {
            schema: Arc::new(writer.schema_descr().clone()),
            properties: writer.properties().clone(),
        };
        let encoders = (0..threads).map_while(|number| Encoder::start(number, &encoding).ok());
        let encoders = encoders.collect();
        Ok(TableFile { writer, encoding, encoders, at_work: VecDeque::new(), next: 0 })
    }

    /// Adds a row group.
    pub(crate) fn put(&mut self, columns: Vec<Column>) -> Result<(), Error> {
        if self.encoders.is_empty() {
            let chunks = self.encoding.encode(columns)?;
            return self.append(chunks);
        }
        // Each encoder has one at work and none waiting, so that memory is bounded.
        if self.at_work.len() == self.encoders.len() {
            self.take_first()?;
        }
        let number = self.next;
        self.next = (number + 1) % self.encoders.len();
        let encoder = self.encoders.get(number).ok_or(Error::Thread("none of this number"))?;
        encoder.columns.send(columns).map_err(|_| Error::Thread("while it encoded"))?;
        self.at_work.push_back(number);
        Ok(())
    }

    fn take_first(&mut self) -> Result<(), Error> {
        let Some(number) = self.at_work.pop_front() else { return Ok(()) };
        let encoder = self.encoders.get(number).ok_or(Error::Thread("none of this number"))?;
        let chunks = encoder.chunks.recv().map_err(|_| Error::Thread("it panicked"))??;
        self.append(chunks)
    }

    fn append(&mut self, chunks: Vec<Chunk>) -> Result<(), Error> {
        let mut group = self.writer.next_row_group()?;
        for Chunk { bytes, close } in chunks {
            group.append_column(&bytes, close)?;
        }
        group.close()?;
        Ok(())
    }

    /// Writes what is left.
    pub(crate) fn finish(mut self) -> Result<(), Error> {
        while !self.at_work.is_empty() {
            self.take_first()?;
        }
        self.writer.finish()?;
        Ok(())
    }
}

fn properties(table: &Table, version: &str) -> WriterProperties {
    let named =
        |key: &str, value: &str| KeyValue::new(format!("ompttrace.{key}"), value.to_owned());
    let sorted = table.sorted_by.iter();
    let sorted = sorted.map(|column| SortingColumn {
        column_idx: *column,
        descending: false,
        nulls_first: false,
    });
    let sorted: Vec<_> = sorted.collect();
    let mut properties = WriterProperties::builder()
        .set_created_by(concat!("ompttrace ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_key_value_metadata(Some(vec![named("schema", version), named("table", table.name)]))
        .set_sorting_columns((!sorted.is_empty()).then_some(sorted));
    for column in table.columns {
        if let Some(encoding) = column.encoding() {
            let path = ColumnPath::from(column.name);
            properties = properties
                .set_column_dictionary_enabled(path.clone(), false)
                .set_column_encoding(path, encoding);
        }
    }
    properties.build()
}

/// A thread that encodes row groups, one after the other.
struct Encoder {
    columns: SyncSender<Vec<Column>>,
    chunks: Receiver<Result<Vec<Chunk>, Error>>,
    _thread: JoinHandle<()>,
}

impl Encoder {
    fn start(number: usize, encoding: &Encoding) -> std::io::Result<Encoder> {
        let (columns, to_encode) = sync_channel::<Vec<Column>>(1);
        let (encoded, chunks) = sync_channel(1);
        let encoding = encoding.clone();
        let work = move || {
            for columns in to_encode {
                if encoded.send(encoding.encode(columns)).is_err() {
                    return;
                }
            }
        };
        let thread = Builder::new().name(format!("parquet {number}")).spawn(work)?;
        Ok(Encoder { columns, chunks, _thread: thread })
    }
}
