//! Names as the interfaces pass them, and names that are put together without memory of the heap.

use core::ffi::c_char;
use ompttrace_recording::phases::LONGEST_NAME;

/// A character of a wide string.
pub(crate) type Wide = libc::wchar_t;

/// The bytes of a name, as far as they are used; none for a null pointer.
///
/// # Safety
///
/// `name` is null, or a C string that stays as it is while the bytes are used.
#[inline]
pub(crate) unsafe fn bytes<'a>(name: *const c_char) -> &'a [u8] {
    if name.is_null() {
        return &[];
    }
    // SAFETY: the caller's C string; no byte after its end is read.
    unsafe {
        let bytes = libc::strnlen(name, LONGEST_NAME);
        core::slice::from_raw_parts(name.cast(), bytes)
    }
}

/// A name that is put together; what is longer than names may be is cut.
pub(crate) struct Text {
    bytes: [u8; LONGEST_NAME],
    length: usize,
}

impl Text {
    /// No text.
    #[inline]
    pub(crate) fn new() -> Text {
        Text { bytes: [0; LONGEST_NAME], length: 0 }
    }

    /// `part` behind what is there.
    #[inline]
    pub(crate) fn and(mut self, part: &[u8]) -> Text {
        let room = self.bytes.get_mut(self.length..).unwrap_or_default();
        let length = part.len().min(room.len());
        room.iter_mut().zip(part).for_each(|(to, from)| *to = *from);
        self.length += length;
        self
    }

    /// The characters of a wide string behind what is there; none for a null pointer.
    ///
    /// # Safety
    ///
    /// `text` is null, or a wide string that ends with 0.
    pub(crate) unsafe fn and_wide(mut self, text: *const Wide) -> Text {
        let mut at = text;
        while !text.is_null() && self.length < LONGEST_NAME {
            // SAFETY: no character after the one that ends the string is read.
            let next = unsafe { *at } as u32;
            if next == 0 {
                break;
            }
            let character = char::from_u32(next).unwrap_or(char::REPLACEMENT_CHARACTER);
            self = self.and(character.encode_utf8(&mut [0; 4]).as_bytes());
            at = at.wrapping_add(1);
        }
        self
    }

    /// Its bytes.
    #[inline]
    pub(crate) fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_and_wide_characters_make_a_text_that_is_cut() {
        let wide: Vec<Wide> = "größer 𝄞\0".chars().map(|each| each as Wide).collect();
        // SAFETY: a wide string with its end.
        let text = unsafe { Text::new().and(b"a: ").and_wide(wide.as_ptr()) };
        assert_eq!(text.bytes(), "a: größer 𝄞".as_bytes());
        // SAFETY: null is allowed.
        assert_eq!(unsafe { Text::new().and_wide(core::ptr::null()) }.bytes(), b"");
        assert_eq!(Text::new().and(&[b'x'; 250]).and(&[b'y'; 250]).bytes().len(), LONGEST_NAME);
    }

    #[test]
    fn a_null_pointer_is_no_name() {
        // SAFETY: null, and a C string.
        unsafe {
            assert_eq!(bytes(core::ptr::null()), b"");
            assert_eq!(bytes(c"solve".as_ptr()), b"solve");
        }
    }
}
