//! Turns code addresses of a traced process into function, file, line and column.
//!
//! Works after the fact and in another process: all it knows is which files were mapped
//! where (the recording's `modules` file, see [`Modules`]) and what those files hold now.
//! So it trusts a file only when its build id is the recorded one, and where a file cannot
//! help, a location still has its module, offset and build id.
//!
//! Nothing here is read before somebody asks for an address in it: a module is opened at
//! its first look-up, its line tables at the first address inside, each compile unit when
//! it is needed. Debug information stays in mapped pages and is never copied as a whole
//! (compressed sections excepted).
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
mod modules;
mod names;
mod place;
mod rebuilt;
mod source;
mod symbolizer;
mod table;

pub use critical::critical_name;
pub use error::Error;
pub use history::{AsOf, Change};
pub use modules::{BuildId, Mapping, Modules};
pub use names::{demangle, is_outlined, user_function};
pub use place::{CodeLocation, Frame, ModuleRef};
pub use rebuilt::{Rebuilt, rebuilt};
pub use source::Sources;
pub use symbolizer::{CodeKind, Symbolizer};
