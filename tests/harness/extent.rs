//! The extent of tests: CI leaves out what takes minutes and hardly ever finds what the rest does not.

/// True with `cargo xtask test --all`. A test that asks for this keeps a seed, a program or a round of each kind in CI;
/// README.md lists them. The product refuses settings that it does not know: no variable of tests begins with OMPTTRACE_.
pub fn is_all() -> bool {
    std::env::var_os("TEST_OMPTTRACE_ALL").is_some_and(|value| value == "1")
}

/// The number of rounds, or of seeds: `few` in CI.
pub fn rounds<N>(few: N, all: N) -> N {
    if is_all() { all } else { few }
}

/// One of `every` so many in CI, the first among them; otherwise all.
pub fn some<T>(all: &[T], every: usize) -> impl Iterator<Item = &T> {
    all.iter().step_by(rounds(every, 1))
}

/// True for about one of `every` so many pairs in CI, such as a program and a runtime; otherwise for all.
pub fn has(one: &str, other: &str, every: u32) -> bool {
    let sum: u32 = one.bytes().chain(other.bytes()).map(u32::from).sum();
    sum.is_multiple_of(rounds(every, 1))
}
