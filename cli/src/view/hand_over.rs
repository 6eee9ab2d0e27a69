//! The page that hands a trace over to the viewer's: it may be served at any port, whereas the viewer's page itself may fetch
//! from one port only, which another user of the machine may have.
//!
//! Perfetto's protocol for pages that open its viewer: they open a window, send it `PING` until it answers `PONG`, and then
//! the trace. Both sides name the origin that they mean, so that no other page gets the trace.

use anyhow::Result;
use serde_json::json;

const PAGE: &str = include_str!("hand_over.html");

/// The facts of a page.
pub struct HandOver<'a> {
    /// The link of the viewer's page.
    pub viewer: &'a str,
    /// The origin of that page.
    pub origin: &'a str,
    /// Path of the trace on our server.
    pub trace: &'a str,
    /// Name of the trace.
    pub name: &'a str,
    /// A random word, without which no script runs in the page.
    pub nonce: &'a str,
}

impl HandOver<'_> {
    /// The page's text.
    pub fn text(&self) -> Result<String> {
        let HandOver { viewer, origin, trace, name, nonce } = self;
        let facts = json!({ "viewer": viewer, "origin": origin, "trace": trace, "name": name });
        // No name ends the element that the facts are in.
        let facts = serde_json::to_string(&facts)?.replace('<', "\\u003c");
        let page = PAGE.replace("{nonce}", nonce);
        Ok(page.replace("{facts}", &facts))
    }

    /// The page's rules for the browser: its own scripts run, and reach this server only.
    pub fn policy(&self) -> String {
        let nonce = self.nonce;
        format!(
            "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; connect-src 'self'; \
             base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_inside_their_element() {
        let name = "</script><script>alert(1)</script>{nonce}";
        let (viewer, origin, trace, nonce) = ("https://a/#!/", "https://a", "/b/c", "0123");
        let page = HandOver { viewer, origin, trace, name, nonce }.text().expect("JSON");
        assert_eq!(page.matches("</script>").count(), 2, "{page}");
        let facts =
            page.split_once("id=\"facts\">").and_then(|(_, rest)| rest.split_once("</script>"));
        let facts: serde_json::Value = serde_json::from_str(facts.expect("facts").0).expect("JSON");
        assert_eq!(facts["name"], name);
    }
}
