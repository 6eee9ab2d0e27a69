//! The page: well-formed, self-contained, with charts, whatever names it has to show.

use crate::script::Script;
use ompttrace_report::html::{Excerpt, Extras};
use ompttrace_report::{Report, ReportSink, StripSink, html, text};

const HOSTILE: &str = "<script>alert(1)</script> & \"quotes\" 'and' \u{1b}[31m\u{1f525}";

/// The page with all that it may have.
fn page(report: &Report) -> String {
    let (_folder, recording) = Script::new().0.open().expect("a run folder");
    let sink = StripSink::new(ReportSink::new());
    let ((_, strip), _) = ompttrace_timeline::run(&recording, sink).expect("a timeline");
    let lines = Ok(vec![HOSTILE.to_owned(); 3]);
    let constructs = vec![HOSTILE.to_owned()];
    let sources = [Excerpt { file: HOSTILE.into(), line: 2, constructs, first: 1, lines }];
    let extras = Extras { strip: Some(&strip), sources: &sources };
    html::render(report, &extras, 10).expect("a page")
}

/// A report with all kinds of charts, in which every text is hostile.
fn hostile() -> Report {
    let mut script = Script::new();
    script.fork(100, 1, 0x1000);
    script.acquire(1, 120, 0x3000).acquired(1, 121, 0x3000).acquire(0, 150, 0x4000);
    script.released(1, 221, 0x3000).acquired(0, 225, 0x4000).released(0, 230, 0x4000);
    script.arrive(1, 240, 1).arrive(0, 300, 1).join(300, 1, 0x1000).end(410);
    let mut report = script.report();
    report.program.executable = HOSTILE.into();
    report.program.environment = vec![("command".into(), HOSTILE.into())];
    report.threads.iter_mut().for_each(|thread| thread.name = HOSTILE.into());
    for construct in &mut report.constructs {
        (construct.name, construct.what) = (HOSTILE.into(), HOSTILE.into());
        construct.location.short = HOSTILE.into();
    }
    report.locks.iter_mut().for_each(|lock| lock.name = HOSTILE.into());
    report.findings.iter_mut().for_each(|finding| finding.text = HOSTILE.into());
    report
}

#[test]
fn a_page_is_well_formed_with_any_name() {
    let page = page(&hostile());
    let (begin, end) =
        (page.find("<body>").expect("a body"), page.find("</body>").expect("its end"));
    let body = page[begin..end].to_owned() + "</body>";
    // XML has no such characters at all, not even escaped.
    let body: String = body.chars().filter(|letter| !letter.is_control()).collect();
    let tree = roxmltree::Document::parse(&body).expect("well-formed");
    let count =
        |name: &str| tree.descendants().filter(|node| node.tag_name().name() == name).count();
    assert!(count("svg") >= 5 && count("table") >= 4, "{} charts", count("svg"));
    assert_eq!(count("script"), 0);
    assert_eq!(page.matches("</script>").count(), 3, "what is in the timeline ends no element");
    let said =
        tree.descendants().filter(|node| node.text().is_some_and(|t| t.contains("alert(1)")));
    assert!(said.count() > 3, "names are shown as text");
}

#[test]
fn a_page_fetches_nothing() {
    let page = page(&hostile());
    assert!(page.contains("content=\"default-src 'none'; "), "the browser sees to it");
    let page = page.replace("http://www.w3.org/2000/svg", "").replace("http-equiv", "");
    // Links within the page.
    let page = page.replace(" href=\"#", "");
    for fetched in ["http", " src=", " href=", "url(", "@import", "<link", "fetch(", "import("] {
        assert!(!page.contains(fetched), "{fetched}");
    }
    assert!(page.contains("name=\"viewport\""), "phones get their width");
}

#[test]
fn names_cannot_send_commands_to_a_terminal() {
    let words = anstream::adapter::strip_str(&text::render(&hostile(), 10, Some(80))).to_string();
    let reported = text::render(&hostile(), 10, Some(80));
    assert!(!reported.contains("\u{1b}[31m"), "a control sequence reaches the terminal");
    assert!(words.contains("\\u{1b}[31m"), "{words}");
}
