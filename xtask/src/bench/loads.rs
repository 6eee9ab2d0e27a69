//! The loads: which program of tests/bench/loads, on how many threads, how
//! often or how large. The counts make a run without a tool last some 20 to
//! 300 ms.

/// One load.
#[derive(Clone, Copy)]
pub struct Load {
    pub program: &'static str,
    pub threads: usize,
    /// The program's argument: the number of iterations, or the size of its problem.
    pub iterations: u64,
    /// True if nested regions have more threads than `threads`: waiting threads then yield their cores.
    pub crowded: bool,
}

impl Load {
    /// Name of the load in tables, as `critical@1`: program and number of threads.
    pub fn name(&self) -> String {
        format!("{}@{}", self.program, self.threads)
    }

    /// Number of iterations of a run, with the hundredth that the program runs first and does not time.
    pub fn begun(&self) -> f64 {
        self.iterations as f64 * 1.01
    }

    /// Returns true if the program's argument is the size of its problem, which `--times` does not multiply.
    pub fn is_sized(&self) -> bool {
        self.program == "nqueens"
    }
}

/// All loads in the order of the table: single constructs first, then whole programs.
pub const LOADS: &[Load] = &[
    load("critical", 1, 1_000_000),
    load("critical", 2, 200_000),
    load("lock", 1, 1_000_000),
    load("lock", 2, 1_000_000),
    load("task", 1, 500_000),
    load("task", 2, 200_000),
    load("fib", 2, 20),
    load("barrier", 2, 200_000),
    load("single", 2, 100_000),
    load("for", 2, 100_000),
    load("dynamic", 2, 20_000),
    load("reduction", 2, 50_000),
    load("parallel", 2, 100_000),
    load("nested", 2, 100_000),
    load("nqueens", 2, 11),
    load("sparselu", 2, 60),
    load("sort", 2, 1_000_000),
    load("stencil", 2, 10_000),
    load("lagrange", 2, 3_000),
    Load { crowded: true, ..load("zones", 2, 600) },
];

/// A load on threads that stay few.
pub const fn load(program: &'static str, threads: usize, iterations: u64) -> Load {
    Load { program, threads, iterations, crowded: false }
}
