//! Replacements of texts: one text always gets the same one, which says nothing about it.
//!
//! A replacement is a kind of thing and a number, counted in the order in which texts are first seen: not a hash, with which names that
//! somebody suspects could be compared, and no length.

use crate::arguments::Anonymise;
use nix::unistd::{Uid, User};
use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path};
use std::sync::{Mutex, PoisonError};

/// The kernel's mark at the end of the path of a file that was deleted.
const DELETED: &str = " (deleted)";
/// Names of mappings that are no files.
const NO_FILES: [&str; 5] = ["[vdso]", "[vsyscall]", "[heap]", "[stack]", "[uprobes]"];
/// Endings of file names that say what a file is.
const ENDINGS: [&str; 26] = [
    "so", "c", "h", "cc", "cpp", "cxx", "hpp", "hh", "hxx", "f", "for", "f77", "f90", "f95", "f03",
    "f08", "F", "F90", "cu", "py", "pyx", "pxd", "rs", "s", "S", "js",
];
/// Beginnings of the names of libraries that everybody has: readers know the C library and runtimes by their names.
const PUBLIC: [&str; 30] = [
    "libc",
    "libm",
    "libdl",
    "librt",
    "libpthread",
    "libutil",
    "ld-linux",
    "ld-musl",
    "libgcc_s",
    "libstdc++",
    "libc++",
    "libgfortran",
    "libquadmath",
    "libatomic",
    "libgomp",
    "libomp",
    "libiomp5",
    "libompd",
    "libarcher",
    "libomptarget",
    "libompttrace",
    "libompttrace_gomp",
    "libompttrace_mpi",
    "libmpi",
    "libmpich",
    "libopen-rte",
    "libopen-pal",
    "libcuda",
    "libcudart",
    "libcupti",
];
/// Shorter words are in too many names to be looked for.
const SHORTEST: usize = 4;

/// Replaces texts.
#[derive(Debug)]
pub struct Replacer {
    what: Anonymise,
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    /// Replacements by the class of a text and the text.
    texts: HashMap<(Class, Vec<u8>), String>,
    /// Number of replacements so far of each kind.
    counts: HashMap<&'static str, u32>,
    /// Texts that no words may contain: hosts, users.
    private: Vec<String>,
    /// Texts that no name may contain besides: arguments.
    arguments: Vec<String>,
}

/// Classes of texts: one text in two classes has two replacements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Class {
    Folder,
    File,
    Name,
    Value,
}

impl Replacer {
    pub fn new(what: Anonymise) -> Replacer {
        let replacer = Replacer { what, known: Mutex::default() };
        let this = User::from_uid(Uid::current()).ok().flatten();
        this.iter().for_each(|user| replacer.hide(&user.name));
        let users = ["USER", "LOGNAME", "SUDO_USER"]
            .into_iter()
            .filter_map(|name| std::env::var(name).ok());
        users.for_each(|user| replacer.hide(&user));
        replacer
    }

    /// True if the names that the program gives are replaced as well.
    pub fn replaces_names(&self) -> bool {
        self.what == Anonymise::All
    }

    /// A text that no words may contain from now on.
    pub fn hide(&self, text: &str) {
        add(&mut self.lock().private, text);
    }

    /// A text that no name may contain from now on.
    pub fn hide_in_names(&self, text: &str) {
        add(&mut self.lock().arguments, text);
    }

    /// The replacement of a value: a host's name, an argument, what the environment has.
    pub fn value(&self, kind: &'static str, text: &str) -> String {
        if text.is_empty() { String::new() } else { self.put(Class::Value, kind, text.as_bytes()) }
    }

    /// True if a name stays as it is.
    pub fn keeps(&self, text: &str) -> bool {
        text.is_empty() || !(self.replaces_names() || has_path(text) || self.is_hidden(text))
    }

    /// A name that the program gives, replaced if that is asked for, or if it contains what is private.
    pub fn name(&self, kind: &'static str, text: &str) -> String {
        if self.keeps(text) { text.to_owned() } else { self.replaced_name(kind, text) }
    }

    /// A message, which a runtime or the program words: without the paths in it, or replaced as a name would be.
    pub fn message(&self, text: &str) -> String {
        match self.replaces_names() || self.is_hidden(text) {
            true => self.replaced_name("message", text),
            false => self.words(text),
        }
    }

    /// The replacement of a name.
    pub fn replaced_name(&self, kind: &'static str, text: &str) -> String {
        self.put(Class::Name, kind, text.as_bytes())
    }

