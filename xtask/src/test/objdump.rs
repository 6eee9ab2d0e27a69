//! Functions and instructions in the output of objdump.

/// One instruction: its mnemonic and the rest of the line.
#[derive(Debug, PartialEq)]
pub struct Instruction {
    pub mnemonic: String,
    pub operands: String,
}

/// One function.
#[derive(Debug)]
pub struct Function {
    pub name: String,
    pub body: Vec<Instruction>,
}

/// The functions in the output of `objdump -d --no-show-raw-insn -C` whose
/// name contains `part`, without the padding after them.
pub fn functions(listing: &str, part: &str) -> Vec<Function> {
    let mut found: Vec<Function> = Vec::new();
    let mut inside = false;
    for line in listing.lines() {
        if let Some(name) = header(line) {
            inside = name.contains(part);
            if inside {
                found.push(Function { name: name.to_owned(), body: Vec::new() });
            }
        } else if inside && let (Some(last), Some(one)) = (found.last_mut(), instruction(line)) {
            last.body.push(one);
        }
    }
    found.iter_mut().for_each(|function| trim(&mut function.body));
    found
}

/// `0000000000001139 <name>:`
fn header(line: &str) -> Option<&str> {
    let (address, name) = line.split_once(" <")?;
    let hex = !address.is_empty() && address.bytes().all(|byte| byte.is_ascii_hexdigit());
    name.strip_suffix(">:").filter(|_| hex)
}

/// `    1139:<tab>push   %rbp`, or `data16 rex.W call 1040 <f>`, as linkers
/// write the call that finds a thread-local.
fn instruction(line: &str) -> Option<Instruction> {
    let (_, code) = line.split_once(":\t")?;
    let mut rest = code.trim();
    loop {
        let (mnemonic, operands) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let operands = operands.trim();
        if operands.is_empty() || !is_prefix(mnemonic) {
            return Some(Instruction { mnemonic: mnemonic.into(), operands: operands.into() });
        }
        rest = operands;
    }
}

fn is_prefix(word: &str) -> bool {
    const PREFIXES: [&str; 10] =
        ["data16", "addr32", "cs", "ds", "es", "ss", "bnd", "notrack", "lock", "rep"];
    PREFIXES.contains(&word) || word.starts_with("rex")
}

fn trim(body: &mut Vec<Instruction>) {
    let padding = |one: &Instruction| {
        one.mnemonic.starts_with("nop")
            || one.mnemonic == "int3"
            || (one.mnemonic == "xchg" && one.operands == "%ax,%ax")
    };
    while body.last().is_some_and(padding) {
        body.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_do_not_hide_the_instruction() {
        let call = instruction("    1139:\tdata16 data16 rex.W call 1040 <__tls_get_addr@plt>");
        assert_eq!(call.expect("an instruction").mnemonic, "call");
        let padding = instruction("    1200:\tcs nopw 0x0(%rax,%rax,1)").expect("an instruction");
        assert_eq!(padding.mnemonic, "nopw");
    }

    #[test]
    fn lines_that_are_no_code_are_passed_over() {
        assert!(instruction("Disassembly of section .text:").is_none());
        assert_eq!(header("0000000000001139 <<a as b>::c>:"), Some("<a as b>::c"));
        assert_eq!(header("    1139:\tjae 20 <a>:"), None);
    }
}
