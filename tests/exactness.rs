//! Every event of every test program is in the recording: the oracle in the same process and
//! `ompttrace info` agree for every callback, on the runtime that belongs to the compiler.

use ompttrace_tests::{crowd, exactness, runtimes};

#[test]
fn on_libomp_19() {
    crowd::check_all(&runtimes::libomp_19().unwrap(), exactness::check);
}
