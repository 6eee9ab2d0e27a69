//! Link options of libompttrace.so.

fn main() {
    // A runtime dlcloses its tool when it is paused or done, but its threads' last events, our exit
    // handlers and the thread-local word need the library until the process is gone.
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libompttrace.so");
    // The archive, which programs link in, has no such options: they would be the program's.
    for name in ompttrace_direct::NAMES.concat() {
        println!("cargo:rustc-cdylib-link-arg=-Wl,--wrap={name}");
        println!("cargo:rustc-cdylib-link-arg=-Wl,--defsym=__wrap_{name}=ompttrace_direct_{name}");
    }
    println!("cargo:rerun-if-changed=build.rs");
}
