//! Reads profiles for pprof with Datadog's decoder, which is not ours.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::build;
use crate::npm::{self, Package};

const PACKAGE: Package = Package {
    name: "pprof-format@2.3.2",
    tarball: "pprof-format-2.3.2.tgz",
    inside: "package/dist/esm",
    sha512: "7dc30cfac80a30ebde4aeaf3ee2d013077f2d611cd9c8f7e5568dde2475c96a4\
             23493ba21d668febd0c6c2f930df370b90cfc5efa2e15482af3f2af19a9ea28b",
};

/// Script that prints a profile as JSON, with all references resolved to texts.
const SCRIPT: &str = "
import fs from 'node:fs';
import zlib from 'node:zlib';
const {Profile} = await import(process.argv[1] + '/index.js');
const profile = Profile.decode(zlib.gunzipSync(fs.readFileSync(process.argv[2])));
const text = (at) => profile.stringTable.strings[Number(at)];
const functions = new Map(profile.function.map((one) => [Number(one.id), one]));
const locations = new Map(profile.location.map((one) => [Number(one.id), one]));
const frame = (id) => {
  const [line] = locations.get(Number(id)).line;
  const called = functions.get(Number(line.functionId));
  return {name: text(called.name), file: text(called.filename), line: Number(line.line)};
};
console.log(JSON.stringify({
  types: profile.sampleType.map((one) => text(one.type) + ' ' + text(one.unit)),
  period: Number(profile.period),
  samples: profile.sample.map((one) => ({
    frames: one.locationId.map(frame),
    values: one.value.map(Number),
  })),
}));";

/// A decoded profile.
#[derive(Debug, Deserialize)]
pub struct Profile {
    /// Type and unit of each value of a sample, as `cpu nanoseconds`.
    pub types: Vec<String>,
    /// Sampling period in nanoseconds.
    pub period: u64,
    /// Samples of the profile.
    pub samples: Vec<Sample>,
}

/// A call stack with its values.
#[derive(Debug, Deserialize)]
pub struct Sample {
    /// Frames of the call stack, innermost first.
    pub frames: Vec<Frame>,
    /// One value for each type of the profile.
    pub values: Vec<u64>,
}

/// A frame.
#[derive(Debug, Deserialize)]
pub struct Frame {
    /// Name of the function.
    pub name: String,
    /// Source file of the function; empty where it is unknown.
    pub file: String,
    /// Line in the source file; 0 where it is unknown.
    pub line: u64,
}

/// Reads a file.
pub fn read(file: &Path) -> Result<Profile> {
    let mut node = Command::new("node");
    node.args(["--input-type=module", "-e", SCRIPT]).arg(npm::folder("pprof-format", PACKAGE)?);
    let answer = build::run(node.arg(file), "nodejs")?;
    serde_json::from_slice(&answer).context("what the decoder says is not JSON")
}
