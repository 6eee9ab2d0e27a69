//! Thread-local memory at the cost of one load: [`thread_static!`], for everything that runs in a traced process.
//!
//! `std`'s `thread_local!` costs 3-6 ns here, may need a destructor, and may be allocated at its first use, with
//! malloc. Runtimes send events after a thread's destructors have run, and signal handlers may run at any time.
//! A variable in the initial-exec model exists as long as its thread does. It uses a reserve of
//! the dynamic linker: `cargo xtask test` limits what each library takes.
#![cfg_attr(
    not(test),
    deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)
)]

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
compile_error!("ompttrace records on x86-64 and aarch64 Linux");

/// Makes a type `$name` with functions for the calling thread's `$type`, which lies at the ELF symbol `$symbol`.
///
/// ```text
/// thread_static! { Current: Thread = zeros, "ompttrace_in_front_thread" }
/// thread_static! { Own: Words = address_of DUMMY, "ompttrace_block" }
/// ```
///
/// In a new thread it is all zeros, or begins with the address of a static and continues with zeros: either must be
/// a value of `$type`, which is aligned to 8 bytes at most, has no destructor, and is not `Sync`.
#[macro_export]
macro_rules! thread_static {
    ($name:ident : $type:ty = zeros, $symbol:literal) => {
        core::arch::global_asm!(
            concat!(".pushsection .tbss.", $symbol, ",\"awT\",@nobits"),
            ".p2align 3",
            concat!(".hidden ", $symbol),
            concat!(".globl ", $symbol),
            concat!(".type ", $symbol, ",@object"),
            concat!(".size ", $symbol, ",{size}"),
            concat!($symbol, ":"),
            ".zero {size}",
            ".popsection",
            size = const size_of::<$type>(),
        );
        $crate::thread_static! { @functions $name, $type, $symbol }
    };
    // The loader relocates the initial image like any data, so it can begin with an address.
    ($name:ident : $type:ty = address_of $first:path, $symbol:literal) => {
        core::arch::global_asm!(
            concat!(".pushsection .tdata.", $symbol, ",\"awT\",@progbits"),
            ".p2align 3",
            concat!(".hidden ", $symbol),
            concat!(".globl ", $symbol),
            concat!(".type ", $symbol, ",@object"),
            concat!(".size ", $symbol, ",{size}"),
            concat!($symbol, ":"),
            ".quad {first}",
            ".zero {size} - 8",
            ".popsection",
            first = sym $first,
            size = const size_of::<$type>(),
        );
        $crate::thread_static! { @functions $name, $type, $symbol }
    };
    (@functions $name:ident, $type:ty, $symbol:literal) => {
        struct $name;

        const _: () = assert!(align_of::<$type>() <= 8 && !core::mem::needs_drop::<$type>());

        #[allow(dead_code, reason = "not every user needs all of them")]
        impl $name {
            /// The calling thread's.
            #[inline(always)]
            fn get() -> &'static $type {
                let address: *const $type;
                // SAFETY: computes an address from the thread pointer and the symbol's offset, which the loader
                // knows: no memory of others is touched. There lies the thread's own memory, as large as the
                // type and aligned to 8 bytes; what it begins with is a value of the type, as the user of the
                // macro promises, and only references like this one change it. It is there as long as the thread
                // runs any code, and none outlives the thread: the type is not Sync, so no other thread can have
                // it.
                unsafe {
                    #[cfg(target_arch = "x86_64")]
                    core::arch::asm!(
                        concat!("mov {0}, qword ptr [rip + ", $symbol, "@GOTTPOFF]"),
                        "add {0}, qword ptr fs:[0]",
                        out(reg) address,
                        options(pure, readonly, nostack)
                    );
                    #[cfg(target_arch = "aarch64")]
                    core::arch::asm!(
                        concat!("adrp {1}, :gottprel:", $symbol),
                        concat!("ldr {1}, [{1}, :gottprel_lo12:", $symbol, "]"),
                        "mrs {0}, tpidr_el0",
                        "add {0}, {0}, {1}",
                        out(reg) address,
                        out(reg) _,
                        options(pure, readonly, nostack, preserves_flags)
                    );
                    &*address
                }
            }

            /// Its first word, read without its address.
            #[inline(always)]
            fn first() -> *const () {
                const { assert!(size_of::<$type>() >= 8) };
                let word: *const ();
                // SAFETY: reads the memory that `get` refers to, of which 8 bytes are initialised.
                unsafe {
                    #[cfg(target_arch = "x86_64")]
                    core::arch::asm!(
                        concat!("mov {0}, qword ptr [rip + ", $symbol, "@GOTTPOFF]"),
                        "mov {0}, qword ptr fs:[{0}]",
                        out(reg) word,
                        options(pure, readonly, nostack, preserves_flags)
                    );
                    #[cfg(target_arch = "aarch64")]
                    core::arch::asm!(
                        concat!("adrp {1}, :gottprel:", $symbol),
                        concat!("ldr {1}, [{1}, :gottprel_lo12:", $symbol, "]"),
                        "mrs {0}, tpidr_el0",
                        "ldr {0}, [{0}, {1}]",
                        out(reg) word,
                        out(reg) _,
                        options(pure, readonly, nostack, preserves_flags)
                    );
                }
                word
            }
        }
    };
}
