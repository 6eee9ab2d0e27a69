//! Activities of devices in `info`, for people and as JSON.

use ompttrace_timeline::{Counts, DeviceCounts};
use serde_json::{Value, json};

/// `null` where no device reported anything.
pub fn value(counts: &Counts) -> Value {
    let devices = &counts.devices;
    if devices.is_none() {
        return Value::Null;
    }
    let DeviceCounts { kernels, copies, copied_bytes, memsets, calls, event_waits, lost, .. } =
        *devices;
    let DeviceCounts { migrations, migrated_bytes, page_faults, host_page_faults, .. } = *devices;
    json!({
        "kernels": kernels,
        "copies": copies,
        "copied_bytes": copied_bytes,
        "memsets": memsets,
        "calls": calls,
        "migrations": migrations,
        "migrated_bytes": migrated_bytes,
        "page_faults": page_faults,
        "host_page_faults": host_page_faults,
        "event_waits": event_waits,
        "lost": lost,
    })
}

/// A line of text; none where no device reported anything.
pub fn line(counts: &Counts) -> Option<String> {
    let devices = &counts.devices;
    if devices.is_none() {
        return None;
    }
    let DeviceCounts { kernels, copies, copied_bytes, memsets, calls, event_waits, lost, .. } =
        *devices;
    let any = |count: u64, words: String| if count > 0 { words } else { String::new() };
    let lost = any(lost, format!("; {lost} activities are missing or have no time"));
    let waits = any(event_waits, format!(", {event_waits} waits of streams for events"));
    let calls = any(calls, format!(", {calls} calls on the host"));
    let unified = unified(devices);
    Some(format!(
        "devices   {kernels} kernels, {copies} copies of {copied_bytes} bytes in all, {memsets} memsets{unified}{waits}{calls}{lost}"
    ))
}

/// Words on unified memory; empty where nothing happened to it.
fn unified(devices: &DeviceCounts) -> String {
    let DeviceCounts { migrations, migrated_bytes, page_faults, host_page_faults, .. } = *devices;
    if migrations + page_faults + host_page_faults == 0 {
        return String::new();
    }
    format!(
        ", {migrations} migrations of {migrated_bytes} bytes in all, page faults: {page_faults} of devices, {host_page_faults} of the host"
    )
}
