//! A runtime that is linked into the program: their frames lie in one module, so that only the program's
//! call into the runtime distinguishes them.

#[path = "maps/mod.rs"]
mod maps;

use maps::mapped;
use ompttrace_stacks::{End, MAX_DEPTH, Request, set_find_module, set_runtime, walk};
use std::hint::black_box;

/// A call that is not made a jump.
#[inline(never)]
fn through(calls: usize, bottom: &mut dyn FnMut()) {
    if calls == 0 {
        bottom()
    } else {
        through(calls - 1, bottom)
    }
    black_box(calls);
}

fn found(code: u64) -> (Vec<u64>, End) {
    let mut frames = [0; MAX_DEPTH];
    let walked = walk(&Request { code, ..Request::default() }, &mut frames);
    (frames[..walked.frames].to_vec(), walked.end)
}

/// The inner calls stand for the runtime's.
#[test]
fn frames_are_the_programs_from_its_call_on() {
    set_find_module(mapped);
    through(6, &mut || {
        let (all, _) = found(0);
        // `through` calls itself at one call site: from there on the frames are to be the program's.
        let program: Vec<u64> = all.iter().copied().skip_while(|frame| *frame != all[4]).collect();
        assert!(program.len() > 5, "{all:x?}");
        set_runtime(through as *const () as u64);
        let (reported, end) = found(all[4]);
        assert_eq!((reported, end), (program, End::Whole));
        // Nobody can report where the program begins.
        assert_eq!(found(0), (Vec::new(), End::Broken));
    });
}