    /// The replacement of a name that is only known by a number.
    pub fn numbered(&self, kind: &'static str, number: u64) -> String {
        self.put(Class::Name, kind, &number.to_le_bytes())
    }

    /// The replacement of a build id, which is one as well.
    pub fn build_id(&self, id: &[u8]) -> String {
        let replaced = self.put(Class::Value, "build", id);
        let number = replaced.rsplit('-').next().and_then(|number| number.parse::<u32>().ok());
        format!("{:08x}", number.unwrap_or_default())
    }

    /// Words of ours or of a runtime, without the paths and private texts in them.
    pub fn words(&self, text: &str) -> String {
        let is_end = |letter: char| letter.is_whitespace() || "\"'`()[]{}<>,;=:".contains(letter);
        let words = text.split_inclusive(is_end).map(|part| {
            let word = part.trim_end_matches(is_end);
            let end = part.get(word.len()..).unwrap_or_default();
            if is_path(word) {
                self.path(word) + end
            } else if self.is_private(word) {
                self.put(Class::Value, "word", word.as_bytes()) + end
            } else {
                part.to_owned()
            }
        });
        words.collect()
    }

    /// One of the words that a field can have, else its replacement.
    pub fn one_of(&self, text: &str, words: &[&str]) -> String {
        if words.contains(&text) { text.to_owned() } else { self.value("word", text) }
    }

    /// The replacement of a path: the folder's, and the file's, which keeps its ending, or its name if everybody has it.
    pub fn path(&self, path: &str) -> String {
        self.path_of(OsStr::new(path))
    }

