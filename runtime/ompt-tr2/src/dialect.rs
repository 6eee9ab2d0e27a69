//! The three dialects of the interface. A runtime's dialect follows from the order of the arguments at its start, for
//! which the report has two (7.2 and, by its example of a global ompt_initialize, A.7), and from the function by which
//! it found this tool.

/// The function by which a runtime found this tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// The runtime called `ompt_tool`, and then the function that it returned (7.1).
    Tool,
    /// The runtime called a global `ompt_initialize` (A.7).
    Global,
}

/// Dialects of the interface, which differ in their events, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// LLVM's runtime, 3.8 to 5.0.
    Llvm,
    /// Runtimes that follow the report's text.
    Report,
    /// OpenUH's runtime: a global `ompt_initialize` with LLVM's order.
    OpenUh,
}

impl Dialect {
    /// Description of the dialect, which `ompttrace info` shows.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Dialect::Llvm => "LLVM 3.8 to 5.0",
            Dialect::Report => "as the report has it",
            Dialect::OpenUh => "OpenUH, by a global ompt_initialize",
        }
    }
}

/// A start, from its three arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Start {
    pub(crate) dialect: Dialect,
    /// The address of the look-up function.
    pub(crate) lookup: usize,
    /// The address of the runtime's version, a C string.
    pub(crate) version: usize,
    /// The version of the interface.
    pub(crate) number: u32,
}

/// Numbers below this are no addresses: nothing is ever mapped there.
const LOWEST_ADDRESS: usize = 4096;

/// Determines the order of the three arguments. `None`: none of the report's; so are those that a tool for
/// OpenMP 5 gets, (look-up, number, data), if it happens to be found by our name.
pub(crate) fn detect(
    entry: Entry,
    [first, second, third]: [usize; 3],
    is_code: impl Fn(usize) -> bool,
) -> Option<Start> {
    let is_number = |word: usize| (word as u32 as usize) < LOWEST_ADDRESS;
    if second < LOWEST_ADDRESS || (is_number(second) && !is_code(first)) {
        let start = Start {
            dialect: Dialect::Report,
            lookup: third,
            version: first,
            number: second as u32,
        };
        return (first >= LOWEST_ADDRESS && !is_code(first) && is_code(third)).then_some(start);
    }
    let dialect = match entry {
        Entry::Tool => Dialect::Llvm,
        Entry::Global => Dialect::OpenUh,
    };
    let start = Start { dialect, lookup: first, version: second, number: third as u32 };
    (is_code(first) && is_number(third)).then_some(start)
}

/// True if an address lies in executable memory, according to /proc/self/maps.
pub(crate) fn is_code(address: usize) -> bool {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    maps.lines().any(|line| code_range(line).is_some_and(|range| range.contains(&address)))
}

/// The addresses of a line of /proc/self/maps if they are executable.
fn code_range(line: &str) -> Option<std::ops::Range<usize>> {
    let mut words = line.split_ascii_whitespace();
    let (from, to) = words.next()?.split_once('-')?;
    let number = |text| usize::from_str_radix(text, 16).ok();
    words.next()?.contains('x').then_some(number(from)?..number(to)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOOKUP: usize = 0x7f00_0000_1000;
    const TEXT: usize = 0x7f00_0000_9000;

    fn detected(entry: Entry, words: [usize; 3]) -> Option<(Dialect, usize, usize, u32)> {
        let start = detect(entry, words, |address| address == LOOKUP)?;
        Some((start.dialect, start.lookup, start.version, start.number))
    }

    #[test]
    fn each_dialect_is_recognised_by_its_arguments() {
        let llvm = [LOOKUP, TEXT, 1];
        assert_eq!(detected(Entry::Tool, llvm), Some((Dialect::Llvm, LOOKUP, TEXT, 1)));
        assert_eq!(detected(Entry::Global, llvm), Some((Dialect::OpenUh, LOOKUP, TEXT, 1)));
        let report = [TEXT, 2, LOOKUP];
        assert_eq!(detected(Entry::Tool, report), Some((Dialect::Report, LOOKUP, TEXT, 2)));
        assert_eq!(detected(Entry::Global, report), Some((Dialect::Report, LOOKUP, TEXT, 2)));
    }

    #[test]
    fn what_stands_above_a_32_bit_number_in_its_register_does_not_count() {
        let high = 0xdead_0000_0000;
        let words = [TEXT, high | 2, LOOKUP];
        assert_eq!(detected(Entry::Tool, words).map(|detected| detected.3), Some(2));
        let words = [LOOKUP, TEXT, high | 1];
        assert_eq!(detected(Entry::Tool, words).map(|detected| detected.3), Some(1));
    }

    #[test]
    fn what_openmp_5_passes_to_its_tools_is_none_of_it() {
        assert_eq!(detected(Entry::Global, [LOOKUP, 0, TEXT]), None);
        assert_eq!(detected(Entry::Global, [LOOKUP, 7, 0]), None);
        assert_eq!(detected(Entry::Global, [0, 0, 0]), None);
        assert_eq!(detected(Entry::Tool, [TEXT, TEXT, TEXT]), None);
    }

    #[test]
    fn code_is_distinguished_from_data() {
        let text = "a version";
        assert!(is_code(code_is_distinguished_from_data as *const () as usize));
        assert!(!is_code(text.as_ptr().addr()) && !is_code(0));
    }
}
