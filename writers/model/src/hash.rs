//! A fast hash for ids, addresses and numbers.
//!
//! Keys come from recordings, not from an attacker who could choose them to collide: a multiply and
//! a fold are enough, and several times faster than the standard library's hash.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// An odd number with irregular bits (2^64 divided by the golden ratio).
const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

/// A map by id or address.
pub type FastMap<K, V> = HashMap<K, V, BuildHasherDefault<Fold>>;

/// Multiplies and folds the high half onto the low one, where tables look first.
#[derive(Default, Clone, Copy)]
pub struct Fold(u64);

impl Hasher for Fold {
    #[inline(always)]
    fn finish(&self) -> u64 {
        self.0
    }
    #[inline(always)]
    fn write_u64(&mut self, value: u64) {
        self.0 = mix(self.0 ^ value);
    }
    #[inline(always)]
    fn write_u32(&mut self, value: u32) {
        self.write_u64(value.into());
    }
    #[inline(always)]
    fn write_u8(&mut self, value: u8) {
        self.write_u64(value.into());
    }
    #[inline(always)]
    fn write_usize(&mut self, value: usize) {
        self.write_u64(value as u64);
    }
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word.iter_mut().zip(chunk).for_each(|(to, from)| *to = *from);
            self.write_u64(u64::from_ne_bytes(word) ^ chunk.len() as u64);
        }
    }
}

/// One round: different inputs of one caller give different outputs.
#[inline(always)]
pub const fn mix(value: u64) -> u64 {
    let product = value.wrapping_mul(MULTIPLIER);
    product ^ (product >> 32)
}
