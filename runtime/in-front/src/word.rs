//! A word of a task, which almost always one thread alone reads and writes.

use core::marker::PhantomData;
use core::sync::atomic::{AtomicU64, Ordering};

/// A value in a task. It is atomic, although that costs nothing here, because threads for which there is no memory
/// share their tasks.
pub struct Word<T>(AtomicU64, PhantomData<T>);

/// Types of values that a word can keep.
pub trait Value: Copy {
    /// The value as 64 bits.
    fn to_bits(self) -> u64;
    /// The value of these 64 bits, as `to_bits` returned them.
    fn from_bits(bits: u64) -> Self;
}

impl<T> Default for Word<T> {
    fn default() -> Word<T> {
        Word::new()
    }
}

impl<T> Word<T> {
    /// A word whose value has all bits 0.
    pub const fn new() -> Word<T> {
        Word(AtomicU64::new(0), PhantomData)
    }
}

impl<T: Value> Word<T> {
    /// A word with this value.
    #[inline(always)]
    pub fn of(value: T) -> Word<T> {
        Word(AtomicU64::new(value.to_bits()), PhantomData)
    }

    /// The value of the word.
    #[inline(always)]
    pub fn get(&self) -> T {
        T::from_bits(self.0.load(Ordering::Relaxed))
    }

    /// Sets the value of the word.
    #[inline(always)]
    pub fn set(&self, value: T) {
        self.0.store(value.to_bits(), Ordering::Relaxed);
    }
}

macro_rules! values {
    ($($type:ty: |$bits:ident| $from:expr;)+) => {$(
        impl Value for $type {
            #[inline(always)]
            fn to_bits(self) -> u64 {
                self as u64
            }
            #[inline(always)]
            fn from_bits($bits: u64) -> $type {
                $from
            }
        }
    )+};
}

values! {
    u64: |bits| bits;
    i64: |bits| bits as i64;
    usize: |bits| bits as usize;
}
