//! Many attachments to a busy program, which has to end with the right result: `--count N` (1000) looks at n queens on each
//! runtime, on Intel's with OMPD, for which all threads stop together.

use anyhow::{Context, Result, bail};
use ompttrace_tests::runtimes;

#[path = "../inspect/attach.rs"]
mod attach;
#[expect(dead_code, reason = "it is the tests'; this uses some of it")]
#[path = "../inspect/hanging.rs"]
mod hanging;

use attach::Looks;
use hanging::{LIBRARY, On};

fn main() -> Result<()> {
    let count = count()?;
    let intel = On::Ompt(runtimes::by_name("intel-2026")?);
    let llvm = On::Ompt(runtimes::libomp_19()?);
    let with_ompd = format!("--ompd={LIBRARY}");
    let all: [(&str, On, &[&str]); 3] = [
        ("libomp", llvm, &[]),
        ("libgomp", On::Libgomp, &[]),
        ("libiomp5 with OMPD", intel, &[&with_ompd]),
    ];
    for (name, on, options) in all {
        let Looks { took, whole, answers } = attach::attach(&on, count, options).context(name)?;
        let each = took.as_secs_f64() * 1e3 / count.max(1) as f64;
        println!(
            "{name}: {count} looks, {each:.1} ms each, {whole} with all call stacks, {answers} answers of OMPD; the \
             program ended with the right result"
        );
    }
    Ok(())
}

fn count() -> Result<usize> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match &*arguments.iter().map(String::as_str).collect::<Vec<_>>() {
        [] => Ok(1000),
        ["--count", count] => count.parse().with_context(|| format!("--count {count}: a number")),
        _ => bail!("--count N is the only option"),
    }
}
