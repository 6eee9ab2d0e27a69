//! What objdump prints, as instructions.

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
/// name contains `part`, without the padding behind them.
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

/// `    1139:<tab>push   %rbp`
fn instruction(line: &str) -> Option<Instruction> {
    let (_, code) = line.split_once(":\t")?;
    let code = code.trim();
    let (mnemonic, operands) = code.split_once(char::is_whitespace).unwrap_or((code, ""));
    Some(Instruction { mnemonic: mnemonic.into(), operands: operands.trim().into() })
}

fn trim(body: &mut Vec<Instruction>) {
    let padding = |one: &Instruction| {
        one.mnemonic.starts_with("nop")
            || one.mnemonic == "int3"
            || one.operands.starts_with("nopw")
            || (one.mnemonic == "xchg" && one.operands == "%ax,%ax")
    };
    while body.last().is_some_and(padding) {
        body.pop();
    }
}
