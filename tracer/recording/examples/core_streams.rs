//! Every record of the core streams of a run folder, one a line.
use ompttrace_recording::Recording;

fn main() {
    let run = std::env::args().nth(1).expect("usage: core_streams RUN_FOLDER");
    let recording = Recording::open(run.as_ref()).expect("a recording");
    println!("{:?} {:?}", recording.facts.cores, recording.damage);
    for (index, cores) in recording.cores.iter().enumerate() {
        let mut stream = recording.core_stream(index);
        while stream
            .take(|record| println!("{} {} {:?}", cores.number, record.ticks, record.event()))
            .is_some()
        {}
    }
}
