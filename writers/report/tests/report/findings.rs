//! Findings: the advice, and that its gain is worth its cost.

use crate::script::Script;
use ompttrace_report::model::Finding;
use ompttrace_report::{Report, text};

/// ompt_parallel_invoker_program, ompt_parallel_team: what GCC's programs say.
const OF_GCC: u32 = 0x8000_0001;

/// A region for each of the codes, `times` over; its two threads work so long, and its barrier takes 500.
fn regions(codes: &[u64], times: u32, work: [u64; 2], flags: u32) -> Script {
    let mut script = Script::new();
    let (mut at, mut number) = (1000, 0);
    for _ in 0..times {
        for code in codes {
            number += 1;
            let begun = at + 10;
            let over = begun + work[0].max(work[1]) + 500;
            script.fork_with(at, number, *code, flags);
            script.arrive(0, begun + work[0], number).arrive(1, begun + work[1], number);
            script.join(over, number, *code);
            at = over + 20;
        }
    }
    script.end(at + 100);
    script
}

fn of_kind<'r>(report: &'r Report, kind: &str) -> Vec<&'r Finding> {
    report.findings.iter().filter(|finding| finding.kind == kind).collect()
}

/// The only finding of a kind and its cure, in words.
fn only(report: &Report, kind: &str) -> String {
    match of_kind(report, kind)[..] {
        [finding] => format!("{}; {}", finding.text, finding.cure),
        _ => panic!("not one {kind}: {:#?}", report.findings),
    }
}

#[test]
fn hardly_any_work_is_not_to_be_scheduled_otherwise() {
    let report = regions(&[0x1000], 20, [370, 300], 0x8000_0002).report();
    let text = only(&report, "short");
    assert!(text.contains("335 ns of work in it each of 20 times"), "{text}");
    assert!(text.contains("let one thread do it") && !text.contains("schedule"), "{text}");
    assert!(of_kind(&report, "imbalance").is_empty());
}

#[test]
fn equal_work_is_not_called_uneven() {
    let report = regions(&[0x1000], 3, [20_000, 20_000], 0x8000_0002).report();
    assert!(only(&report, "late").contains("share the work evenly (20.0 us each in 3 executions)"));
    let report = regions(&[0x1000], 3, [10_000, 12_300], 0x8000_0002).report();
    assert!(only(&report, "imbalance").contains("thread 1 works 1.1x the mean"));
}

#[test]
fn several_that_say_the_same_are_one() {
    let report = regions(&[0x1000, 0x2000, 0x3000], 9, [370, 300], 0x8000_0002).report();
    let [finding] = of_kind(&report, "short")[..] else { panic!("{:#?}", report.findings) };
    assert!(finding.text.starts_with("`parallel` at 3 locations"), "{}", finding.text);
    assert_eq!(finding.also.len(), 2);
    let waits: u64 = report
        .regions
        .iter()
        .map(|region| region.times.sum(ompttrace_report::State::is_barrier))
        .sum();
    assert_eq!(finding.lost_ns, waits);
    let two = regions(&[0x1000, 0x2000], 9, [370, 300], 0x8000_0002).report();
    assert_eq!(of_kind(&two, "short").len(), 2, "two are reported one by one");
}

#[test]
fn one_that_stands_out_is_reported_by_itself() {
    let mut script = regions(&[0x1000, 0x2000, 0x3000], 1, [370, 300], 0x8000_0002);
    script.fork(10_000, 9, 0x4000).arrive(0, 10_300, 9).arrive(1, 10_400, 9);
    script.join(19_000, 9, 0x4000).end(19_100);
    let report = script.report();
    let short = of_kind(&report, "short");
    assert_eq!(short.iter().map(|finding| finding.also.len()).collect::<Vec<_>>(), [0, 2]);
    let mut script = regions(&[0x1000, 0x2000], 1, [370, 300], 0x8000_0002);
    script.fork(10_000, 9, 0x4000).arrive(0, 10_300, 9).arrive(1, 10_400, 9);
    script.join(19_000, 9, 0x4000).end(19_100);
    let report = script.report();
    assert!(of_kind(&report, "short").len() == 3, "two that are left are reported one by one");
}

#[test]
fn a_region_of_gcc_is_not_said_to_hold_no_loops() {
    let uneven = [60_000, 20_000];
    let (gcc, clang) = (
        regions(&[0x1000], 2, uneven, OF_GCC).report(),
        regions(&[0x1000], 2, uneven, 0x8000_0002).report(),
    );
    let text = only(&gcc, "imbalance");
    assert!(text.contains("not distinguished in it") && !text.contains("more evenly"), "{text}");
    assert!(only(&clang, "imbalance").contains("share its work more evenly"));
}

