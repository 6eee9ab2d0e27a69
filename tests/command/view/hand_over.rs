//! The page of ours that hands a trace over to the viewer, where the viewer's page may not fetch from the port.

use super::*;

/// A port of loopback that is taken: the usual one, by us or by somebody else.
fn taken() -> Option<std::net::TcpListener> {
    std::net::TcpListener::bind(("127.0.0.1", 9001)).ok()
}

fn start(arguments: &[&str], run: &Path) -> Serving {
    Serving::of(ompttrace(&[&["view"], arguments].concat(), run))
}

/// Another user's program at the usual port does not stop the command, nor does a port that the usual page cannot use.
#[test]
fn any_port_will_do() {
    let (folder, _taken) = (folder(), taken());
    for arguments in [&[][..], &["--port", "0"]] {
        let serving = start(arguments, folder.path());
        let port = serving.address.strip_prefix("127.0.0.1:").expect("loopback");
        assert!(
            port != "9001" && serving.link.starts_with("http://127.0.0.1:"),
            "{}",
            serving.link
        );
        let (head, page) = serving.ask("GET", &serving.path, &[("Host", &serving.address)]);
        assert_eq!(status(&head), "200", "{head}");
        assert!(text(&page).contains("<title>ompttrace view</title>"), "{}", text(&page));
    }
}

/// The page has the protocol of the viewer, names the only origin that gets the trace, and lets nothing else in or out.
#[test]
fn the_page_hands_over_to_the_viewer_only() {
    let folder = folder();
    let serving = start(&["--port", "0"], folder.path());
    let own = [("Host", serving.address.as_str())];
    let (head, page) = serving.ask("GET", &serving.path, &own);
    let page = text(&page);
    for words in [
        "window.open(facts.viewer)",
        "viewer.postMessage(\"PING\", facts.origin)",
        "event.source !== viewer || event.origin !== facts.origin || event.data !== \"PONG\"",
        "viewer.postMessage({ perfetto }, facts.origin, [buffer])",
    ] {
        assert!(page.contains(words), "no {words} in {page}");
    }
    assert_eq!(page.matches("postMessage(").count(), 2, "{page}");
    let facts = page.split_once("id=\"facts\">").and_then(|(_, rest)| rest.split_once("</script>"));
    let facts: serde_json::Value = serde_json::from_str(facts.expect("facts").0).expect("JSON");
    assert_eq!(facts["origin"], USUAL_PAGE);
    let viewer = facts["viewer"].as_str().expect("a link");
    assert!(viewer.starts_with("https://ui.perfetto.dev/#!/?startupCommands=%5B"), "{viewer}");
    assert_eq!(facts["trace"], format!("{}trace.pftrace", serving.path));
    for header in [
        "Content-Security-Policy: default-src 'none'; script-src 'nonce-",
        "connect-src 'self'",
        "frame-ancestors 'none'",
        "Referrer-Policy: no-referrer",
        "Cache-Control: no-store",
    ] {
        assert!(head.contains(header), "no {header:?} in {head}");
    }
    assert!(
        !head.contains("Cross-Origin-Opener-Policy"),
        "the viewer's window would be cut off: {head}"
    );
}

/// The page itself is no fetch; the trace goes to this page and to no other.
#[test]
fn only_our_own_page_may_fetch() {
    let folder = folder();
    let mut serving = start(&["--port", "0"], folder.path());
    let trace = format!("{}trace.pftrace", serving.path);
    let address = serving.address.clone();
    let origin = format!("http://{address}");
    for (path, host, origin, wanted) in [
        ("/", &*address, &*origin, "404"),
        (&*serving.path, "evil.example:80", &origin, "403"),
        (&serving.path, &address, "https://evil.example", "403"),
        (&trace, &address, USUAL_PAGE, "403"),
        (&trace, &address, "null", "403"),
    ] {
        let (head, body) = serving.ask("GET", path, &[("Host", host), ("Origin", origin)]);
        assert_eq!((status(&head), body.len()), (wanted, 0), "{path} {host} {origin}");
    }
    serving.ask("GET", &serving.path, &[("Host", &address)]);
    let (_, body) = serving.ask("HEAD", &serving.path, &[("Host", &address)]);
    assert_eq!(body.len(), 0);
    assert!(serving.waits());
    let (head, body) = serving.ask("GET", &trace, &[("Host", &address), ("Origin", &origin)]);
    assert_eq!(status(&head), "200", "{head}");
    assert!(body == std::fs::read(folder.path().join("trace.pftrace")).expect("a trace"));
    serving.end();
}
