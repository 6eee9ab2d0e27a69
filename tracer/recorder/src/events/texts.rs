//! Texts after the events that they belong to: messages, file names, in parts of one record each.

use crate::events::slow::put_more;
use ompttrace_recording::EventCode;
use ompttrace_recording::events::{Scope, Text};

/// Longer texts are cut: a callback must stay short.
pub const LONGEST_TEXT: usize = 4096;

/// Records a text after the calling thread's current event.
pub fn put_text(text: &[u8]) {
    for part in text.chunks(24) {
        let mut words = [0u64; 3];
        for (word, bytes) in words.iter_mut().zip(part.chunks(8)) {
            *word = bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
        }
        let [first, second, third] = words;
        let code = EventCode::new(Text::NUMBER, Scope::None);
        put_more(code, Text { first, second, third }.words());
    }
}
