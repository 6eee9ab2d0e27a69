//! Compiles the schema in `proto/` to Rust.
//!
//! protox parses it in Rust, so that nobody needs a `protoc` to build ompttrace.

use std::error::Error;

const ROOT: &str = "proto/trace.proto";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=proto");
    let descriptors = protox::compile([ROOT], ["proto"])?;
    prost_build::Config::new().compile_fds(descriptors)?;
    Ok(())
}
