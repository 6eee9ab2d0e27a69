//! All inquiries, in the order in which handles lead from one to the next: process, threads, regions, tasks.

use crate::Error;
use crate::answer::{Answer, Icv, Parallel, Task, Thread};
use crate::callbacks::Context;
use crate::client::{Client, IcvKind, Owned};
use crate::image::Image;
use crate::library::Library;
use crate::target::{Target, TargetThread};
use crate::types::{Code, Handle, Scope};
use std::cell::Cell;
use std::collections::HashMap;
use std::ffi::c_int;

/// Maximum number that a runtime is assumed to have given a thread.
const MOST_NUMBERS: i32 = 1 << 12;
/// Maximum number of regions, and of tasks, in an answer.
const MOST: usize = 1 << 12;
/// Maximum nesting of regions and of generated tasks.
const DEEPEST: usize = 256;

/// Asks `library` everything about `target`, whose runtime is `image`.
///
/// # Errors
/// The library refuses to work on the target at all. Inquiries that it refuses later are in the answer.
pub fn inquire(target: &dyn Target, image: &Image, library: &Library) -> Result<Answer, Error> {
    let threads = target.threads();
    let context = Context { target, image, gtid: Cell::new(0), threads };
    let client = Client::new(library, &context)?;
    let mut inquiry = Inquiry {
        numbers: numbers(&client, &context),
        icvs: client.icvs(),
        states: client.states(),
        client: &client,
        context: &context,
        answer: Answer::default(),
        parallels: Vec::new(),
        tasks: Vec::new(),
    };
    inquiry.of_process();
    for thread in threads {
        inquiry.of_thread(thread);
    }
    Ok(inquiry.answer)
}

/// The numbers that the runtime gave its threads, by their pthread_t. A thread's own number is in a thread-local
/// variable, whose address only the thread's libraries can determine: so every number is tried as if it were the first
/// thread's, and the library answers with the pthread_t of the thread that has it.
fn numbers(client: &Client<'_>, context: &Context<'_>) -> HashMap<u64, i32> {
    let mut numbers = HashMap::new();
    let Some(first) = context.threads.first() else { return numbers };
    let most = (context.threads.len() as i32).saturating_mul(4).clamp(64, MOST_NUMBERS);
    for number in 0..most {
        context.gtid.set(number);
        let pthread = client.thread(first.pthread).and_then(|thread| client.pthread(&thread));
        if let Ok(pthread) = pthread {
            numbers.entry(pthread).or_insert(number);
        }
    }
    numbers
}

struct Inquiry<'i, 'c> {
    numbers: HashMap<u64, i32>,
    client: &'i Client<'c>,
    context: &'i Context<'c>,
    icvs: Vec<IcvKind>,
    states: Vec<(i64, String)>,
    answer: Answer,
    /// Handles of the answer's regions, by position; `tasks` has those of its tasks.
    parallels: Vec<Owned<'c>>,
    tasks: Vec<Owned<'c>>,
}

