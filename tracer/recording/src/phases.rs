//! Phases of the program in records: kinds, and names in parts.

use crate::events::PhaseName;

/// Kinds of phases.
pub mod kind {
    /// A phase that the program itself marks.
    pub const PHASE: u64 = 0;
    /// An iteration, which has a number instead of a name.
    pub const ITERATION: u64 = 1;
    /// A kernel of Kokkos: parallel_for, parallel_reduce or parallel_scan.
    pub const KOKKOS_KERNEL: u64 = 2;
    /// A profiling region of Kokkos.
    pub const KOKKOS_REGION: u64 = 3;
    /// A fence of Kokkos.
    pub const KOKKOS_FENCE: u64 = 4;
    /// A deep copy of Kokkos.
    pub const KOKKOS_COPY: u64 = 5;
    /// A range of NVTX that a thread pushes and pops.
    pub const NVTX_RANGE: u64 = 6;
    /// A task of ITT.
    pub const ITT_TASK: u64 = 7;
}

/// Bytes of the longest name; what is longer is cut.
pub const LONGEST_NAME: usize = 256;

/// Phases that are open on a thread at most; deeper ones are not recorded.
pub const DEEPEST: usize = 16;

/// The number of a name: the hash of its bytes, never 0.
#[inline]
pub fn number(name: &[u8]) -> u64 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |hash: u64, word: u64| {
        let mixed = (hash ^ word).wrapping_mul(ODD);
        mixed ^ mixed >> 29
    };
    let (words, rest) = name.as_chunks::<8>();
    let hash =
        words.iter().fold(name.len() as u64, |hash, word| mix(hash, u64::from_le_bytes(*word)));
    let last = rest.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
    mix(mix(hash, last), ODD).max(1)
}

impl PhaseName {
    /// The bytes of a name that one record has.
    pub const TEXT_BYTES: usize = 8;

    /// The records of a name.
    pub fn parts(number: u64, name: &[u8]) -> impl Iterator<Item = PhaseName> + '_ {
        let bytes = name.len() as u64;
        let parts = name.chunks(Self::TEXT_BYTES).zip((0..).step_by(Self::TEXT_BYTES));
        parts.map(move |(part, at)| {
            let text = part.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
            PhaseName { name: number, at, bytes, text }
        })
    }

    /// The bytes of the name that are here.
    pub fn text(&self) -> impl Iterator<Item = u8> + use<> {
        let left = self.bytes.saturating_sub(self.at).min(Self::TEXT_BYTES as u64);
        self.text.to_le_bytes().into_iter().take(left as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_put_together_from_its_parts() {
        for name in ["", "solve", "eight by", "a name that is longer than one record"] {
            let records = PhaseName::parts(7, name.as_bytes());
            let text: Vec<u8> = records.flat_map(|record| record.text()).collect();
            assert_eq!(text, name.as_bytes());
        }
    }

    #[test]
    fn names_have_numbers_of_their_own() {
        let names = (0..5000).map(|at| format!("phase {at}"));
        let mut numbers: Vec<_> = names.map(|name| number(name.as_bytes())).collect();
        // A zero byte at the end counts.
        numbers.extend([number(b""), number(b"\0"), number(b"a"), number(b"a\0")]);
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), 5004);
        assert!(!numbers.contains(&0));
    }
}
