//! Text of a call stack.

use crate::os::StackFrame;

/// The lines of a call stack, and the reason why it is incomplete.
pub fn stack_lines(stack: &[StackFrame], note: Option<&str>) -> Vec<String> {
    // Nameless insides of libraries and the tool's own functions say nothing to the user.
    let shown = stack.iter().filter(|frame| {
        let module = frame.module.as_deref().unwrap_or_default();
        !frame.system || frame.function.is_some() && !module.starts_with("libompttrace")
    });
    let is_cut = stack.iter().any(|frame| frame.task.is_some());
    let lines = shown.map(|frame| format!("    {}{}", owner(frame, is_cut), line(frame)));
    lines.chain(note.map(|note| format!("    {note}"))).collect()
}

/// Owner of a frame's code, if OMPD reports it.
fn owner(frame: &StackFrame, is_cut: bool) -> String {
    match (is_cut, frame.task) {
        (false, _) => String::new(),
        (true, Some(task)) => format!("task {task}: "),
        (true, None) => "runtime: ".to_owned(),
    }
}

fn line(frame: &StackFrame) -> String {
    let function = frame.function.as_deref().unwrap_or("?");
    let module = match (&frame.module, frame.has_line) {
        (Some(module), true) if frame.system => format!(" ({module})"),
        _ => String::new(),
    };
    format!("{function} {}{module}", frame.location)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_have_their_task_where_one_is_known() {
        let frame = |function: &str, task| StackFrame {
            function: Some(function.to_owned()),
            location: "a.c:1".to_owned(),
            task,
            ..StackFrame::default()
        };
        let frames = [frame("spin", Some(2)), frame("__kmp_invoke", None), frame("main", Some(0))];
        let lines = stack_lines(&frames, Some("and so on"));
        let wanted = [
            "    task 2: spin a.c:1",
            "    runtime: __kmp_invoke a.c:1",
            "    task 0: main a.c:1",
            "    and so on",
        ];
        assert_eq!(lines, wanted);
        assert_eq!(stack_lines(&frames[1..2], None), ["    __kmp_invoke a.c:1"]);
    }
}