impl<'c> Inquiry<'_, 'c> {
    fn of_process(&mut self) {
        if let Some((library, version)) = self.noted("version", self.client.version()) {
            (self.answer.library, self.answer.omp_version) = (library, version);
        }
        let settings = self.client.control_variables();
        self.answer.control_variables =
            self.noted("display control variables", settings).unwrap_or_default();
        self.answer.icvs = self.variables(self.client.process(), Scope::AddressSpace);
    }

    /// Adds a thread to the answer, if the runtime knows it.
    fn of_thread(&mut self, thread: &TargetThread) {
        let Some(handle) = self.handle(thread) else { return };
        let state = self.noted("ompd_get_state", self.client.state(&handle));
        let name = |number: i64| {
            let known = self.states.iter().find(|(state, _)| *state == number);
            known.map_or_else(|| format!("{number:#x}"), |(_, name)| name.clone())
        };
        let mut answer = Thread {
            id: thread.id,
            state: state.map(|(number, _)| name(number)),
            wait_id: state.map_or(0, |(_, wait)| wait),
            icvs: self.variables(handle.raw(), Scope::Thread),
            tool_data: self.client.tool_data(&handle, Scope::Thread).ok(),
            ..Thread::default()
        };
        let mut next = self.client.parallel_of_thread(&handle).ok();
        while let Some(parallel) = next.filter(|_| answer.parallels.len() < DEEPEST) {
            let Some(at) = self.parallel(parallel) else { break };
            answer.parallels.push(at);
            next = self.parallels.get(at).and_then(|own| self.client.enclosing(own).ok());
        }
        let task = self.client.task_of_thread(&handle);
        answer.task =
            self.noted("ompd_get_curr_task_handle", task).and_then(|task| self.task(task));
        self.answer.threads.push(answer);
    }

    /// Handle of a thread, found by the number that the runtime gave it.
    fn handle(&self, thread: &TargetThread) -> Option<Owned<'c>> {
        self.context.gtid.set(*self.numbers.get(&thread.pthread)?);
        self.client.thread(thread.pthread).ok()
    }

    /// The index of a region in the answer, with its data.
    fn parallel(&mut self, handle: Owned<'c>) -> Option<usize> {
        let known =
            self.parallels.iter().position(|one| self.client.is_same_parallel(one, &handle));
        if known.is_some() || self.parallels.len() >= MOST {
            return known;
        }
        let icvs = self.variables(handle.raw(), Scope::Parallel);
        let tool_data = self.client.tool_data(&handle, Scope::Parallel).ok();
        self.answer.parallels.push(Parallel { icvs, tool_data });
        self.parallels.push(handle);
        Some(self.parallels.len() - 1)
    }

    /// The index of a task in the answer, with its ancestors.
    fn task(&mut self, handle: Owned<'c>) -> Option<usize> {
        let first = self.tasks.len();
        let index = self.one_task(handle)?;
        // Each new task brings those that it names, which are new or known.
        let mut at = first;
        while at < self.tasks.len() && self.tasks.len() - first < DEEPEST {
            let generating = self.tasks.get(at).and_then(|own| self.client.generating(own).ok());
            let scheduling = self.tasks.get(at).and_then(|own| self.client.scheduling(own).ok());
            let generating = generating.and_then(|task| self.one_task(task));
            let scheduling = scheduling.and_then(|task| self.one_task(task));
            if let Some(task) = self.answer.tasks.get_mut(at) {
                (task.generating, task.scheduling) = (generating, scheduling);
            }
            at += 1;
        }
        Some(index)
    }

    fn one_task(&mut self, handle: Owned<'c>) -> Option<usize> {
        let known = self.tasks.iter().position(|one| self.client.is_same_task(one, &handle));
        if known.is_some() || self.tasks.len() >= MOST {
            return known;
        }
        let function = self.noted("ompd_get_task_function", self.client.function(&handle));
        let frames = self.noted("ompd_get_task_frame", self.client.frames(&handle));
        // An initial task has no function: all bits are set.
        let frame = |address: u64| (address != 0 && address != u64::MAX).then_some(address);
        let parallel = self.client.parallel_of_task(&handle).ok();
        let mut icvs = self.variables(handle.raw(), Scope::Task);
        icvs.extend(self.variables(handle.raw(), Scope::ImplicitTask));
        let task = Task {
            function: function.and_then(frame),
            exit_frame: frames.and_then(|(exit, _)| frame(exit.address.address)),
            exit_frame_flags: frames.map_or(0, |(exit, _)| exit.flag),
            enter_frame: frames.and_then(|(_, enter)| frame(enter.address.address)),
            enter_frame_flags: frames.map_or(0, |(_, enter)| enter.flag),
            parallel: parallel.and_then(|parallel| self.parallel(parallel)),
            icvs,
            tool_data: self.client.tool_data(&handle, Scope::Task).ok(),
            ..Task::default()
        };
        self.answer.tasks.push(task);
        self.tasks.push(handle);
        Some(self.tasks.len() - 1)
    }

    /// The internal control variables of a scope, with their values.
    fn variables(&mut self, of: Handle, scope: Scope) -> Vec<Icv> {
        let own: Vec<IcvKind> =
            self.icvs.iter().filter(|icv| icv.scope == scope as c_int).cloned().collect();
        let mut found = Vec::new();
        for icv in own {
            if let Some(value) = self.noted(&icv.name, self.client.icv(of, &icv)) {
                found.push(Icv { name: icv.name, value });
            }
        }
        found
    }

    /// The value of a result; an inquiry that was refused is noted in the answer with its reason.
    fn noted<T>(&mut self, what: &str, result: Result<T, Code>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(code) => {
                let text = format!("{what}: {code}");
                if !self.answer.refused.contains(&text) {
                    self.answer.refused.push(text);
                }
                None
            }
        }
    }
}
