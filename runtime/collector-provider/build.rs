//! Link options of libompttrace_collector.so.

fn main() {
    // The runtime may let its tool go while its threads still send events, and a collector has our address.
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libompttrace-collector.so");
    println!("cargo:rerun-if-changed=build.rs");
}
