//! A column's values for one row group, and how a table says what its columns are.

use parquet::basic::{Encoding, LogicalType, Repetition, Type as Physical};
use parquet::data_type::ByteArray;
use parquet::errors::ParquetError;
use parquet::schema::types::{Type, TypePtr};
use std::sync::Arc;

/// What kind of values a column has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// INT32.
    Int,
    /// INT64.
    Long,
    /// UTF-8.
    Text,
}

/// How the values of a column are like each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Likeness {
    /// Few different ones: a dictionary.
    Few,
    /// Each is near the one before: differences.
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
    /// One that always has a value, of few different ones.
    pub(crate) const fn of(name: &'static str, kind: Kind) -> Spec {
        Spec { name, kind, is_optional: false, likeness: Likeness::Few }
    }

    /// The same where a value may be missing.
    pub(crate) const fn optional(name: &'static str, kind: Kind) -> Spec {
        Spec { is_optional: true, ..Spec::of(name, kind) }
    }

    /// A number that is near the one of the row before.
    pub(crate) const fn near(name: &'static str) -> Spec {
        Spec { likeness: Likeness::Near, ..Spec::of(name, Kind::Long) }
    }

    /// The encoding instead of a dictionary.
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

/// Values; those that are missing are left out.
#[derive(Debug)]
pub(crate) enum Values {
    Int(Vec<i32>),
    Long(Vec<i64>),
    Text(Vec<ByteArray>),
    /// One of these words each, by position.
    Word(Vec<u8>, &'static [&'static str]),
    /// The same value this many times.
    Same(i64, usize),
}

/// A column's values for one row group.
#[derive(Debug)]
pub(crate) struct Column {
    pub values: Values,
    /// Of an optional column 1 for each row that has a value, and 0 for each that has none.
    pub present: Option<Vec<i16>>,
}

impl Column {
    /// Of a column in which every row has a value.
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