    /// As [`Replacer::path`], of a path that need not be text.
    pub fn path_of(&self, path: &OsStr) -> String {
        if path.is_empty() || path.to_str().is_some_and(|path| NO_FILES.contains(&path)) {
            return path.to_string_lossy().into_owned();
        }
        let plain = path.as_bytes().strip_suffix(DELETED.as_bytes());
        let mark = if plain.is_some() { DELETED } else { "" };
        let path = Path::new(OsStr::from_bytes(plain.unwrap_or(path.as_bytes())));
        self.hide_user(path);
        // Readers compare paths of runtimes and modules, of which one may be a link to the other.
        let real = path.is_absolute().then(|| fs::canonicalize(path).ok()).flatten();
        let path = real.as_deref().unwrap_or(path);
        let Some(file) = path.file_name() else {
            return self.put(Class::Folder, "/folder", path.as_os_str().as_bytes());
        };
        let file = self.file(file);
        match path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
            None => file + mark,
            Some(parent) => {
                let folder = self.put(Class::Folder, "/folder", parent.as_os_str().as_bytes());
                format!("{folder}/{file}{mark}")
            }
        }
    }

    /// The replacement of a file's name.
    pub fn file(&self, name: &OsStr) -> String {
        let text = name.to_string_lossy();
        if is_public(&text) {
            return text.into_owned();
        }
        let ending = Path::new(name).extension().and_then(OsStr::to_str);
        let ending = ending.filter(|ending| ENDINGS.contains(ending));
        let kind = match ending {
            None => "program",
            Some("so") => "library",
            Some(_) => "source",
        };
        let mut replaced = self.put(Class::File, kind, name.as_bytes());
        if let Some(ending) = ending {
            replaced = format!("{replaced}.{ending}");
        }
        replaced
    }

    /// The user whose home a path is in must be in no name.
    fn hide_user(&self, path: &Path) {
        let mut parts = path.components().skip_while(|part| *part == Component::RootDir);
        if parts.next() == Some(Component::Normal("home".as_ref()))
            && let Some(user) = parts.next().and_then(|user| user.as_os_str().to_str())
        {
            self.hide(user);
        }
    }

    /// True for a text that contains what no name may contain.
    fn is_hidden(&self, text: &str) -> bool {
        self.is_private(text) || contains(&self.lock().arguments, text)
    }

    fn is_private(&self, text: &str) -> bool {
        contains(&self.lock().private, text)
    }

    fn put(&self, class: Class, kind: &'static str, text: &[u8]) -> String {
        let mut known = self.lock();
        if let Some(replaced) = known.texts.get(&(class, text.to_owned())) {
            return replaced.clone();
        }
        let number = known.counts.entry(kind).or_default();
        *number += 1;
        let replaced = format!("{kind}-{number}");
        known.texts.insert((class, text.to_owned()), replaced.clone());
        replaced
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn contains(all: &[String], text: &str) -> bool {
    all.iter().any(|one| text.contains(one.as_str()))
}

fn add(to: &mut Vec<String>, text: &str) {
    // Every container has this user.
    if text.len() >= SHORTEST && text != "root" && !to.iter().any(|one| one == text) {
        to.push(text.to_owned());
    }
}

/// True for a word that may be a path of the user's: no fraction, and no file of the kernel's that everybody has.
fn is_path(word: &str) -> bool {
    let is_kernels =
        ["/proc/sys/", "/proc/thread-self/"].iter().any(|start| word.starts_with(start));
    word.contains('/')
        && !is_kernels
        && word.contains(|letter: char| !"0123456789./".contains(letter))
}

/// True for a name in which there is a path that says where it begins. Parts of names may be divided by slashes, too.
fn has_path(name: &str) -> bool {
    const BEGINS: [&str; 4] = ["/", "~/", "./", "../"];
    let is_path =
        |word: &str| BEGINS.iter().any(|begin| word.len() > begin.len() && word.starts_with(begin));
    name.split(|letter: char| letter.is_whitespace() || "\"'=:,(".contains(letter)).any(is_path)
        || name.contains("://")
}

/// True for the name of a library that everybody has: its stem, numbers, and `so`.
pub fn is_public(name: &str) -> bool {
    let is_rest = |rest: &str| {
        let digits = |letter: char| letter.is_ascii_hexdigit() || ".-so_x".contains(letter);
        rest.starts_with(['.', '-']) && rest.contains(".so") && rest.chars().all(digits)
    };
    // The C library of glibc before 2.34 has its version in its name; plugins of libomptarget have their machine.
    PUBLIC.iter().any(|stem| name.strip_prefix(stem).is_some_and(is_rest))
        || name.starts_with("libomptarget.rtl.") && is_rest(&name.replace("libomptarget.rtl", ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_text_has_one_replacement_without_its_length() {
        let replacer = Replacer::new(Anonymise::Paths);
        let one = replacer.path("/home/somebody/a-long-name/heat.c");
        assert_eq!(one, "/folder-1/source-1.c");
        assert_eq!(replacer.path("/home/somebody/a-long-name/heat.c"), one);
        assert_eq!(replacer.path("/opt/x/heat.c"), "/folder-2/source-1.c");
        assert_eq!(replacer.path("heat.c"), "source-1.c");
        assert_eq!(replacer.path("/opt/x/run (deleted)"), "/folder-2/program-1 (deleted)");
        assert_eq!(replacer.path("/opt/x/secret.customer"), "/folder-2/program-2");
        assert_eq!(replacer.value("host", "n17"), replacer.value("host", "n17"));
        assert_ne!(replacer.value("host", "n17"), replacer.value("host", "n18"));
        assert_eq!((replacer.path(""), replacer.path("[vdso]")), ("".into(), "[vdso]".into()));
        assert_eq!(replacer.path("[other]"), "program-3");
        assert_eq!(replacer.path("/"), "/folder-3");
    }

    #[test]
    fn libraries_that_everybody_has_keep_their_names() {
        for name in [
            "libc.so.6",
            "libgomp-a34b3233.so.1.0.0",
            "ld-linux-x86-64.so.2",
            "libomptarget.so.19.1",
        ] {
            assert!(is_public(name), "{name}");
        }
        for name in
            ["libcompany.so", "libm-customer.so", "libomp", "libcuda.so.customer", "ours.so.1"]
        {
            assert!(!is_public(name), "{name}");
        }
    }

    #[test]
    fn names_stay_unless_they_contain_what_is_private() {
        let replacer = Replacer::new(Anonymise::Paths);
        assert_eq!(replacer.name("phase", "solve"), "solve");
        replacer.hide("node17");
        replacer.hide_in_names("always");
        replacer.path("/home/somebody/x");
        assert_eq!(replacer.name("phase", "always"), "phase-1");
        assert_eq!(replacer.words("always"), "always", "an argument may be a word of ours");
        for name in ["I/O", "solve/pressure/a", "a / b", "operator/"] {
            assert!(replacer.keeps(name), "{name}");
        }
        for name in ["read /scratch/in", "in=../x/y", "file://x", "Eval:~ /src/x.js", "~/x"] {
            assert!(!replacer.keeps(name), "{name}");
        }
        assert_eq!(replacer.name("phase", "on node17"), "phase-2");
        assert_eq!(replacer.name("function", "somebody_solve"), "function-1");
        assert_eq!(
            replacer.words("LLVM 19, (/usr/x/y) on node17: 3/4"),
            "LLVM 19, (/folder-2/program-2) on word-1: 3/4"
        );
        assert_eq!(Replacer::new(Anonymise::All).name("phase", "solve"), "phase-1");
    }
}
