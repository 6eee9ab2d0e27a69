//! A column's values for one row group, and how a table says what its columns are.

use parquet::basic::{Encoding, LogicalType, Repetition, Type as Physical};
use parquet::data_type::ByteArray;
use parquet::errors::ParquetError;
use parquet::schema::types::{Type, TypePtr};
use std::sync::Arc;

/// Physical type of a column's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// INT32.
    Int,
    /// INT64.
    Long,
    /// UTF-8.
    Text,
}

/// Similarity of a column's values to each other, which decides their encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Likeness {
    /// The column has few different values, which are encoded by a dictionary.
    Few,
    /// Each value is near the previous one, and the differences are encoded.
    Near,
}

/// A column of a table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spec {
    pub name: &'static str,
    pub kind: Kind,
    pub is_optional: bool,
    pub likeness: Likeness,
}

impl Spec {
    /// A column in which every row has a value, with few different values.
    pub(crate) const fn of(name: &'static str, kind: Kind) -> Spec {
        Spec { name, kind, is_optional: false, likeness: Likeness::Few }
    }

    /// A column in which rows may have no value, with few different values.
    pub(crate) const fn optional(name: &'static str, kind: Kind) -> Spec {
        Spec { is_optional: true, ..Spec::of(name, kind) }
    }

    /// A column of 64-bit numbers, each of which is near that of the previous row.
    pub(crate) const fn near(name: &'static str) -> Spec {
        Spec { likeness: Likeness::Near, ..Spec::of(name, Kind::Long) }
    }

    /// The encoding that replaces the dictionary; `None` if the column has a dictionary.
    pub(crate) fn encoding(&self) -> Option<Encoding> {
        (self.likeness == Likeness::Near).then_some(Encoding::DELTA_BINARY_PACKED)
    }

    fn parquet(&self) -> Result<TypePtr, ParquetError> {
        let (physical, logical) = match self.kind {
            Kind::Int => (Physical::INT32, None),
            Kind::Long => (Physical::INT64, None),
            Kind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        };
        let repetition = if self.is_optional { Repetition::OPTIONAL } else { Repetition::REQUIRED };
        let builder = Type::primitive_type_builder(self.name, physical);
        let made = builder.with_repetition(repetition).with_logical_type(logical).build()?;
        Ok(Arc::new(made))
    }
}

/// The schema of a table.
pub(crate) fn schema(table: &str, columns: &[Spec]) -> Result<TypePtr, ParquetError> {
    let fields = columns.iter().map(Spec::parquet).collect::<Result<_, _>>()?;
    Ok(Arc::new(Type::group_type_builder(table).with_fields(fields).build()?))
}

/// Values of the rows that have one, in the order of rows.
#[derive(Debug)]
pub(crate) enum Values {
    Int(Vec<i32>),
    Long(Vec<i64>),
    Text(Vec<ByteArray>),
    /// For each row the position of its text among these words.
    Word(Vec<u8>, &'static [&'static str]),
    /// A value, and the number of rows that all have it.
    Same(i64, usize),
}

/// A column's values for one row group.
#[derive(Debug)]
pub(crate) struct Column {
    pub values: Values,
    /// For an optional column, 1 for each row that has a value and 0 for each that has none.
    pub present: Option<Vec<i16>>,
}

impl Column {
    /// A column in which every row has a value.
    pub(crate) fn of(values: Values) -> Column {
        Column { values, present: None }
    }
}

/// A column of numbers of which some are missing.
#[derive(Debug, Default)]
pub(crate) struct Longs {
    values: Vec<i64>,
    present: Vec<i16>,
}

impl Longs {
    #[inline]
    pub(crate) fn push(&mut self, value: Option<i64>) {
        self.present.push(i16::from(value.is_some()));
        self.values.extend(value);
    }

    pub(crate) fn column(self) -> Column {
        Column { values: Values::Long(self.values), present: Some(self.present) }
    }
}

/// A column of texts; an empty one is missing where that may be.
pub(crate) fn texts<'t>(rows: impl Iterator<Item = Option<&'t str>>, is_optional: bool) -> Column {
    let (mut values, mut present) = (Vec::new(), Vec::new());
    for text in rows {
        present.push(i16::from(text.is_some()));
        match text {
            Some(text) => values.push(ByteArray::from(text.as_bytes().to_vec())),
            None if is_optional => {}
            None => values.push(ByteArray::from(Vec::new())),
        }
    }
    Column { values: Values::Text(values), present: is_optional.then_some(present) }
}

/// A column of numbers.
pub(crate) fn longs(rows: impl Iterator<Item = i64>) -> Column {
    Column::of(Values::Long(rows.collect()))
}

/// A column of small numbers.
pub(crate) fn ints(rows: impl Iterator<Item = i32>) -> Column {
    Column::of(Values::Int(rows.collect()))
}

/// A column of small numbers of which some are missing.
pub(crate) fn optional_ints(rows: impl Iterator<Item = Option<i32>>) -> Column {
    let (mut values, mut present) = (Vec::new(), Vec::new());
    for value in rows {
        present.push(i16::from(value.is_some()));
        values.extend(value);
    }
    Column { values: Values::Int(values), present: Some(present) }
}
