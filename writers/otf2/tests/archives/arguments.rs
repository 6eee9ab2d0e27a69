//! A program with more arguments than a record of OTF2 can hold.

use super::archives;
use ompttrace_recording::Scope;
use ompttrace_recording::events::ThreadBegin;
use ompttrace_tests::otf2_judge::check;
use ompttrace_timeline::testing::RunBuilder;

#[test]
fn a_long_command_line_is_cut_and_the_archive_is_whole() {
    let mut run = RunBuilder::new();
    run.facts.process.arguments = (0..100_000).map(|number| format!("argument-{number}")).collect();
    run.put(0, 5, Scope::None, ThreadBegin { thread_type: 1 });
    let archives = archives(&run);
    check(&archives.threads).expect("sound");
}
