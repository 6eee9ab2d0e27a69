//! Names of the addresses in a recording, looked up here, where the program's files are: the copy has them in place of their paths.

use super::replacer::{Replacer, is_public};
use ompttrace_model::base_name;
use ompttrace_recording::Event;
use ompttrace_recording::Recording;
use ompttrace_recording::events::{Record, begins_with_code};
use ompttrace_recording::words::{At, KIND_FUNCTION};
use ompttrace_symbols::{
    AsOf, CodeFrame, CodeKind, CodeLocation, Modules, PerfMap, SourceLine, Sources, StoredNames,
    Symbolizer, critical_name, is_outlined, user_function,
};
use std::collections::BTreeSet;

/// Data addresses that are looked up at most; those of a heap have no names.
const MOST_DATA: usize = 1 << 18;
/// Functions that every program has, or that belong to interfaces.
const PUBLIC_FUNCTIONS: [&str; 2] = ["main", "program"];
const PUBLIC_BEGINS: [&str; 7] =
    ["__kmp", "GOMP_", "omp_", "ompt_", "MPI_", "PMPI_", "__libc_start"];
/// Begin and end of the symbol of a critical section's lock.
const CRITICAL: (&str, &str) = (".gomp_critical_user_", ".var");

/// The addresses of a recording.
#[derive(Debug, Default)]
pub struct Addresses {
    code: BTreeSet<(u64, bool)>,
    data: BTreeSet<u64>,
}

impl Addresses {
    /// Adds addresses of instructions, which readers look up as if a call had been there.
    pub fn add_instructions(&mut self, instructions: &BTreeSet<u64>) {
        let at = instructions.iter().filter(|address| **address != 0);
        self.code.extend(at.map(|address| (address.wrapping_add(1), false)));
    }
}

/// The addresses of one thread's records, read in their order.
pub struct OfThread<'m> {
    modules: &'m Modules,
    as_of: AsOf,
    /// True if the next addresses are those of a sample, innermost first.
    is_innermost: bool,
}

