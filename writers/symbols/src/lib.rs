//! Resolves code addresses of a traced process to function, file, line and column.
//!
//! It works after the run and in another process, from the list of files that were mapped
//! (the recording's `modules` file, see [`Modules`]) and the files as they are now. So it
//! uses a file only if its build id is the recorded one; without the file a location still
//! has its module, offset and build id.
//!
//! Everything is read on demand: a module is opened at its first look-up, its line tables at
//! the first address inside, each compile unit when it is needed. Debug information stays in
//! mapped pages and is never copied as a whole (except compressed sections).
//!
//! Where a call came from, by its return address:
//!
//! ```no_run
//! use ompttrace_symbols::{CodeKind, Modules, Symbolizer};
//!
//! # fn main() -> std::io::Result<()> {
//! let modules = Modules::from_text(&std::fs::read("heat.42.ompttrace/modules")?);
//! let mut symbolizer = Symbolizer::new(modules);
//! let location = symbolizer.code(0x55d0_1234_5678, CodeKind::ReturnAddress);
//! println!("{} ({:?})", location.location(), location.user_function());
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]

mod bias;
mod code_file;
mod critical;
mod cython;
mod debug_file;
mod elf;
mod error;
mod history;
mod image;
mod lines;
mod location;
mod modules;
mod named;
mod names;
mod perf_map;
mod rebuilt;
mod source;
mod stored;
mod symbolizer;
mod table;

pub use critical::critical_name;
pub use error::Error;
pub use history::{AsOf, Change};
pub use location::{CodeFrame, CodeLocation, ModuleRef, SourceLine};
pub use modules::{BuildId, Mapping, Modules};
pub use named::names_source;
pub use names::{demangle, is_outlined, user_function};
pub use perf_map::PerfMap;
pub use rebuilt::{Rebuilt, rebuilt};
pub use source::Sources;
pub use stored::StoredNames;
pub use symbolizer::{CodeKind, Symbolizer};
