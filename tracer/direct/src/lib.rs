//! Functions of the C library that this tool imports, in front of their own: other libraries wrap them (libfaketime, tracers of
//! I/O, sanitizers), and after exit() has begun their wrappers may use what their destructors have freed.
//!
//! A library of ours is linked with `--wrap` for each name in [`NAMES`] (`tracer/tool/build.rs`), so that calls of the standard
//! library pass through here as well. Until [`begin`] each jumps to the function that the process has; from then on it is the
//! system call itself. The archive, which programs link in, has the symbols without the option, and nothing calls them.
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)
)]

mod child;
mod files;
mod passed;
mod process;
mod signals;
mod system;

pub use child::{Child, start};

use std::sync::atomic::{AtomicBool, Ordering};

/// True once system calls are made directly.
static DIRECT: AtomicBool = AtomicBool::new(false);

/// From now on system calls go past the C library. To be called once exit() has begun, before destructors run.
pub fn begin() {
    DIRECT.store(true, Ordering::Relaxed);
}

/// Every name that has a function here.
pub const NAMES: [&[&str]; 4] = [passed::NAMES, files::NAMES, process::NAMES, signals::NAMES];

/// Defines for each name the symbol `ompttrace_direct_NAME`, which goes on to the function `__real_NAME` (as the linker calls the
/// process's own) or to ours, with the arguments as they came, and lists the names.
macro_rules! direct {
    ($($name:literal => $ours:expr;)*) => {
        pub(crate) const NAMES: &[&str] = &[$($name),*];
        $(std::arch::global_asm!(
            concat!(".pushsection .text.ompttrace_direct_", $name, ",\"ax\",@progbits"),
            ".p2align 4",
            concat!(".weak __real_", $name),
            concat!(".globl ompttrace_direct_", $name),
            concat!(".hidden ompttrace_direct_", $name),
            concat!(".type ompttrace_direct_", $name, ",@function"),
            concat!("ompttrace_direct_", $name, ":"),
            $crate::jump!($name),
            concat!(".size ompttrace_direct_", $name, ", . - ompttrace_direct_", $name),
            ".popsection",
            direct = sym $crate::DIRECT,
            ours = sym $ours,
        );)*
    };
}
use direct;

/// The jumps of one such symbol. They use no register in which an argument may lie.
#[cfg(target_arch = "x86_64")]
macro_rules! jump {
    ($name:literal) => {
        concat!(
            "cmp byte ptr [rip + {direct}], 0\n",
            "jne {ours}\n",
            "jmp qword ptr [rip + __real_",
            $name,
            "@GOTPCREL]"
        )
    };
}
#[cfg(target_arch = "aarch64")]
macro_rules! jump {
    ($name:literal) => {
        concat!(
            "adrp x16, {direct}\n",
            "ldrb w16, [x16, :lo12:{direct}]\n",
            "cbnz w16, 1f\n",
            "adrp x16, :got:__real_",
            $name,
            "\n",
            "ldr x16, [x16, :got_lo12:__real_",
            $name,
            "]\n",
            "br x16\n",
            "1: b {ours}"
        )
    };
}
use jump;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_has_one_function() {
        let mut names = NAMES.concat();
        names.sort_unstable();
        let all = names.len();
        names.dedup();
        assert_eq!(names.len(), all);
    }
}
