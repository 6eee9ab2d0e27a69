//! A file that ends early, and one that could not be written.

use std::io::{self, Write};

use anyhow::Result;
use ompttrace_model::View;

use crate::either::Either;
use crate::fake::{Fake, START, threads};
use crate::format::{FORMATS, Format};
use crate::judge::{judge, load};
use crate::stencil::play;

#[test]
fn a_json_file_cut_off_after_a_line_still_loads() -> Result<()> {
    let judged = judge(Format::Chrome, View::Both, |fake| play(fake, START, 2))?;
    let ends: Vec<usize> = (0..judged.bytes.len()).filter(|&i| judged.bytes[i] == b'\n').collect();
    for share in 1..6 {
        let end = ends[ends.len() * share / 6];
        // With the line's own newline and without: then even the comma may be missing.
        for cut in [end + 1, end, end - 1] {
            let mut processor = load(Format::Chrome, &judged.bytes[..cut])?;
            assert_eq!(processor.stats_errors()?, []);
            let lines = String::from_utf8_lossy(&judged.bytes[..cut]).into_owned();
            let begins =
                lines.matches("\"ph\":\"B\"").count() + lines.matches("\"ph\":\"i\"").count();
            let found = processor.query("select count(*) from slice")?.integer()?;
            assert_eq!(usize::try_from(found)?, begins);
        }
    }
    Ok(())
}

#[test]
fn a_full_disk_is_reported() {
    struct Full;
    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::Error::from(io::ErrorKind::StorageFull))
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    for format in FORMATS {
        let mut fake = Fake::new(Either::new(format, Full, View::Both), &threads(4));
        play(&mut fake, START, format.pick(100, 400));
        assert!(fake.sink.check().is_err(), "{format:?}");
        let error = fake.finish().1.err().expect("the disk is full");
        let reason = error.root_cause().downcast_ref::<io::Error>().map(io::Error::kind);
        assert_eq!(reason, Some(io::ErrorKind::StorageFull), "{format:?}");
    }
}
