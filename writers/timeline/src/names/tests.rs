//! Texts as users read them.

use super::*;
use ompttrace_model::ompt::{SyncRegion, Target, TaskStatus, Work};
use ompttrace_model::{Definitions, SliceKind};
use ompttrace_symbols::{Modules, Symbolizer};

const LOOP: Subject = Subject::Slice(SliceKind::Work(Work::Loop));
const SECTIONS: Subject = Subject::Slice(SliceKind::Work(Work::Sections));

fn names() -> Names<'static> {
    Names::new(CodeNames::new(Symbolizer::new(Modules::default()), &[]), &[], Sites::default())
}

fn spot() -> Spot {
    Spot {
        label: Some("stencil.c:42 (heat_step)".into()),
        location: Some("stencil.c:42".into()),
        ..Spot::default()
    }
}

#[test]
fn names_are_those_of_the_constructs() {
    let text = |kind| Subject::Slice(kind).text(Some(&spot()));
    assert_eq!(text(SliceKind::Region { league: false }), "parallel stencil.c:42 (heat_step)");
    assert_eq!(text(SliceKind::Region { league: true }), "teams stencil.c:42 (heat_step)");
    assert_eq!(text(SliceKind::Work(Work::LoopDynamic)), "for dynamic stencil.c:42");
    assert_eq!(text(SliceKind::Sync(SyncRegion::BarrierImplicitParallel)), "barrier (implicit)");
    assert_eq!(text(SliceKind::Wait(SyncRegion::Taskwait)), "wait: taskwait");
    assert_eq!(text(SliceKind::Target(Target::TargetNowait)), "target nowait stencil.c:42");
    assert_eq!(Subject::TaskStatus(TaskStatus::LateFulfill).text(None), "detached task complete");
    assert_eq!(SECTIONS.text(None), "sections");
}

#[test]
fn a_name_is_defined_once() {
    let (mut names, mut definitions) = (names(), Definitions::default());
    let code = Code { address: 0x1234, function: false };
    let first = names.at(&mut definitions, LOOP, code);
    let second = names.at(&mut definitions, SECTIONS, code);
    assert_eq!(first, names.at(&mut definitions, LOOP, code));
    assert_ne!(first.name, second.name);
    assert_eq!(first.source, second.source);
    let strings: Vec<&str> = definitions.strings().iter().map(|text| &**text).collect();
    assert_eq!(strings, ["for 0x1234", "sections 0x1234"]);
}

#[test]
fn addresses_without_end_fall_back_to_plain_words() {
    let (mut names, mut definitions) = (names(), Definitions::default());
    for address in 0..2 * MAX_SPOTS as u64 {
        names.at(&mut definitions, LOOP, Code { address, function: false });
    }
    assert!(definitions.strings().len() <= MAX_SPOTS + 1);
}

#[test]
fn a_mutex_is_called_what_it_is() {
    let mut names = names();
    let code = Code { address: 0x1234, function: false };
    assert_eq!(names.mutex(Mutex::Atomic, 0x50, code, None, None), "atomic");
    assert_eq!(names.mutex(Mutex::Lock, 0x50, code, None, None), "lock 0x50");
    assert_eq!(
        names.mutex(Mutex::NestLock, 0x50, code, Some("a.c:7".into()), None),
        "nest lock a.c:7 (0x50)"
    );
    assert_eq!(names.mutex(Mutex::Critical, 0x50, code, None, None), "critical 0x1234");
}
