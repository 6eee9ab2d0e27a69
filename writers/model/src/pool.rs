//! Memory that is used again: what one thread fills and another empties is filled once more, instead of new memory that the
//! kernel has to clear first.

use std::sync::{Arc, Mutex, PoisonError};

/// Empty things of a kind, for whichever thread needs one next.
#[derive(Debug)]
pub struct Pool<T>(Arc<Mutex<Vec<T>>>);

impl<T> Clone for Pool<T> {
    fn clone(&self) -> Pool<T> {
        Pool(Arc::clone(&self.0))
    }
}

impl<T> Default for Pool<T> {
    fn default() -> Pool<T> {
        Pool(Arc::default())
    }
}

impl<T: Default> Pool<T> {
    /// One that was given back, the last first, or a new one.
    pub fn take(&self) -> T {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    /// Takes things back that are empty.
    pub fn give_back(&self, empty: impl IntoIterator<Item = T>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend(empty);
    }
}

impl Pool<Vec<u8>> {
    /// Takes back a buffer, whose bytes are written.
    pub fn give_back_buffer(&self, mut buffer: Vec<u8>) {
        buffer.clear();
        self.give_back([buffer]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_keeps_its_memory_and_no_bytes() {
        let pool = Pool::default();
        let mut buffer: Vec<u8> = pool.clone().take();
        buffer.extend([7; 1000]);
        pool.give_back_buffer(buffer);
        let buffer = pool.take();
        assert!(buffer.is_empty() && buffer.capacity() >= 1000);
        assert_eq!(pool.take().capacity(), 0);
    }
}
