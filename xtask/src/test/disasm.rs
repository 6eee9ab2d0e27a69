//! The hot path as the compiler left it: the body of one short callback in
//! the release library must save no register, call nothing, and read the
//! clock once. It is the promise that everything on the way of an event was
//! inlined across the crates.

use super::objdump::{Function, Instruction, functions};
use crate::shell;
use anyhow::{Context, Result, bail};

/// The callback we look at. Its slow path is a function of its own.
const CALLBACK: &str = "ompttrace_cb_mutex_acquired";

/// The step. Other processors have no such listing yet and are passed over.
pub fn run(last_lines: &mut Vec<String>) -> Result<()> {
    if !cfg!(target_arch = "x86_64") {
        println!("the listing is only read on x86-64: nothing checked here");
        return Ok(());
    }
    let listing = disassemble()?;
    let function = pick(functions(&listing, CALLBACK))?;
    let problems = problems(&function);
    if !problems.is_empty() {
        print(&function);
        bail!("{CALLBACK}: {}", problems.join("; "));
    }
    let line = format!("{CALLBACK}: {} instructions, no call, no push", function.body.len());
    println!("{line}");
    last_lines.push(line);
    Ok(())
}

fn disassemble() -> Result<String> {
    let mut objdump = shell::command("objdump");
    objdump.args(["--disassemble", "--no-show-raw-insn", "--demangle"]);
    shell::output(objdump.arg(shell::tool_library()?))
}

/// The shortest name: the callback itself rather than a part split from it.
fn pick(found: Vec<Function>) -> Result<Function> {
    found.into_iter().min_by_key(|function| function.name.len()).with_context(|| {
        format!("libompttrace.so has no symbol that contains {CALLBACK}: was the callback renamed, or the library stripped?")
    })
}

fn problems(function: &Function) -> Vec<String> {
    let count =
        |test: fn(&Instruction) -> bool| function.body.iter().filter(|one| test(one)).count();
    let mut problems = Vec::new();
    let calls = count(|one| one.mnemonic.starts_with("call"));
    if calls > 0 {
        problems.push(format!("{calls} call(s), where only a tail jump to the slow path may be"));
    }
    let pushes = count(|one| one.mnemonic.starts_with("push"));
    if pushes > 0 {
        problems.push(format!("{pushes} push(es)"));
    }
    let clocks = count(|one| one.mnemonic == "rdtsc" || one.mnemonic == "rdtscp");
    if clocks != 1 {
        problems.push(format!("reads the clock {clocks} times instead of once"));
    }
    let ways_out = ways_out(function);
    if ways_out.len() > 1 {
        problems.push(format!("leaves to more than one target: {}", ways_out.join(", ")));
    }
    problems
}

/// Functions that the body jumps to: `jmp 1040 <name>` or `jae 1040 <name>`.
fn ways_out(function: &Function) -> Vec<&str> {
    let jumps = function.body.iter().filter(|one| one.mnemonic.starts_with('j'));
    let mut names: Vec<&str> = jumps
        .map(|jump| target(&jump.operands))
        .filter(|target| !is_inside(target, &function.name))
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// The name in `2000 <slow>`; an indirect jump (`*%rax`) stands for itself.
fn target(operands: &str) -> &str {
    let name = operands.split_once('<').and_then(|(_, rest)| rest.strip_suffix('>'));
    name.unwrap_or(operands)
}

/// objdump writes an address in the same function as `name+0x12`.
fn is_inside(target: &str, name: &str) -> bool {
    target.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with("+0x"))
}

fn print(function: &Function) {
    eprintln!("{}:", function.name);
    for one in &function.body {
        eprintln!("    {:<8}{}", one.mnemonic, one.operands);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listing(body: &str) -> String {
        format!(
            "\n0000000000001000 <other>:\n    1000:\tcall   2000 <far>\n\n\
             0000000000001010 <ompttrace_cb_mutex_acquired>:\n{body}    1030:\tnopw   0x0(%rax)\n"
        )
    }

    const GOOD: &str = "    1010:\tcmp    %rax,%rcx\n    1013:\tjae    1020 <ompttrace_cb_mutex_acquired+0x10>\n    1015:\trdtsc\n    1017:\tret\n    1020:\tjmp    2000 <slow>\n";

    fn check(body: &str) -> Vec<String> {
        problems(&pick(functions(&listing(body), CALLBACK)).expect("is there"))
    }

    #[test]
    fn a_lean_body_passes_and_is_counted_without_padding() {
        assert_eq!(check(GOOD), [""; 0]);
        let function = pick(functions(&listing(GOOD), CALLBACK)).expect("is there");
        assert_eq!(function.body.len(), 5);
    }

    #[test]
    fn call_push_clock_and_ways_out_are_found() {
        for bad in [
            "\tcall   3000 <memcpy>\n",
            "\tpush   %rbx\n",
            "\trdtsc\n",
            "\tjmp    3000 <more>\n",
            "\tjmp    *%rax\n",
            "\tdata16 rex.W call 3000 <__tls_get_addr@plt>\n",
        ] {
            assert_eq!(check(&format!("{GOOD}    1025:{bad}")).len(), 1, "{bad}");
        }
        assert_eq!(check("    1010:\tret\n").len(), 1, "no clock at all");
    }

    #[test]
    fn a_missing_callback_is_reported() {
        let error = pick(functions("", CALLBACK)).expect_err("nothing there").to_string();
        assert!(error.contains(CALLBACK));
    }
}
