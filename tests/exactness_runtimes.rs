//! Every event of every test program is in the recording, on older and on other people's runtimes
//! too. A program stays out by its own `needs:` alone.

use ompttrace_tests::{crowd, exactness, runtimes};

fn check(name: &str) {
    crowd::check_all(&runtimes::by_name(name).unwrap(), exactness::check);
}

#[test]
fn on_libomp_14() {
    check("libomp-14");
}

#[test]
fn on_libomp_16() {
    check("libomp-16");
}

#[test]
#[cfg(target_arch = "x86_64")]
fn on_intel_2024() {
    check("intel-2024");
}

#[test]
#[cfg(target_arch = "x86_64")]
fn on_intel_2026() {
    check("intel-2026");
}
