//! Link options of libompttrace_gomp.so.

fn main() {
    // A runtime dlcloses its tool when it is paused or done, but its threads' last events, our exit
    // handlers and the thread-local word need the library until the process is gone.
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libompttrace-gomp.so");
    println!("cargo:rerun-if-changed=build.rs");
}
