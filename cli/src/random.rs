//! Random words, which only processes that were given them know.

use rustix::rand::{GetRandomFlags, getrandom};
use std::io;

/// A word that nobody can guess, and that is given to nothing else on any machine.
pub fn word() -> io::Result<String> {
    let mut bytes = [0; 16];
    let filled = getrandom(&mut bytes, GetRandomFlags::empty())?;
    match filled == bytes.len() {
        true => Ok(format!("{:032x}", u128::from_ne_bytes(bytes))),
        false => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_differ() {
        let words = [word().expect("random"), word().expect("random")];
        assert!(words[0] != words[1] && words.iter().all(|word| word.len() == 32));
    }
}
