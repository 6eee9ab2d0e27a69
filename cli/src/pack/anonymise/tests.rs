//! Every kind of text in records, anonymised and read again.

use super::*;
use clap::Parser;
use ompttrace_recording::events::{
    CodeSite, DeviceInitialize, DeviceLoad, Error, MpiName, MpiObject, Phase, PhaseName, Text,
    ThreadInfo,
};
use ompttrace_recording::{EventCode, Scope, phases};
use ompttrace_timeline::testing::RunBuilder;

const NAME: &str = "a phase of the customer";
const FILE: &str = "results of the customer/step 1.dat";
const COMMUNICATOR: &str = "ranks of the customer, which are many";

fn words(text: &str) -> [u64; 3] {
    texts::words_of(text.as_bytes())
}

/// Text records for a text.
fn put_text(run: &mut RunBuilder, ticks: u64, text: &str) {
    for part in text.as_bytes().chunks(24) {
        let [first, second, third] = texts::words_of(part);
        run.put(0, ticks, Scope::None, Text { first, second, third });
    }
}

/// A recording with a text of each kind.
fn recorded() -> RunBuilder {
    let mut run = RunBuilder::new();
    let process = &mut run.facts.process;
    process.executable = "/home/somebody/customer/simulation".into();
    process.arguments = vec!["./simulation".into(), "--secret=1".into()];
    process.host = "node17.customer.example".into();
    let [low, high, _] = words("simulation");
    run.put(0, 1, Scope::None, ThreadInfo { os_thread: 7, name_low: low, name_high: high });
    let [low, high, _] = words("io on node17");
    run.put(1, 1, Scope::None, ThreadInfo { os_thread: 8, name_low: low, name_high: high });
    let (device, file) = ("NVIDIA H200", "/home/somebody/customer/kernels-of-the-customer.cubin");
    run.put(0, 2, Scope::None, DeviceInitialize { device: 0, text_bytes: device.len() as u64 });
    put_text(&mut run, 2, device);
    run.put(
        0,
        3,
        Scope::None,
        DeviceLoad { text_bytes: file.len() as u64, ..DeviceLoad::default() },
    );
    // A definition may come in between.
    run.put(0, 3, Scope::None, CodeSite { code: 9, kind: 0, site: 1 });
    put_text(&mut run, 3, file);
    run.put(0, 4, Scope::None, Error { text_bytes: 40, ..Error::default() });
    put_text(&mut run, 4, "no input in /scratch/job");
    // The rest of its text is missing, and this one is of no event.
    run.put(0, 5, Scope::None, CodeSite { code: 10, kind: 0, site: 2 });
    put_text(&mut run, 6, "/scratch/of/nothing");
    for part in PhaseName::parts(phases::number(NAME.as_bytes()), NAME.as_bytes()) {
        run.put_words(0, 7, EventCode::new(PhaseName::NUMBER, Scope::None), &part.words());
    }
    let phase = Phase { kind: 0, depth: 0, what: phases::number(NAME.as_bytes()) };
    run.put_words(0, 8, EventCode::new(Phase::NUMBER, Scope::Begin), &phase.words());
    for (part, at) in COMMUNICATOR.as_bytes().chunks(24).zip((0..).step_by(24)) {
        let bytes = COMMUNICATOR.len() as u64;
        run.put(0, 9, Scope::None, MpiName::part(5, part, at, bytes));
    }
    let bytes = FILE.len() as u64;
    let file = MpiObject { handle: 6, communicator: 5, kind: 2, mode: 1, bytes };
    run.put(0, 10, Scope::None, file);
    for (part, at) in FILE.as_bytes().chunks(24).zip((0..).step_by(24)) {
        run.put(0, 10, Scope::None, MpiName::part(6, part, at, bytes));
    }
    run
}

