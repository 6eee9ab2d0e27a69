//! Activities of devices in `info`, for people and as JSON.

use ompttrace_timeline::{Counts, DeviceCounts};
use serde_json::{Value, json};

/// `null` where no device reported anything.
pub fn value(counts: &Counts) -> Value {
    let devices = &counts.devices;
    if devices.is_none() {
        return Value::Null;
    }
    let DeviceCounts { kernels, copies, copied_bytes, memsets, calls, lost } = *devices;
    json!({
        "kernels": kernels,
        "copies": copies,
        "copied_bytes": copied_bytes,
        "memsets": memsets,
        "calls": calls,
        "lost": lost,
    })
}

/// A line of text; none where no device reported anything.
pub fn line(counts: &Counts) -> Option<String> {
    let devices = &counts.devices;
    if devices.is_none() {
        return None;
    }
    let DeviceCounts { kernels, copies, copied_bytes, memsets, calls, lost } = *devices;
    let lost = if lost > 0 {
        format!("; {lost} activities are missing or have no time")
    } else {
        String::new()
    };
    let calls = if calls > 0 { format!(", {calls} calls on the host") } else { String::new() };
    Some(format!(
        "devices   {kernels} kernels, {copies} copies of {copied_bytes} bytes in all, {memsets} memsets{calls}{lost}"
    ))
}