impl<'m> OfThread<'m> {
    pub fn new(modules: &'m Modules) -> OfThread<'m> {
        OfThread { modules, as_of: AsOf::default(), is_innermost: false }
    }

    /// Adds the addresses in a record.
    pub fn add(&mut self, record: &Record<'_>, to: &mut Addresses) {
        self.as_of.go_on(self.modules.changes(), record.ticks);
        if begins_with_code(record.code)
            && let Some(word) = record.words.first()
        {
            let (address, kind) = At::unpack(*word);
            self.code(address, kind & KIND_FUNCTION != 0, to);
        }
        match record.event() {
            // The begin of a section is its address.
            Event::Dispatch(event) => self.code(event.first, false, to),
            Event::Sample(_) => self.is_innermost = true,
            Event::SampleFrames(event) => {
                self.frames([event.first, event.second, event.third, event.fourth], to)
            }
            Event::MutexAcquire(event) => self.data(event.wait_id, to),
            Event::MutexAcquired(event) => self.data(event.wait_id, to),
            Event::MutexReleased(event) => self.data(event.wait_id, to),
            Event::NestLock(event) => self.data(event.wait_id, to),
            Event::LockInit(event) => self.data(event.wait_id, to),
            Event::LockDestroy(event) => self.data(event.wait_id, to),
            Event::Dependence(event) => self.data(event.variable, to),
            Event::MapItem(event) => self.data(event.host, to),
            _ => {}
        }
    }

    fn frames(&mut self, addresses: [u64; 4], to: &mut Addresses) {
        for address in addresses.into_iter().filter(|address| *address != 0) {
            // Readers look all frames up as return addresses, for which the innermost is moved.
            let moved = address.wrapping_add(u64::from(std::mem::take(&mut self.is_innermost)));
            self.code(moved, false, to);
        }
    }

    fn code(&self, address: u64, is_function: bool, to: &mut Addresses) {
        let address = self.as_of.code(address);
        if address != 0 {
            // Functions and barriers at an address are looked up as at a return address.
            to.code.extend([(address, false), (address, is_function)]);
        }
    }

    fn data(&self, address: u64, to: &mut Addresses) {
        if to.data.len() >= MOST_DATA {
            return;
        }
        match self.modules.changes().is_empty() {
            true => drop(to.data.insert(address)),
            false => to.data.extend(self.as_of.data(address)),
        }
    }
}

/// The names of these addresses, as the copy has them.
pub fn names(
    addresses: &Addresses,
    recording: &Recording,
    modules: Modules,
    by: &Replacer,
) -> StoredNames {
    let map = PerfMap::from_text(&recording.perf_map_text());
    let mut symbolizer = Symbolizer::new(modules).with_perf_map(map);
    if let Some(text) = recording.symbols_text() {
        symbolizer = symbolizer
            .with_stored(StoredNames::from_json(&text.unwrap_or_default()).unwrap_or_default());
    }
    let (mut sources, mut names) = (Sources::default(), StoredNames::default());
    for (address, is_function) in &addresses.code {
        let kind = if *is_function { CodeKind::Function } else { CodeKind::ReturnAddress };
        let mut location = symbolizer.code(*address, kind).clone();
        if location.module.is_none() && location.symbol.is_none() {
            continue;
        }
        let critical = sources.critical_name(&location).map(|name| by.name("critical", name));
        let is_barrier = sources.is_barrier(&location);
        location.source_line = Some(SourceLine { critical, is_barrier });
        names.add_code(kind, replaced(location, by));
    }
    for address in &addresses.data {
        if let Some(name) = symbolizer.data_symbol(*address) {
            names.add_data(*address, variable(&name, by));
        }
    }
    names
}

fn replaced(location: CodeLocation, by: &Replacer) -> CodeLocation {
    let path = location.module.as_ref().map(|module| module.path.to_string_lossy().into_owned());
    let is_public = path.is_some_and(|path| is_public(base_name(&path)));
    let named = |raw: String| if is_public { raw } else { function(&raw, by) };
    let frame = |frame: CodeFrame| {
        let file = frame.file.map(|file| by.path(&file));
        let mut replaced = CodeFrame { file, function: None, raw: None, ..frame };
        frame.raw.map(named).iter().for_each(|raw| replaced.set_function(raw));
        replaced
    };
    CodeLocation {
        frames: location.frames.into_iter().map(frame).collect(),
        symbol: location.symbol.map(named),
        note: None,
        ..location
    }
}

/// A function's name as the compiler wrote it. In place of another one it says whether it is the body of a construct.
pub fn function(raw: &str, by: &Replacer) -> String {
    let user = user_function(raw);
    if user.is_empty()
        || PUBLIC_FUNCTIONS.contains(&&*user)
        || PUBLIC_BEGINS.iter().any(|begin| user.starts_with(begin))
    {
        return raw.to_owned();
    }
    if by.keeps(raw) {
        return raw.to_owned();
    }
    // With parameters the raw name can say more than the user's name.
    let name = by.replaced_name("function", &user);
    if is_outlined(raw) { name + ".omp_outlined" } else { name }
}

/// A variable's name, after which the distance from its begin may follow.
fn variable(name: &str, by: &Replacer) -> String {
    let (base, distance) = name.find("+0x").map_or((name, ""), |at| name.split_at(at));
    if let Some(critical) = critical_name(base) {
        let (begin, end) = CRITICAL;
        return format!("{begin}{}{end}{distance}", by.name("critical", critical));
    }
    match base.contains("gomp_critical_user_") {
        true => name.to_owned(),
        false => by.name("variable", base) + distance,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::Anonymise;

    #[test]
    fn functions_stay_what_they_are() {
        let by = Replacer::new(Anonymise::All);
        assert_eq!(function("_ZN4heat4stepEPdi.omp_outlined", &by), "function-1.omp_outlined");
        assert_eq!(function("_ZN4heat4stepEPdi", &by), "function-1");
        assert_eq!(function("main._omp_fn.0", &by), "main._omp_fn.0");
        assert_eq!(function("__kmp_fork_call", &by), "__kmp_fork_call");
        assert_eq!(function(".omp_outlined.", &by), ".omp_outlined.");
        let by = Replacer::new(Anonymise::Paths);
        by.hide("alice");
        assert_eq!(function("_ZN4heat4stepEPdi", &by), "_ZN4heat4stepEPdi");
        assert_eq!(function("alice_step", &by), "function-1");
    }

    #[test]
    fn locks_of_critical_sections_are_still_such() {
        let by = Replacer::new(Anonymise::All);
        let lock = variable(".gomp_critical_user_update.var", &by);
        assert_eq!(critical_name(&lock), Some("critical-1"));
        assert_eq!(by.name("critical", "update"), "critical-1");
        assert_eq!(variable(".gomp_critical_user_.var", &by), ".gomp_critical_user_.var");
        assert_eq!(variable("locks+0x40", &by), "variable-1+0x40");
    }
}
