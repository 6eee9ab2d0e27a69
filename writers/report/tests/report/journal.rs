//! The journal: the report is the sum of its entries, which also say for which thread each thread waited.

use crate::script::Script;
use ompttrace_model::{Definitions, Event, RunInfo, Sink, Summary};
use ompttrace_recording::events::{CoresRead, RunDelay};
use ompttrace_report::journal::{Account, Construct, Edges, Entry, Part, Running};
use ompttrace_report::{Report, ReportSink, State};
use std::collections::BTreeMap;
use std::convert::Infallible;

/// A report with the journal that it was made of.
struct Kept {
    sink: ReportSink,
    entries: Vec<Entry>,
}

impl Sink for Kept {
    type Output = (Report, Vec<Entry>, Vec<Construct>);
    type Error = Infallible;

    fn start(&mut self, run: &RunInfo<'_>) {
        self.sink.start(run);
    }

    fn event(&mut self, definitions: &Definitions, at: u64, event: &Event<'_>) {
        self.sink.event(definitions, at, event);
        self.entries.extend(self.sink.take_journal(Vec::new()));
    }

    fn finish(
        mut self,
        definitions: &Definitions,
        summary: &Summary,
    ) -> Result<Self::Output, Infallible> {
        self.sink.settle_all(definitions);
        self.entries.extend(self.sink.take_journal(Vec::new()));
        let constructs = self.sink.constructs_from(0).collect();
        Ok((self.sink.finish(definitions, summary)?, self.entries, constructs))
    }
}

fn kept(script: &Script, edges: Edges) -> (Report, Vec<Entry>, Vec<Construct>) {
    let (_folder, recording) = script.0.open().expect("a run folder");
    let sink = ReportSink::new().with_journal(edges);
    let kept = Kept { sink, entries: Vec::new() };
    ompttrace_timeline::run(&recording, kept).expect("kept").0
}

const NO_EDGES: Edges = Edges { next: 0, distance: 1, left: 0 };

/// Two regions with a critical section in the first, in which thread 1 waits for thread 0, and thread 0 then for it.
fn regions() -> Script {
    let mut script = Script::new();
    script.fork(1_000, 1, 0x1000);
    script.acquire(0, 1_100, 0x3000).acquired(0, 1_110, 0x3000).acquire(1, 1_200, 0x3000);
    script.released(0, 2_000, 0x3000).acquired(1, 2_010, 0x3000).released(1, 2_500, 0x3000);
    script.arrive(0, 3_000, 1).arrive(1, 11_000, 1).join(11_010, 1, 0x1000);
    script.fork(12_000, 2, 0x1100).arrive(1, 12_500, 2).arrive(0, 13_000, 2);
    script.join(13_010, 2, 0x1100).end(14_000);
    script
}

