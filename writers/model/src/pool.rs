//! Memory that is used again: a buffer that one thread fills and another empties is filled once more, instead of new
//! memory that the kernel has to clear first.

use std::sync::{Arc, Mutex, PoisonError};

/// Values of a kind that are not in use, for any thread that needs one.
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
    /// Takes a value that was given back, the last first, or a new one.
    pub fn take(&self) -> T {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    /// Gives values back whose content is not needed any more.
    pub fn give_back(&self, spent: impl IntoIterator<Item = T>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend(spent);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_given_back_is_taken_again() {
        let pool = Pool::default();
        let mut buffer: Vec<u8> = pool.clone().take();
        buffer.reserve(1000);
        pool.give_back([buffer]);
        assert!(pool.take().capacity() >= 1000);
        assert_eq!(pool.take().capacity(), 0);
    }
}
