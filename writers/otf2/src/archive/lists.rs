//! Lists of attributes, which precede the events that they are of.

use otf2_sys::{
    OTF2_TYPE_CALLING_CONTEXT, OTF2_TYPE_INT64, OTF2_TYPE_STRING, OTF2_TYPE_UINT64, OTF2_Type_enum,
};

use super::number::{LONG, NUMBER};
use super::record::Record;
use crate::op::{Attribute, Value};

/// Code of a list in files.
const ATTRIBUTES: u8 = 6;
/// Maximum size of the code and length of a part, in bytes.
pub(super) const PART: usize = 10;
/// Size up to which an encoded list is copied as a whole, in bytes.
pub(super) const SHORT_LIST: usize = 64;

/// Attributes of an event.
pub(super) trait List: ExactSizeIterator<Item = Attribute> {}

impl<T: ExactSizeIterator<Item = Attribute>> List for T {}

/// Maximum size of a list of so many attributes without its code and length, in bytes.
pub(super) fn most(attributes: usize) -> usize {
    NUMBER + attributes * (NUMBER + 1 + LONG)
}

pub(super) fn write_list(record: &mut Record<'_>, most: usize, list: impl List) {
    record.part(ATTRIBUTES, most, |record| {
        record.number(list.len() as u32);
        for Attribute { key, value } in list {
            let mut begin = |kind: OTF2_Type_enum| {
                record.number(key);
                record.byte(kind as u8);
            };
            match value {
                Value::Unsigned(value) => {
                    begin(OTF2_TYPE_UINT64);
                    record.long(value);
                }
                Value::Signed(value) => {
                    begin(OTF2_TYPE_INT64);
                    record.long(value as u64);
                }
                Value::Text(string) => {
                    begin(OTF2_TYPE_STRING);
                    record.number(string);
                }
                Value::Context(context) => {
                    begin(OTF2_TYPE_CALLING_CONTEXT);
                    record.number(context);
                }
            }
        }
    });
}

/// A list in its encoded form, for attributes that many events have.
#[derive(Clone, Debug)]
pub(crate) struct EncodedList {
    /// The list, filled up with zeros to [`SHORT_LIST`].
    bytes: Box<[u8]>,
    /// Size of the list in bytes; below, the maximum for lists of as many attributes, without code and length.
    size: usize,
    most: usize,
}

impl EncodedList {
    /// A list of these attributes, by the archive's numbers.
    pub(crate) fn new(list: impl ExactSizeIterator<Item = Attribute>) -> EncodedList {
        let most = most(list.len());
        let mut bytes = vec![0; PART + most + SHORT_LIST];
        let size = Record::written(&mut bytes, |record| write_list(record, most, list));
        bytes.truncate(size);
        bytes.resize(size.max(SHORT_LIST), 0);
        EncodedList { bytes: bytes.into(), size, most }
    }

    /// The encoded list, and its size in bytes, if it is a short one.
    #[inline(always)]
    pub(super) fn short(&self) -> Option<(&[u8; SHORT_LIST], usize)> {
        let bytes = self.bytes.first_chunk().filter(|_| self.size <= SHORT_LIST)?;
        Some((bytes, self.size))
    }

    /// The encoded list.
    pub(super) fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.size).unwrap_or_default()
    }

    /// Maximum size of a list of as many attributes without its code and length, in bytes.
    #[inline(always)]
    pub(super) fn most(&self) -> usize {
        self.most
    }
}
