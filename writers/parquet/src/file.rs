//! A table's file: row groups, encoded by other threads where there are some, in their order.

use crate::Error;
use crate::column::{Column, Spec, schema};
use crate::encode::{Chunk, Encoding};
use crate::sink::SCHEMA;
use ompttrace_recording::PinnedFolder;
use ompttrace_workers::{InOrder, Workers};
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::metadata::{KeyValue, SortingColumn};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::ColumnPath;
use std::fs::File;
use std::sync::Arc;

/// Description of a table: its name, its columns and the order of its rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Table {
    /// Name of the table, and of its file without the extension.
    pub name: &'static str,
    pub columns: &'static [Spec],
    /// Positions of the columns by which each row group is sorted.
    pub sorted_by: &'static [i32],
}

/// A table that is being written.
pub(crate) struct TableFile {
    writer: SerializedFileWriter<File>,
    /// Row groups that are being encoded.
    encoded: InOrder<Vec<Column>, Result<Vec<Chunk>, Error>>,
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
        let encoders = Workers::new("parquet", threads, move || {
            let encoding = encoding.clone();
            move |columns| encoding.encode(columns)
        });
        // Each encoder has one at work and none waiting, so that memory is bounded.
        Ok(TableFile { writer, encoded: InOrder::new(&encoders, 1) })
    }

    /// Adds a row group.
    pub(crate) fn put(&mut self, columns: Vec<Column>) -> Result<(), Error> {
        self.encoded.put(columns).map_or(Ok(()), |chunks| self.append(chunks?))
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
        while let Some(chunks) = self.encoded.next() {
            self.append(chunks?)?;
        }
        self.writer.finish()?;
        Ok(())
    }
}

/// A table whose file is there only where something is in it: it is made with the first row group.
pub(crate) struct OptionalFile {
    table: Table,
    file: Option<TableFile>,
}

impl OptionalFile {
    /// A table without rows so far.
    pub(crate) const fn new(table: Table) -> OptionalFile {
        OptionalFile { table, file: None }
    }

    /// Adds a row group.
    pub(crate) fn put(&mut self, folder: &PinnedFolder, columns: Vec<Column>) -> Result<(), Error> {
        self.create(folder)?.put(columns)
    }

    /// Makes the file, unless it is there: a table without rows is not absent then, but empty.
    pub(crate) fn create(&mut self, folder: &PinnedFolder) -> Result<&mut TableFile, Error> {
        match &mut self.file {
            Some(file) => Ok(file),
            none => Ok(none.insert(TableFile::create(folder, &self.table, SCHEMA, 0)?)),
        }
    }

    /// True if the file is there.
    pub(crate) fn exists(&self) -> bool {
        self.file.is_some()
    }

    /// Writes what is left.
    pub(crate) fn finish(self) -> Result<(), Error> {
        self.file.map_or(Ok(()), TableFile::finish)
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
