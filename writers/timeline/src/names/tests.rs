//! Texts as users read them.

use super::*;
use ompttrace_model::Definitions;
use ompttrace_symbols::Modules;

fn spot() -> Spot {
    Spot {
        label: Some("stencil.c:42 (heat_step)".into()),
        location: Some("stencil.c:42".into()),
        ..Spot::default()
    }
}

#[test]
fn names_are_those_of_the_constructs() {
    let text = |family, kind| compose(family, kind, Some(&spot()));
    assert_eq!(text(Family::Parallel, 0), "parallel stencil.c:42 (heat_step)");
    assert_eq!(text(Family::Teams, 0), "teams stencil.c:42 (heat_step)");
    assert_eq!(text(Family::Work, 11), "for dynamic stencil.c:42");
    assert_eq!(text(Family::Sync, 9), "barrier (implicit)");
    assert_eq!(text(Family::Wait, 5), "wait: taskwait");
    assert_eq!(text(Family::Target, 9), "target nowait stencil.c:42");
    assert_eq!(text(Family::TaskStatus, 6), "detached task complete");
    assert_eq!(compose(Family::Work, 2, None), "sections");
}

#[test]
fn a_name_is_defined_once() {
    let (mut names, mut definitions) =
        (Names::new(Modules::default(), &[], &[], Sites::default()), Definitions::default());
    let code = Code { address: 0x1234, function: false };
    let first = names.at(&mut definitions, Family::Work, 1, code);
    let second = names.at(&mut definitions, Family::Work, 2, code);
    assert_eq!(first, names.at(&mut definitions, Family::Work, 1, code));
    assert_ne!(first.name, second.name);
    assert_eq!(first.source, second.source);
    let strings: Vec<&str> = definitions.strings().iter().map(|text| &**text).collect();
    assert_eq!(strings, ["for 0x1234", "sections 0x1234"]);
}

#[test]
fn addresses_without_end_fall_back_to_plain_words() {
    let (mut names, mut definitions) =
        (Names::new(Modules::default(), &[], &[], Sites::default()), Definitions::default());
    for address in 0..2 * MAX_SPOTS as u64 {
        names.at(&mut definitions, Family::Work, 1, Code { address, function: false });
    }
    assert!(definitions.strings().len() <= MAX_SPOTS + 1);
}

#[test]
fn a_mutex_is_called_what_it_is() {
    let mut names = Names::new(Modules::default(), &[], &[], Sites::default());
    let code = Code { address: 0x1234, function: false };
    assert_eq!(names.mutex(6, 0x50, code, None, None), "atomic");
    assert_eq!(names.mutex(1, 0x50, code, None, None), "lock 0x50");
    assert_eq!(names.mutex(3, 0x50, code, Some("a.c:7".into()), None), "nest lock a.c:7 (0x50)");
    assert_eq!(names.mutex(5, 0x50, code, None, None), "critical 0x1234");
}
