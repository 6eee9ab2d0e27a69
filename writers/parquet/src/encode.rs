//! Encodes a row group's columns, each into memory, so that this can be done by another thread than the one that
//! writes the file.

use crate::Error;
use crate::column::{Column, Values};
use bytes::Bytes;
use parquet::column::writer::{ColumnCloseResult, ColumnWriter, get_column_writer};
use parquet::data_type::ByteArray;
use parquet::file::properties::WriterPropertiesPtr;
use parquet::file::writer::{SerializedPageWriter, TrackedWrite};
use parquet::schema::types::{ColumnDescPtr, SchemaDescPtr};

/// Number of values that are put into the encoder at a time where they are not in memory as the encoder needs them.
const AT_ONCE: usize = 1 << 12;

/// A column of a row group as it stands in a file.
#[derive(Debug)]
pub(crate) struct Chunk {
    pub bytes: Bytes,
    pub close: ColumnCloseResult,
}

/// Schema and properties by which all columns of a file are encoded.
#[derive(Clone, Debug)]
pub(crate) struct Encoding {
    pub schema: SchemaDescPtr,
    pub properties: WriterPropertiesPtr,
}

impl Encoding {
    /// Encodes the columns of one row group, in the schema's order.
    pub(crate) fn encode(&self, columns: Vec<Column>) -> Result<Vec<Chunk>, Error> {
        let described = self.schema.columns().iter().zip(columns);
        described.map(|(described, column)| self.chunk(described, column)).collect()
    }

    fn chunk(&self, described: &ColumnDescPtr, column: Column) -> Result<Chunk, Error> {
        let mut to = TrackedWrite::new(Vec::new());
        let close = {
            let pages = Box::new(SerializedPageWriter::new(&mut to));
            let mut writer = get_column_writer(described.clone(), self.properties.clone(), pages);
            put(&mut writer, &column)?;
            writer.close()?
        };
        Ok(Chunk { bytes: to.into_inner()?.into(), close })
    }
}

fn put(writer: &mut ColumnWriter<'_>, column: &Column) -> Result<(), Error> {
    let present = column.present.as_deref();
    match (writer, &column.values) {
        (ColumnWriter::Int32ColumnWriter(to), Values::Int(values)) => {
            to.write_batch(values, present, None)?;
        }
        (ColumnWriter::Int64ColumnWriter(to), Values::Long(values)) => {
            to.write_batch(values, present, None)?;
        }
        (ColumnWriter::Int64ColumnWriter(to), Values::Same(value, rows)) => {
            let same = [*value; AT_ONCE];
            let mut rest = *rows;
            while rest > 0 {
                let now = rest.min(AT_ONCE);
                to.write_batch(same.get(..now).unwrap_or_default(), None, None)?;
                rest -= now;
            }
        }
        (ColumnWriter::ByteArrayColumnWriter(to), Values::Text(values)) => {
            to.write_batch(values, present, None)?;
        }
        (ColumnWriter::ByteArrayColumnWriter(to), Values::Word(values, words)) => {
            let words: Vec<ByteArray> = words.iter().map(|word| ByteArray::from(*word)).collect();
            for some in values.chunks(AT_ONCE) {
                let some: Vec<ByteArray> =
                    some.iter().filter_map(|word| words.get(usize::from(*word)).cloned()).collect();
                to.write_batch(&some, None, None)?;
            }
        }
        _ => return Err(Error::Encoding("a column of another kind than its table says".into())),
    }
    Ok(())
}
