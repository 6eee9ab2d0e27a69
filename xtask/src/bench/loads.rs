//! The loads: which program of tests/bench/loads, on how many threads, how
//! often. The counts make a run without a tool last some 20 to 200 ms.

/// One load.
pub struct Load {
    pub program: &'static str,
    pub threads: usize,
    pub iterations: u64,
}

impl Load {
    /// `critical@1`.
    pub fn name(&self) -> String {
        format!("{}@{}", self.program, self.threads)
    }
}

/// All of them, in the order of the table.
pub const LOADS: &[Load] = &[
    load("critical", 1, 1_000_000),
    load("critical", 2, 200_000),
    load("lock", 1, 1_000_000),
    load("lock", 2, 1_000_000),
    load("task", 1, 500_000),
    load("task", 2, 200_000),
    load("fib", 2, 20),
    load("barrier", 2, 200_000),
    load("parallel", 2, 100_000),
    load("for", 2, 100_000),
];

const fn load(program: &'static str, threads: usize, iterations: u64) -> Load {
    Load { program, threads, iterations }
}
