//! The ending of a recording in words, and the notes on it that each count of its events needs.

use crate::process::Life;
use crate::say;
use ompttrace_recording::Recording;
use ompttrace_recording::facts::Facts;
use ompttrace_recording::reader::Missing;

/// The words for a recording that was closed.
const CLOSED: &str = "closed";
const UNKNOWN: &str = "it is unknown here whether the program still runs";

/// Number of lost events in words, as far as it is known.
pub fn lost(lost: u64, recording: &Recording) -> String {
    match recording.missing() {
        None => format!("{lost} lost"),
        Some(missing) => format!("{lost} lost and {missing} missing"),
    }
}

/// The notes that each count of events needs: where the recording was truncated, and its damage.
pub fn reservations(recording: &Recording, life: Life) -> String {
    let facts = &recording.facts;
    let text = match life {
        _ if facts.finalized => String::new(),
        _ if facts.is_snapshot() => ", a snapshot".to_owned(),
        Life::Runs => ", the program still runs".to_owned(),
        Life::Over => ", cut where the program ended".to_owned(),
        Life::Unknown => format!(", not closed ({UNKNOWN})"),
    };
    text + &damage(recording)
}

/// The ending of the run, and that of its process, if it is known, in words.
pub fn ending_with(recording: &Recording, life: Life, status: Option<&str>) -> String {
    let text = ending(recording, life);
    match (text == CLOSED, status) {
        (true, None) => "ended normally".to_owned(),
        (true, Some(status)) => status.to_owned(),
        (false, None) => text,
        (false, Some(status)) => format!("{text}; {status}"),
    }
}

/// The ending of the run in words.
pub fn ending(recording: &Recording, life: Life) -> String {
    let facts = &recording.facts;
    let mut text = match (facts.closed, life, facts.finalized) {
        (true, _, _) => CLOSED.to_owned(),
        _ if facts.is_snapshot() => "not yet when this snapshot was taken".to_owned(),
        (false, Life::Runs, _) => "not yet: the program still runs".to_owned(),
        (false, Life::Unknown, _) => format!("not closed: {UNKNOWN}"),
        (false, Life::Over, true) => "not closed".to_owned(),
        (false, Life::Over, false) => {
            "the program ended before the runtime was finalized".to_owned()
        }
    };
    let damage = recording.damage;
    if damage.from_pool > 0 {
        let from = if life == Life::Over { "recovered from" } else { "read from" };
        text.push_str(&format!("; {} bytes of records {from} the buffers", damage.from_pool));
    }
    text + &self::damage(recording)
}

/// Damage of the recording in words.
fn damage(recording: &Recording) -> String {
    let (damage, mut text) = (recording.damage, String::new());
    if damage.torn + damage.unreadable + damage.missing > 0 {
        text.push_str(&format!(
            "; damage: {} torn fragments, {} unreadable bytes, {} bytes missing",
            damage.torn, damage.unreadable, damage.missing
        ));
    }
    match recording.facts.snapshot_left_out {
        0 => {}
        1 => text.push_str("; 1 buffer was overwritten while it was copied"),
        left_out => {
            text.push_str(&format!("; {left_out} buffers were overwritten while they were copied"));
        }
    }
    if damage.gaps > 0 {
        let buffers =
            if damage.gaps == 1 { "buffer of records is" } else { "buffers of records are" };
        text.push_str(&format!("; damage: {} {buffers} in no file", damage.gaps));
    }
    if damage.pool_refused {
        text.push_str("; damage: the file with the name of its buffers does not belong to it");
    }
    if let Some(missing) = recording.missing() {
        text.push_str(&without_pool(&recording.facts, missing));
    }
    text
}

/// The records that are missing with the pool, in words; the pool may also lie where we cannot see it.
fn without_pool(facts: &Facts, missing: Missing) -> String {
    let pool = say::harmless(facts.pool.as_deref().unwrap_or_default());
    let what = match &*facts.overflow {
        "ring" => "everything that they still held, and the number of overwritten records",
        "drop" => "the last records, and the number dropped before them",
        _ => "the last records",
    };
    let most = match missing.bytes_per_thread {
        0 => String::new(),
        bytes => format!(", at most {bytes} bytes per thread"),
    };
    format!("; damage: its buffers ({pool}) are missing, and with them {what}{most}")
}
