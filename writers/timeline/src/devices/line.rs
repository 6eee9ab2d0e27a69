//! The lines of `devices`, one at a time whatever the file's size.

use ompttrace_recording::events::{DeviceNative, EventCode, Scope, Text};
use ompttrace_recording::words;
use std::io::{BufRead, Read};

/// Far longer than any line of ours.
const LONGEST: usize = 64 << 10;

/// A line of `devices`.
#[derive(Debug)]
pub(super) enum Line<'t> {
    Device(u64, &'t str),
    Clock(u64, u64, u64),
    Event { device: u64, thread: u64, time: u64, words: Vec<u64> },
    Native { device: u64, hardware: i64, time: u64, words: Vec<u64> },
}

/// Gives every line to `visit`; returns how many bytes were none of ours. What cannot be read any more
/// is not there.
pub(super) fn each(mut file: impl BufRead, mut visit: impl FnMut(Line<'_>)) -> u64 {
    let (mut bytes, mut unreadable) = (Vec::new(), 0u64);
    loop {
        bytes.clear();
        let read = file.by_ref().take(LONGEST as u64).read_until(b'\n', &mut bytes).unwrap_or(0);
        if read == 0 {
            return unreadable;
        }
        let text = String::from_utf8_lossy(bytes.trim_ascii_end());
        // A part of one that is too long begins like no line, or is one.
        match line(&text) {
            Some(line) => visit(line),
            None => unreadable += read as u64,
        }
    }
}

fn line(text: &str) -> Option<Line<'_>> {
    let (word, rest) = text.split_once(' ')?;
    let mut words = rest.splitn(5, ' ');
    let mut number = || words.next()?.parse::<u64>().ok();
    Some(match word {
        "device" => {
            let (device, name) = rest.split_once(' ').unwrap_or((rest, ""));
            Line::Device(device.parse().ok()?, name)
        }
        "clock" => Line::Clock(number()?, number()?, number()?),
        "event" => {
            let (device, thread, time) = (number()?, number()?, number()?);
            let code = EventCode(u8::from_str_radix(words.next()?, 16).ok()?);
            let payload = words.next().unwrap_or("").split_ascii_whitespace();
            let payload: Option<Vec<u64>> =
                payload.map(|word| u64::from_str_radix(word, 16).ok()).collect();
            let payload = payload.filter(|words| words.len() + 1 == code.words())?;
            let words = [&[words::header(0, code.0)][..], &payload].concat();
            Line::Event { device, thread, time, words }
        }
        "native" => {
            let mut words = rest.splitn(5, ' ');
            let device = words.next()?.parse().ok()?;
            let hardware = words.next()?.parse().ok()?;
            let (time, kind) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
            let words = native(hardware, kind, words.next().unwrap_or(""));
            Line::Native { device, hardware, time, words }
        }
        _ => return None,
    })
}

/// A native record and its name.
pub(super) fn native(hardware: i64, kind: u64, name: &str) -> Vec<u64> {
    let header = |number| words::header(0, EventCode::new(number, Scope::None).0);
    let bytes = name.as_bytes();
    let event = DeviceNative { kind, text_bytes: bytes.len() as u64, hardware: hardware as u64 };
    let mut all = vec![header(DeviceNative::NUMBER)];
    all.extend(event.words());
    for chunk in bytes.chunks(24) {
        let mut text = [0u8; 24];
        text.iter_mut().zip(chunk).for_each(|(slot, byte)| *slot = *byte);
        let word = |at: usize| {
            let bytes = text.iter().skip(at).take(8).rev();
            bytes.fold(0u64, |word, byte| word << 8 | u64::from(*byte))
        };
        let text = Text { first: word(0), second: word(8), third: word(16) };
        all.push(header(Text::NUMBER));
        all.extend(text.words());
    }
    all
}
