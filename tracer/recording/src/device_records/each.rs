//! All entries of a file, for readers.

use super::{Entry, MOST_WORDS};
use std::io::{ErrorKind, Read, Result};

/// Number of bytes that are read at a time.
const CHUNK: usize = 1 << 16;

/// Passes every entry to `visit`; returns how many bytes were no entries. Fails where the file cannot be read any more.
pub fn each(mut file: impl Read, mut visit: impl FnMut(Entry)) -> Result<u64> {
    let (mut bytes, mut words) = (vec![0; CHUNK], Vec::<u64>::new());
    let (mut kept, mut unreadable) = (0, 0);
    loop {
        let read = match file.read(bytes.get_mut(kept..).unwrap_or_default()) {
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            read => read?,
        };
        let (whole, rest) = bytes.get(..kept + read).unwrap_or_default().as_chunks::<8>();
        words.extend(whole.iter().map(|word| u64::from_ne_bytes(*word)));
        let (from, left) = (kept + read - rest.len(), rest.len());
        bytes.copy_within(from..from + left, 0);
        kept = left;
        let mut taken = 0;
        // The longest entry is there, or no more will come.
        while let Some(rest) = words.get(taken..)
            && (read == 0 && !rest.is_empty() || rest.len() > MOST_WORDS)
        {
            match Entry::first(rest) {
                Some((entry, count)) => {
                    visit(entry);
                    taken += count;
                }
                None => {
                    taken += 1;
                    unreadable += 8;
                }
            }
        }
        words.drain(..taken);
        if read == 0 {
            return Ok(unreadable + kept as u64);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives a few bytes at a time.
    struct Slowly<'b>(&'b [u8], usize);

    impl Read for Slowly<'_> {
        fn read(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
            let (first, rest) = self.0.split_at(self.1.min(self.0.len()).min(to.len()));
            to[..first.len()].copy_from_slice(first);
            self.0 = rest;
            Ok(first.len())
        }
    }

    #[test]
    fn entries_are_found_among_others_however_they_are_read() {
        let mut words = vec![7, 8];
        (0..600).for_each(|count| Entry::Lost { count }.put(&mut words));
        words.push(9);
        Entry::Lost { count: 600 }.put(&mut words);
        let mut bytes: Vec<u8> = words.iter().flat_map(|word: &u64| word.to_ne_bytes()).collect();
        bytes.extend([1, 2, 3]);
        for step in [1, 7, 4096, 1 << 20] {
            let mut counts = Vec::new();
            let unreadable = each(Slowly(&bytes, step), |entry| match entry {
                Entry::Lost { count } => counts.push(count),
                other => panic!("{other:?}"),
            });
            let unreadable = unreadable.expect("read");
            assert_eq!((unreadable, counts), (3 * 8 + 3, (0..=600).collect()));
        }
    }
}
