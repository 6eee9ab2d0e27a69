//! Link options of libompttrace_mpi.so.

fn main() {
    // Call sites hold addresses of ours, and the threads' word is in it.
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libompttrace-mpi.so");
    println!("cargo:rerun-if-changed=build.rs");
}
