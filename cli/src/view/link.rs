//! The link that makes the viewer fetch a trace and show it with the settings in viewer-configs/perfetto.

use anyhow::{Context, Result};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

const STARTUP: &str = include_str!("../../../viewer-configs/perfetto/startup.json");

/// Letters to be escaped in a part of a link: those that browsers' own encodeURIComponent escapes, and `!'()`.
const COMPONENT: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~').remove(b'*');

/// The page of the viewer at `ui`, with the trace at `url` if it is to fetch one.
pub fn to(ui: &str, url: Option<&str>) -> Result<String> {
    let commands: Value = serde_json::from_str(STARTUP).context("the startup commands")?;
    let url = url.map_or(String::new(), |url| format!("url={}&", component(url)));
    let commands = component(&commands.to_string());
    Ok(format!("{}/#!/?{url}startupCommands={commands}", ui.trim_end_matches('/')))
}

/// Text as a part of a link.
pub fn component(text: &str) -> String {
    utf8_percent_encode(text, COMPONENT).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use percent_encoding::percent_decode_str;

    #[test]
    fn the_page_finds_both_again() {
        let link =
            to("https://ui.example/", Some("http://127.0.0.1:9001/a b&c.pftrace")).expect("made");
        let (page, parts) = link.split_once("/#!/?").expect("a fragment");
        assert_eq!(page, "https://ui.example");
        let parts: Vec<_> = parts.split('&').filter_map(|part| part.split_once('=')).collect();
        let decoded = |at: usize| percent_decode_str(parts[at].1).decode_utf8().expect("text");
        assert_eq!((parts[0].0, &*decoded(0)), ("url", "http://127.0.0.1:9001/a b&c.pftrace"));
        let commands: Value = serde_json::from_str(&decoded(1)).expect("JSON");
        assert_eq!(parts[1].0, "startupCommands");
        assert_eq!(commands, serde_json::from_str::<Value>(STARTUP).expect("JSON"));
    }
}
