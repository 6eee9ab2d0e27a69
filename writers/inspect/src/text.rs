//! Text of the snapshot: findings, then threads with their teams, tasks and call stacks, then the remaining tasks and
//! mutexes.

use crate::os::OsThread;
use crate::snapshot::{ImplicitTask, Snapshot, Task, TaskState, Thread, Wait};
use crate::stack::stack_lines;
use crate::words::{self, construct};

/// Maximum number of tasks that are listed by name.
const MOST_TASKS: usize = 20;

/// The lines of the whole snapshot.
pub fn render(snapshot: &Snapshot) -> Vec<String> {
    let mut lines = vec![head(snapshot)];
    if snapshot.findings.is_empty() {
        lines.push("No thread waits for another.".to_owned());
    }
    lines.extend(snapshot.findings.iter().map(|finding| sentence(&finding.text)));
    let (idle, busy): (Vec<_>, Vec<_>) =
        snapshot.threads.iter().partition(|thread| matches!(thread.waits, Some(Wait::Idle)));
    for thread in busy {
        lines.push(String::new());
        lines.extend(thread_lines(snapshot, thread));
    }
    if !idle.is_empty() {
        let names: Vec<String> = idle.iter().map(|thread| thread.name.clone()).collect();
        lines.extend([String::new(), format!("In no team: {}", words::list(&names, 16))]);
    }
    lines.extend(task_lines(snapshot));
    lines.extend(lock_lines(snapshot));
    lines
}

fn head(snapshot: &Snapshot) -> String {
    let state = match snapshot.running {
        Some(true) => "runs",
        Some(false) => "is over",
        None => "whether it runs cannot be known here",
    };
    let last = snapshot.threads.iter().filter_map(|thread| thread.last_event_ns).max();
    let last = last.filter(|_| snapshot.running == Some(true));
    let last = last.map_or(String::new(), |at| format!(", last event {} ago", snapshot.ago(at)));
    let lost = match snapshot.lost {
        0 => String::new(),
        lost => format!(", {lost} events lost: what they opened or closed is not known"),
    };
    let runtimes = snapshot.runtimes.join(", ");
    format!("{} (process {}, {runtimes}) {state}{last}{lost}", snapshot.program, snapshot.pid)
}

/// The text with a capital letter and a full stop.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map_or(String::new(), |first| first.to_uppercase().collect());
    format!("{first}{}.", letters.as_str())
}

fn thread_lines(snapshot: &Snapshot, thread: &Thread) -> Vec<String> {
    let doing = match &thread.waits {
        Some(wait) => {
            let since = wait.at().map_or(snapshot.now_ns, |at| at.since_ns);
            format!("{}, for {}", snapshot.waiting(wait), snapshot.ago(since))
        }
        None => "does not wait".to_owned(),
    };
    let known =
        thread.label.ends_with(&format!("{} thread", thread.name)) || thread.label == thread.name;
    let name = if known { String::new() } else { format!(" ({})", thread.name) };
    let mut lines =
        vec![format!("{}{name}, os thread {}: {doing}", thread.label, thread.os_thread)];
    for (depth, implicit) in thread.implicit_tasks.iter().enumerate() {
        lines.extend(implicit_lines(snapshot, implicit, depth));
    }
    lines.extend(thread.os.iter().flat_map(os_lines));
    lines
}

fn implicit_lines(snapshot: &Snapshot, implicit: &ImplicitTask, depth: usize) -> Vec<String> {
    let indent = "  ".repeat(depth + 1);
    let region = snapshot.regions.iter().find(|region| region.id == implicit.region);
    let name = match (implicit.initial, region) {
        (true, _) => "initial task".to_owned(),
        (false, Some(region)) => region.name.clone(),
        (false, None) => "a region that is not known".to_owned(),
    };
    let team = match (implicit.initial, implicit.team_size) {
        (true, _) => String::new(),
        (false, 0) => format!(": thread {}", implicit.thread_num),
        (false, size) => format!(": thread {} of {size}", implicit.thread_num),
    };
    let from = region.and_then(|region| region.called_from.as_ref());
    let from = from.map_or(String::new(), |from| format!(", called from {from}"));
    let mut lines = vec![format!("{indent}{name}{team}{from}")];
    let constructs =
        implicit.constructs.iter().filter(|one| !one.name.starts_with("wait: barrier"));
    // The region inside comes next, with its team.
    let constructs =
        constructs.filter(|one| !snapshot.regions.iter().any(|region| region.name == one.name));
    lines.extend(constructs.map(|one| format!("{indent}  {}", construct(one))));
    let running = snapshot.tasks.iter().find(|task| task.id == implicit.runs);
    if let Some(task) = running.filter(|task| !task.id.is_none()) {
        let from = task.called_from.as_ref();
        let from = from.map_or(String::new(), |from| format!(", created in {from}"));
        lines.push(format!("{indent}  {}{from}", words::task(task)));
        lines.extend(task.constructs.iter().map(|one| format!("{indent}    {}", construct(one))));
    }
    lines
}

fn os_lines(os: &OsThread) -> Vec<String> {
    let waits = os.waits_in.as_ref().map_or(String::new(), |location| format!(" in {location}"));
    let cpu = os.cpu_ns as f64 / 1e9;
    let mut lines = vec![format!("  kernel: {}{waits}, {cpu:.2} s of CPU time", os.state_word())];
    lines.extend(stack_lines(&os.stack, os.stack_note.as_deref()));
    lines
}

/// Lines on the tasks that do not run.
fn task_lines(snapshot: &Snapshot) -> Vec<String> {
    let waiting = |task: &&Task| task.state != TaskState::Runs && !task.is_taskwait();
    let tasks: Vec<&Task> = snapshot.tasks.iter().filter(waiting).collect();
    if tasks.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![String::new(), format!("Tasks that do not run: {}", tasks.len())];
    lines.extend(
        tasks.iter().take(MOST_TASKS).map(|task| format!("  {}", snapshot.task_words(task))),
    );
    if tasks.len() > MOST_TASKS {
        lines.push(format!("  and {} more", tasks.len() - MOST_TASKS));
    }
    lines
}

fn lock_lines(snapshot: &Snapshot) -> Vec<String> {
    if snapshot.locks.is_empty() {
        return Vec::new();
    }
    let line = |lock: &crate::snapshot::Lock| {
        let holder = lock.holder.as_ref().map(|holder| {
            let thread = snapshot.threads.get(holder.thread);
            let location = holder.source.as_ref();
            let location = location.map_or(String::new(), |source| format!(", taken at {source}"));
            let label = thread.map_or("a thread", |thread| &thread.label);
            format!("held by {label} for {}{location}", snapshot.ago(holder.since_ns))
        });
        let holder = holder.unwrap_or_else(|| "nobody is known to hold it".to_owned());
        format!("  {}: {holder}, {} waiting", lock.name, lock.waiting.len())
    };
    let lines = [String::new(), "Mutexes".to_owned()].into_iter();
    lines.chain(snapshot.locks.iter().map(line)).collect()
}
