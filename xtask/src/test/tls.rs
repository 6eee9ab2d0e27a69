//! Check of the static thread-local memory that the built libraries need: it comes from a reserve of the dynamic linker
//! that the program's own libraries need, too, and that must suffice for our library where an audit module is loaded.

use crate::shell;
use anyhow::{Context, Result, bail};
use std::path::Path;

/// Limit for each library, in bytes; `std` alone needs 96.
const MOST_BYTES: u64 = 192;
const LIBRARIES: [&str; 4] =
    ["libompttrace.so", "libompttrace_gomp.so", "libompttrace_collector.so", "libompttrace_mpi.so"];

/// The step.
pub fn run(last_lines: &mut Vec<String>) -> Result<()> {
    let folder = shell::tool_library()?.with_file_name("");
    let mut reported = Vec::new();
    for name in LIBRARIES {
        let bytes = check(&folder.join(name))?;
        reported.push(format!("{name} {bytes}"));
    }
    let line =
        format!("bytes of thread-local memory, {MOST_BYTES} allowed: {}", reported.join(", "));
    println!("{line}");
    last_lines.push(line);
    Ok(())
}

fn check(library: &Path) -> Result<u64> {
    let headers = shell::output(shell::command("objdump").arg("--private-headers").arg(library))?;
    let name = library.display();
    let bytes =
        segment(&headers).with_context(|| format!("{name}: objdump shows no TLS segment"))?;
    if bytes > MOST_BYTES {
        bail!("{name} takes {bytes} bytes of thread-local memory, {MOST_BYTES} are allowed");
    }
    Ok(bytes)
}

/// The size in memory that the program header of type TLS has.
fn segment(headers: &str) -> Option<u64> {
    let mut lines =
        headers.lines().skip_while(|line| line.split_whitespace().next() != Some("TLS"));
    let sizes = lines.nth(1)?;
    let mut words = sizes.split_whitespace().skip_while(|word| *word != "memsz");
    u64::from_str_radix(words.nth(1)?.strip_prefix("0x")?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADERS: &str = "Program Header:
    LOAD off    0x0000000000000000 vaddr 0x0000000000000000 paddr 0x0000000000000000 align 2**12
         filesz 0x00000000000049d4 memsz 0x00000000000049d4 flags r--
     TLS off    0x000000000012c9c0 vaddr 0x000000000012e9c0 paddr 0x000000000012e9c0 align 2**3
         filesz 0x0000000000000030 memsz 0x00000000000003f0 flags r--
   RELRO off    0x000000000012c9c0 vaddr 0x000000000012e9c0 paddr 0x000000000012e9c0 align 2**0
         filesz 0x0000000000006640 memsz 0x0000000000006640 flags r--
";

    #[test]
    fn the_size_in_memory_is_read() {
        assert_eq!(segment(HEADERS), Some(1008));
        assert_eq!(segment(&HEADERS.replace(" TLS", "NOTE")), None);
    }
}
