//! Many more threads than cores, small buffers and a thread that flushes all the time: every event is
//! recorded once, by the oracle's count. What the models of the recorder try in every order of a few
//! steps, a real runtime does here some hundred thousand times in the order that comes.

use anyhow::Result;
use ompttrace_tests::traced::By;
use ompttrace_tests::{exactness, programs, runtimes};

#[test]
fn sixty_four_threads_and_a_flush_without_end() -> Result<()> {
    let program = programs::of_test("tests/stress/crowd.c")?;
    let small = [("OMPTTRACE_BUFFER", "4K")];
    let said = exactness::check_with(&program, &runtimes::libomp_19()?, By::Oracle, &small)?;
    assert!(said.is_empty(), "{said}");
    Ok(())
}
