//! Answer of an OMPD library as text for people.

use ompttrace_ompd::{Answer, Icv, Task};

/// The lines of the whole answer.
pub fn lines(answer: &Answer) -> Vec<String> {
    let version = answer.omp_version;
    let mut lines = vec![format!("From OMPD ({}; OpenMP {version})", answer.library.trim())];
    if !answer.icvs.is_empty() {
        lines.push(format!("  process: {}", icvs(&answer.icvs)));
    }
    for thread in &answer.threads {
        let state = thread.state.as_deref().unwrap_or("state unknown");
        let wait = match thread.wait_id {
            0 => String::new(),
            wait => format!(", wait id {wait:#x}"),
        };
        lines.push(format!("  os thread {}: {state}{wait}, {}", thread.id, icvs(&thread.icvs)));
        for (depth, at) in thread.parallels.iter().enumerate() {
            if let Some(parallel) = answer.parallels.get(*at) {
                let indent = "  ".repeat(depth);
                lines.push(format!("    {indent}region {at}: {}", icvs(&parallel.icvs)));
            }
        }
        let mut next = thread.task;
        let mut depth = 0;
        while let Some((at, task)) = next.and_then(|at| Some((at, answer.tasks.get(at)?))) {
            lines.push(format!("    {}task {at}: {}", "  ".repeat(depth), task_words(task)));
            depth += 1;
            next = task.generating.filter(|from| *from != at && depth < 32);
        }
    }
    if !answer.refused.is_empty() {
        lines.push(format!("  not answered: {}", answer.refused.join("; ")));
    }
    lines
}

fn task_words(task: &Task) -> String {
    let address = |name: &str, value: Option<u64>| {
        value.map(|value| format!("{name} {value:#x}")).into_iter()
    };
    let words = address("function", task.function)
        .chain(address("exit frame", task.exit_frame))
        .chain(address("enter frame", task.enter_frame));
    words.chain([icvs(&task.icvs)]).collect::<Vec<_>>().join(", ")
}

fn icvs(icvs: &[Icv]) -> String {
    // Some come twice, as the runtime's own: `ompd-team-size-var`.
    let icvs = icvs.iter().filter(|icv| !icv.name.starts_with("ompd-") && !icv.value.is_empty());
    let words: Vec<String> = icvs.map(|icv| format!("{}={}", icv.name, icv.value)).collect();
    words.join(" ")
}