/// Two threads with a loop of so many iterations, of which thread 0 has the longer part.
fn looped(iterations: u64) -> Report {
    let mut script = Script::new();
    script.fork(1000, 1, 0x1000);
    script.static_loop(0, (1020, 61_020), 1, iterations);
    script.static_loop(1, (1020, 31_020), 1, iterations);
    script.arrive(1, 31_030, 1).arrive(0, 61_030, 1).join(61_040, 1, 0x1000).end(62_000);
    script.report()
}

/// 15 us of 62 are lost: half a chunk's tail and 200 ns for each chunk of a thread are what is left of them.
#[test]
fn a_gain_is_elapsed_time_less_what_its_cure_costs() {
    let report = looped(900);
    let [finding] = of_kind(&report, "imbalance")[..] else { panic!("{:#?}", report.findings) };
    let chunks = 900_u64.div_ceil(64);
    let tail = 64.0 * 120_000.0 / 900.0 / 2.0;
    let expected = 15_000.0 - chunks as f64 * 100.0 - tail / 2.0;
    assert_eq!(finding.gain.ns, expected as u64);
    assert_eq!(finding.gain.share, expected / report.wall_ns as f64);
    assert!(finding.gain.low_ns <= finding.gain.ns && finding.gain.ns <= finding.gain.high_ns);
    assert_eq!((finding.cause, finding.cure.as_str()), ("imbalance", "try schedule(dynamic, 64)"));
    let waited = finding.evidence.iter().find(|one| one.name == "waited_ns").expect("evidence");
    assert_eq!(waited.value, finding.lost_ns as f64);
}

#[test]
fn chunks_of_a_dynamic_schedule_are_worth_handing_out() {
    let ends = |iterations, advice: &str| {
        let report = looped(iterations);
        let text = only(&report, "imbalance");
        assert!(text.ends_with(advice), "{text}");
    };
    ends(12, "; try schedule(dynamic, 1)");
    ends(900, "; try schedule(dynamic, 64)");
    ends(3, "; try `collapse`: its 3 iterations are too few for 2 threads");
}

/// A function of C++ as programs without lines have it in their findings.
const FUNCTION: &str = "partial_differential_equations::Sweep<std::__cxx11::basic_string<char, std::char_traits<char>, \
                        std::allocator<char> >, std::map<std::__cxx11::basic_string<char, std::char_traits<char> >, \
                        std::vector<double, std::allocator<double> > > >::operator->() const::relax";

/// The lines of a report's findings.
fn lines(report: &Report, width: Option<usize>) -> Vec<String> {
    let text = anstream::adapter::strip_str(&text::render(report, 20, width)).to_string();
    let lines = text.lines().skip_while(|line| *line != "Findings").skip(1);
    lines.take_while(|line| !line.is_empty()).map(str::to_owned).collect()
}

#[test]
fn a_finding_is_three_sentences_that_fit_whatever_names_are_in_it() {
    let mut report = regions(&[0x1000], 3, [10_000, 12_300], 0x8000_0002).report();
    let section = format!("a_critical_section{}", "_with_a_name_of_many_words".repeat(8));
    let finding = report.findings.first_mut().expect("a finding");
    finding.text = format!(
        "`critical {section}` at mesh+0x1378 in `parallel` in {FUNCTION} (mesh+0x13ec): others wait 20.2 ms for it"
    );
    finding.cure = format!("merge it with `for` in {FUNCTION} (mesh+0x15a0)");
    report.findings.truncate(1);
    assert!(report.findings[0].gain.high_ns > 0, "{:?}", report.findings);
    for (width, most) in [(None, 3), (Some(120), 7), (Some(80), 9)] {
        let lines = lines(&report, width);
        let text = lines.join("\n");
        let widest = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
        assert!(width.is_none_or(|width| widest <= width), "{widest} columns:\n{text}");
        assert!(lines.len() <= most, "{} lines:\n{text}", lines.len());
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        for kept in [
            "`critical a_critical_section_",
            "in partial_differential_equations::Sweep<…>::operator->() const::relax (mesh+0x13ec): others",
            "Merge it with `for` in ",
            "(mesh+0x15a0). Expected: ",
        ] {
            assert!(words.contains(kept), "{kept:?} in:\n{text}");
        }
        assert!(text.lines().all(|line| line.split(' ').all(|word| word.len() <= 120)), "{text}");
    }
}