/// Time by construct and state. Of serial sections, by the region before them.
type Sums = BTreeMap<(String, &'static str), i64>;

fn of_journal(entries: &[Entry]) -> Sums {
    let mut sums = Sums::new();
    let mut add = |account: Account, state: State, time: i64| {
        *sums.entry((format!("{account:?}"), state.name())).or_default() += time;
    };
    for entry in entries {
        match *entry {
            Entry::Part(part) => add(part.account, part.state, (part.end - part.begin) as i64),
            Entry::Moved { account, from, to, nanoseconds, .. } => {
                add(account, from, -(nanoseconds as i64));
                add(account, to, nanoseconds as i64);
            }
            _ => {}
        }
    }
    sums.retain(|_, time| *time != 0);
    sums
}

fn of_report(report: &Report) -> Sums {
    let mut sums = Sums::new();
    for (at, construct) in report.constructs.iter().enumerate() {
        let account = match construct.between {
            Some([from, _]) => Account::SerialAfter(from.unwrap_or(0) as u32),
            None => Account::Construct(at as u32),
        };
        for state in State::ALL {
            let time = construct.times.of(*state) as i64;
            *sums.entry((format!("{account:?}"), state.name())).or_default() += time;
        }
    }
    sums.retain(|_, time| *time != 0);
    sums
}

fn parts(entries: &[Entry]) -> impl Iterator<Item = &Part> {
    entries.iter().filter_map(|entry| match entry {
        Entry::Part(part) => Some(part),
        _ => None,
    })
}

#[test]
fn its_sums_are_the_reports() {
    let (report, entries, constructs) = kept(&regions(), NO_EDGES);
    assert_eq!(of_journal(&entries), of_report(&report));
    assert_eq!(constructs.len(), report.constructs.len());
    for thread in 0..2 {
        let ends: Vec<_> = parts(&entries).filter(|part| part.thread == thread).collect();
        assert!(ends.windows(2).all(|two| two[0].end == two[1].begin), "{ends:#?}");
    }
    let mutex = entries.iter().filter_map(|entry| match *entry {
        Entry::Held { thread, nanoseconds, .. } => Some((thread, nanoseconds)),
        _ => None,
    });
    assert_eq!(mutex.collect::<Vec<_>>(), [(0, 800)]);
}

#[test]
fn what_the_kernel_said_late_is_in_it_too() {
    let mut script = regions();
    let sums = |run_ns, delay_ns| RunDelay { run_ns, delay_ns, ..RunDelay::default() };
    // Of the section before the first region some is known only when that has begun.
    script.0.put_cores(0, 10, sums(5, 1));
    script.0.put_cores(0, 1_050, sums(400, 300));
    script.0.put_cores(0, 1_050, CoresRead {});
    script.0.put_cores(1, 1_010, sums(500, 70));
    script.0.put_cores(1, 11_010, sums(4_500, 3_070));
    script.0.put_cores(1, 11_010, CoresRead {});
    script.0.facts.process.cores = 2;
    let (report, entries, _) = kept(&script, NO_EDGES);
    assert!(report.times.of(State::OffCorePreempted) > 0);
    assert_eq!(of_journal(&entries), of_report(&report));
}

#[test]
fn blame_grows_by_what_constructs_are_charged_with() {
    let edges = Edges { next: 4_000, distance: 4_000, left: 3 };
    let (report, entries, _) = kept(&regions(), edges);
    let (mut before, mut charged) = ([Running::default(); 2], BTreeMap::new());
    for part in parts(&entries) {
        let since = std::mem::replace(&mut before[part.thread as usize], part.blame);
        if let (true, Account::Construct(construct)) = (part.works, part.account) {
            let sums: &mut (f64, f64) = charged.entry(construct).or_default();
            sums.0 += part.blame.idle - since.idle;
            sums.1 += part.blame.wait - since.wait;
        }
    }
    for (construct, (idle, wait)) in charged {
        let blame = report.constructs[construct as usize].blame;
        let wanted = [blame.idle_ns as f64, blame.wait_ns as f64];
        assert!((wanted[0] - idle).abs() <= 0.5 && (wanted[1] - wait).abs() <= 0.5, "{construct}");
    }
    let at_edges: Vec<_> = entries
        .iter()
        .filter_map(|entry| match entry {
            Entry::Edge(sums) => Some(sums.wait),
            _ => None,
        })
        .collect();
    // Thread 0 waits from 3,000 to 11,010 while thread 1 works; both work again at 12,010.
    assert_eq!(at_edges, [1_000.0, 5_000.0, 8_000.0]);
}

#[test]
fn a_wait_names_the_thread_that_ended_it() {
    let (report, entries, _) = kept(&regions(), NO_EDGES);
    let mut released = Vec::new();
    let mut last = [State::Idle; 2];
    for entry in &entries {
        match *entry {
            Entry::Part(part) => last[part.thread as usize] = part.state,
            Entry::Released { thread, by, construct } => {
                let name = report.constructs[construct as usize].name.clone();
                released.push((thread, last[thread as usize], by, name));
            }
            _ => {}
        }
    }
    let [first, second] = ["parallel 0x1000", "parallel 0x1100"].map(str::to_owned);
    assert_eq!(released[0], (1, State::WaitCritical, 0, first.clone()));
    assert!(released.contains(&(0, State::WaitBarrierImplicit, 1, first)), "{released:?}");
    assert!(released.contains(&(1, State::WaitBarrierImplicit, 0, second)), "{released:?}");
}
