//! The symbol table of one file: the last resort for a name, and the only one for data.
//!
//! Large programs have millions of symbols, so an entry has 24 bytes, and its name stays in the file until it is
//! needed.

use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt;

use object::read::elf::{SectionHeader, Sym};
use object::{Endianness, ReadCache, SymbolIndex, elf};

use crate::elf::Parsed;
use crate::error::Error;

type RawSymbol = elf::Sym64<Endianness>;
type RawTable<'a> =
    object::read::elf::SymbolTable<'a, elf::FileHeader64<Endianness>, &'a ReadCache<File>>;

/// Symbols sorted by address.
#[derive(Debug)]
pub(crate) struct SymbolTable {
    entries: Vec<Entry>,
    /// True if this is the full table, and not only the one for the dynamic linker.
    pub full: bool,
    names_at: u64,
    file: File,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    start: u64,
    end: u64,
    name: u32,
    /// Rank of the symbol: 0 for a typed global symbol; the names of local or untyped ones are worse.
    rank: u8,
}

/// Maximum length of a name in bytes; longer names are truncated, as no reader of a timeline would see their end.
const LONGEST_NAME: usize = 64 * 1024;
/// Maximum number of symbols before an address among which one that covers it is searched; only nested symbols need
/// more than one.
const NESTING: usize = 16;

/// Number of symbols on either side of an address among which those of the same object file are searched.
const NEIGHBOURS: usize = 256;

impl SymbolTable {
    /// Reads `.symtab`, or `.dynsym` if the file is stripped.
    pub(crate) fn read(parsed: &Parsed, file: File) -> Result<Self, Error> {
        let full = !parsed.elf_symbol_table().is_empty();
        let table =
            if full { parsed.elf_symbol_table() } else { parsed.elf_dynamic_symbol_table() };
        let mut entries: Vec<_> =
            table.enumerate().filter_map(|(at, symbol)| entry(parsed, table, at, symbol)).collect();
        entries.sort_unstable_by_key(|entry| (entry.start, entry.rank, entry.name));
        entries.dedup_by_key(|entry| entry.start);
        close_open_ends(&mut entries);
        entries.shrink_to_fit();
        Ok(Self { entries, full, names_at: names_at(parsed, table)?, file })
    }

    /// Name of the symbol that covers `address`, and the distance of the address from its begin, in bytes.
    pub(crate) fn find(&self, address: u64) -> Option<(String, u64)> {
        let entry = self.covering(address)?;
        let name = self.name(entry.name).filter(|name| !name.is_empty())?;
        Some((name, address - entry.start))
    }

    /// Addresses of the symbol that covers `address`.
    pub(crate) fn extent(&self, address: u64) -> Option<Range<u64>> {
        self.covering(address).map(|entry| entry.start..entry.end)
    }

    /// Begin of the symbol with this name that is near `address`, preferably in the same object file: linkers keep the
    /// functions of one file together.
    pub(crate) fn near(&self, address: u64, name: &str) -> Option<u64> {
        let at = self.entries.partition_point(|entry| entry.start <= address);
        let (before, after) = self.entries.split_at(at);
        let is_it = |entry: &&Entry| self.name(entry.name).as_deref() == Some(name);
        let mut near = before.iter().rev().take(NEIGHBOURS).chain(after.iter().take(NEIGHBOURS));
        near.find(is_it).map(|entry| entry.start)
    }

    fn covering(&self, address: u64) -> Option<&Entry> {
        let below = self.entries.partition_point(|entry| entry.start <= address);
        let near = &self.entries[below.saturating_sub(NESTING)..below];
        near.iter().rev().find(|entry| address < entry.end)
    }

    /// True if the table has no symbol.
    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    fn name(&self, at: u32) -> Option<String> {
        let mut name = Vec::new();
        let mut buffer = [0; 256];
        while name.len() < LONGEST_NAME {
            let position = self.names_at.checked_add(u64::from(at) + name.len() as u64)?;
            let count = self.file.read_at(&mut buffer, position).ok().filter(|&n| n > 0)?;
            let text = &buffer[..count];
            match text.iter().position(|&byte| byte == 0) {
                Some(end) => {
                    name.extend_from_slice(&text[..end]);
                    break;
                }
                None => name.extend_from_slice(text),
            }
        }
        Some(String::from_utf8_lossy(&name).into_owned())
    }
}

fn names_at<'a>(parsed: &Parsed<'a>, table: &RawTable<'a>) -> Result<u64, Error> {
    if table.is_empty() {
        return Ok(0);
    }
    let strings = parsed.elf_section_table().section(table.string_section())?;
    Ok(strings.sh_offset(parsed.endian()))
}

fn entry<'a>(
    parsed: &Parsed<'a>,
    table: &RawTable<'a>,
    at: SymbolIndex,
    symbol: &RawSymbol,
) -> Option<Entry> {
    let endian = parsed.endian();
    let global = symbol.st_bind() != elf::STB_LOCAL;
    let kind = symbol.st_type();
    let named = [elf::STT_FUNC, elf::STT_OBJECT, elf::STT_GNU_IFUNC, elf::STT_COMMON];
    let typed = named.contains(&kind);
    // Hand-written assembler has untyped functions; local ones are marks of the assembler.
    let wanted = typed || (kind == elf::STT_NOTYPE && global);
    if !wanted || symbol.is_undefined(endian) || symbol.st_name(endian) == 0 {
        return None;
    }
    let index = table.symbol_section(endian, symbol, at).ok()??;
    let section = parsed.elf_section_table().section(index).ok()?;
    let flags = section.sh_flags(endian);
    if !flags.contains(elf::SHF_ALLOC) || flags.contains(elf::SHF_TLS) {
        return None;
    }
    let start = symbol.st_value(endian);
    let section_end = section.sh_addr(endian).saturating_add(section.sh_size(endian));
    let size = symbol.st_size(endian);
    // An untyped mark in data has no extent: it would claim what lies after it.
    if size == 0 && !flags.contains(elf::SHF_EXECINSTR) {
        return None;
    }
    let end = if size == 0 { section_end | OPEN } else { start.checked_add(size)? };
    let rank = u8::from(!typed) * 2 + u8::from(!global);
    Some(Entry { start, end, name: symbol.st_name(endian), rank })
}

/// Flag in the end of a symbol without a size; no user address has this bit.
const OPEN: u64 = 1 << 63;

/// Sets the end of each symbol without a size to the begin of the next symbol or the end of its section.
fn close_open_ends(entries: &mut [Entry]) {
    let mut next = u64::MAX;
    for entry in entries.iter_mut().rev() {
        if entry.end & OPEN != 0 {
            entry.end = (entry.end & !OPEN).min(next);
        }
        next = entry.start;
    }
}