/// The events of a thread of the copy that is made with these options, and the whole of its facts.
fn copied(options: &[&str]) -> (Vec<Event>, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let run = recorded().write().expect("a run folder");
    let to = folder.path().join("copy");
    let words = ["ompttrace", "pack", run.path().to_str().expect("text"), "--quiet", "--output"];
    let words =
        words.iter().copied().chain([to.to_str().expect("text")]).chain(options.iter().copied());
    let arguments = crate::arguments::Arguments::parse_from(words);
    let crate::arguments::Command::Pack(arguments) = arguments.command else { panic!("pack") };
    super::super::run(&arguments).expect("anonymised");
    let copy = ompttrace_packed::open(&to).expect("a recording");
    let mut events = Vec::new();
    for thread in 0..copy.threads.len() {
        let mut stream = copy.stream(thread);
        while let Some(event) = stream.take(|record| record.event()) {
            events.push(event);
        }
    }
    copy.check().expect("whole");
    (events, std::fs::read_to_string(to.join(folder::FACTS)).expect("facts"))
}

/// The texts that events have, in their order.
fn texts_in(events: &[Event]) -> Vec<String> {
    let mut texts: Vec<Vec<u8>> = Vec::new();
    for event in events {
        match event {
            Event::ThreadInfo(info) => {
                texts.push(texts::text_of(&[info.name_low, info.name_high], 16))
            }
            Event::DeviceInitialize(_) | Event::DeviceLoad(_) | Event::Error(_) => {
                texts.push(Vec::new())
            }
            Event::PhaseName(part) if part.at == 0 => texts.push(part.text().collect()),
            Event::PhaseName(part) => texts.last_mut().expect("its begin").extend(part.text()),
            Event::MpiName(part) if part.at == 0 => texts.push(part.text().collect()),
            Event::MpiName(part) => texts.last_mut().expect("its begin").extend(part.text()),
            Event::Text(text) => {
                let words = [text.first, text.second, text.third];
                texts.last_mut().expect("its event").extend(texts::text_of(&words, 24));
            }
            _ => {}
        }
    }
    let text =
        |text: Vec<u8>| String::from_utf8(text).expect("text").trim_end_matches('\0').to_owned();
    texts.into_iter().map(text).collect()
}

#[test]
fn texts_of_all_kinds_are_replaced_and_names_stay() {
    let (events, facts) = copied(&["--anonymise"]);
    let wanted = [
        "program-1",
        "NVIDIA H200",
        "/folder-1/program-2",
        "no input in /folder-3/program-3",
        NAME,
        COMMUNICATOR,
        "/folder-4/program-4",
        "thread-1",
    ];
    assert_eq!(texts_in(&events), wanted);
    let sizes = events.iter().filter_map(|event| match event {
        Event::DeviceLoad(event) => Some(event.text_bytes),
        Event::Error(event) => Some(event.text_bytes),
        Event::MpiObject(event) => Some(event.bytes),
        _ => None,
    });
    let expected = [wanted[2], wanted[3], wanted[6]].map(|text| text.len() as u64);
    assert_eq!(sizes.collect::<Vec<_>>(), expected);
    let sites = events.iter().filter(|event| matches!(event, Event::CodeSite(_)));
    assert_eq!(sites.count(), 2);
    for text in ["somebody", "customer", "simulation", "secret", "node17"] {
        assert!(!facts.contains(text), "{text} in {facts}");
    }
}

#[test]
fn all_replaces_names_and_the_hash_of_a_phases_name() {
    let (events, _) = copied(&["--anonymise=all"]);
    let texts = texts_in(&events);
    assert_eq!(
        texts[3..],
        ["message-1", "phase-1", "communicator-1", "/folder-3/program-3", "thread-1"]
    );
    let number = phases::number(b"phase-1");
    let numbers = events.iter().filter_map(|event| match event {
        Event::Phase(phase) => Some(phase.what),
        Event::PhaseName(part) => Some(part.name),
        _ => None,
    });
    assert_eq!(numbers.collect::<Vec<_>>(), [number, number]);
}
