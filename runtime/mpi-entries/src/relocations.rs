//! Addresses of functions in the objects of the process: where the loader has put them for calls from one object to another, and
//! where they can be replaced.

use core::ffi::{CStr, c_int, c_void};
use core::sync::atomic::{AtomicUsize, Ordering};
use libc::{Elf64_Addr, Elf64_Phdr, Elf64_Rela, Elf64_Sym};

/// Kinds of relocations that store the address of a symbol: in a table of data, in one of functions, anywhere.
#[cfg(target_arch = "x86_64")]
const KINDS: [u32; 3] = [6, 7, 1];
/// Kinds of relocations that store the address of a symbol: in a table of data, in one of functions, anywhere.
#[cfg(target_arch = "aarch64")]
const KINDS: [u32; 3] = [1025, 1026, 257];

/// The kind of those in the table of functions, which may be resolved at the first call.
const OF_CALL: u32 = KINDS[1];

/// The address of a function, and the one that is put in its place.
#[derive(Clone, Copy)]
pub(crate) struct Replacement {
    pub(crate) from: usize,
    pub(crate) to: usize,
}

/// An object that is loaded: the program or a library.
pub(crate) struct Object<'a> {
    /// Its file; that of the program is empty.
    pub(crate) file: &'a CStr,
    base: usize,
    headers: &'a [Elf64_Phdr],
}

/// Shows each object of the process.
pub(crate) fn each_object(mut each: impl FnMut(&Object<'_>)) {
    let mut each: &mut dyn FnMut(&Object<'_>) = &mut each;
    // SAFETY: the callback gets the pointer that is passed with it.
    unsafe { libc::dl_iterate_phdr(Some(show), (&raw mut each).cast()) };
}

unsafe extern "C" fn show(
    info: *mut libc::dl_phdr_info,
    _: libc::size_t,
    each: *mut c_void,
) -> c_int {
    // SAFETY: the loader's own description of an object that stays loaded meanwhile, and the pointer that `each_object` passes.
    unsafe {
        let (info, each) = (&*info, &mut *each.cast::<&mut dyn FnMut(&Object<'_>)>());
        let name = info.dlpi_name;
        let file = if name.is_null() { c"" } else { CStr::from_ptr(name) };
        let headers = core::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into());
        each(&Object { file, base: info.dlpi_addr as usize, headers });
    }
    0
}

/// The tables of an object, as addresses; 0: there is none.
#[derive(Default)]
struct Tables {
    symbols: usize,
    names: usize,
    /// Relocations of data and of calls: where they begin, and their bytes.
    relocations: [(usize, usize); 2],
    /// True if relocations are of the kind that is read here.
    are_known: bool,
}

impl Object<'_> {
    /// Replaces the addresses of functions for which there is another one, wherever the loader has put them. What the program has
    /// stored in their place stays.
    pub(crate) fn redirect(&self, replacement: impl Fn(&CStr) -> Option<Replacement>) {
        let tables = self.tables();
        if tables.symbols == 0 || tables.names == 0 || !tables.are_known {
            return;
        }
        for (start, bytes) in tables.relocations.into_iter().filter(|(start, _)| *start != 0) {
            let all: *const Elf64_Rela = core::ptr::with_exposed_provenance(start);
            // SAFETY: the object's table of so many bytes, which the loader has used.
            let all = unsafe { core::slice::from_raw_parts(all, bytes / size_of::<Elf64_Rela>()) };
            for one in all.iter().filter(|one| is_of_symbol(one)) {
                let symbol = (one.r_info >> 32) as usize;
                if let Some(replacement) = replacement(tables.name(symbol)) {
                    let is_of_call = one.r_info as u32 == OF_CALL && tables.is_undefined(symbol);
                    let place = self.base.wrapping_add(one.r_offset as usize);
                    self.replace(place, is_of_call, replacement);
                }
            }
        }
    }

    fn tables(&self) -> Tables {
        let mut tables = Tables::default();
        let Some(dynamic) = self.headers.iter().find(|one| one.p_type == libc::PT_DYNAMIC) else {
            return tables;
        };
        let start = self.base.wrapping_add(dynamic.p_vaddr as usize);
        let mut entry: *const [u64; 2] = core::ptr::with_exposed_provenance(start);
        loop {
            // SAFETY: an entry of the object's dynamic section, which ends with one of kind 0.
            let [kind, value] = unsafe { *entry };
            match kind {
                0 => return tables,
                DT_SYMTAB => tables.symbols = self.address(value),
                DT_STRTAB => tables.names = self.address(value),
                DT_RELA => tables.relocations[0].0 = self.address(value),
                DT_RELASZ => tables.relocations[0].1 = value as usize,
                DT_JMPREL => tables.relocations[1].0 = self.address(value),
                DT_PLTRELSZ => tables.relocations[1].1 = value as usize,
                DT_PLTREL => tables.are_known |= value == DT_RELA,
                DT_RELAENT => tables.are_known |= value as usize == size_of::<Elf64_Rela>(),
                _ => {}
            }
            // SAFETY: another entry follows, as this one was not the last.
            entry = unsafe { entry.add(1) };
        }
    }

    /// An address of the dynamic section: glibc's loader has added the base, others and objects that nobody may write have not.
    fn address(&self, value: Elf64_Addr) -> usize {
        let value = value as usize;
        if value < self.base { self.base.wrapping_add(value) } else { value }
    }

    /// Replaces a word where it has the function's address, or in a table of calls that of the object's code which looks the
    /// function up at the first call.
    fn replace(&self, at: usize, is_of_call: bool, Replacement { from, to }: Replacement) {
        let place: *const AtomicUsize = core::ptr::with_exposed_provenance(at);
        if !at.is_multiple_of(align_of::<usize>()) || !self.is_data(at) {
            return;
        }
        // SAFETY: the loader has put the address of a symbol there, or 0, in memory that stays as long as the object.
        let place = unsafe { &*place };
        let known = place.load(Ordering::Relaxed);
        let is_unresolved = is_of_call && self.is_in_segment(known, libc::PF_X);
        if !(known == from || is_unresolved) || !protect(at, true) {
            return;
        }
        place.store(to, Ordering::Release);
        if self.is_read_only(at) {
            protect(at, false);
        }
    }

    /// True if an address is in the object's data, and not in code, of which a page must stay executable.
    fn is_data(&self, at: usize) -> bool {
        self.is_in_segment(at, libc::PF_W)
    }

    /// True if an address is in a segment of the object that is either writable or executable, as `flag` says.
    fn is_in_segment(&self, at: usize, flag: u32) -> bool {
        let is_there = |one: &Elf64_Phdr| {
            let start = self.base.wrapping_add(one.p_vaddr as usize);
            (start..start.wrapping_add(one.p_memsz as usize)).contains(&at)
        };
        let is_loaded = |one: &Elf64_Phdr| one.p_type == libc::PT_LOAD && is_there(one);
        let segment = self.headers.iter().find(|one| is_loaded(one));
        segment.is_some_and(|one| one.p_flags & (libc::PF_W | libc::PF_X) == flag)
    }

    /// True if the loader has made this memory read-only once it was relocated.
    fn is_read_only(&self, at: usize) -> bool {
        let relocated = self.headers.iter().filter(|one| one.p_type == libc::PT_GNU_RELRO);
        relocated.into_iter().any(|one| {
            let start = self.base.wrapping_add(one.p_vaddr as usize);
            let end = start.wrapping_add(one.p_memsz as usize) & !(page() - 1);
            (start..end).contains(&at)
        })
    }
}

impl Tables {
    /// A symbol by its number in the object's own relocations.
    fn symbol(&self, number: usize) -> &Elf64_Sym {
        let symbols: *const Elf64_Sym = core::ptr::with_exposed_provenance(self.symbols);
        // SAFETY: the object's table, which has all symbols of its relocations and stays as long as the object.
        unsafe { &*symbols.add(number) }
    }

    fn name(&self, symbol: usize) -> &CStr {
        let name = self.names + self.symbol(symbol).st_name as usize;
        // SAFETY: a symbol's name in the object's table of names.
        unsafe { CStr::from_ptr(core::ptr::with_exposed_provenance(name)) }
    }

    /// True if the object does not define the symbol itself.
    fn is_undefined(&self, symbol: usize) -> bool {
        self.symbol(symbol).st_shndx == 0
    }
}

const DT_PLTRELSZ: u64 = 2;
const DT_STRTAB: u64 = 5;
const DT_SYMTAB: u64 = 6;
const DT_RELA: u64 = 7;
const DT_RELASZ: u64 = 8;
const DT_RELAENT: u64 = 9;
const DT_PLTREL: u64 = 20;
const DT_JMPREL: u64 = 23;

/// True if it stores the address of a symbol, as it is.
fn is_of_symbol(one: &Elf64_Rela) -> bool {
    let kind = one.r_info as u32;
    KINDS.contains(&kind) && one.r_info >> 32 != 0 && one.r_addend == 0
}

/// Makes the page of an address writable or read-only.
fn protect(at: usize, is_writable: bool) -> bool {
    let page = page();
    let start = core::ptr::with_exposed_provenance_mut::<c_void>(at & !(page - 1));
    let write = if is_writable { libc::PROT_WRITE } else { 0 };
    // SAFETY: a page of the object's data: it is readable, and holds no code, which is never relocated.
    unsafe { libc::mprotect(start, page, libc::PROT_READ | write) == 0 }
}

fn page() -> usize {
    // SAFETY: a question without arguments that refer to memory.
    let bytes = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    usize::try_from(bytes).unwrap_or(4096)
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::sync::atomic::AtomicPtr;

    extern "C" fn ours() -> libc::pid_t {
        -7
    }

    /// Replaces a function in the program, which is the test.
    fn redirect(function: &CStr, from: usize, to: usize) {
        each_object(|object| {
            if object.file.is_empty() {
                object.redirect(|name| (name == function).then_some(Replacement { from, to }));
            }
        });
    }

    fn address_of(function: &CStr) -> usize {
        // SAFETY: the C library's function, whose address is asked for without the table that is replaced.
        unsafe { libc::dlsym(libc::RTLD_NEXT, function.as_ptr()) }.addr()
    }

    #[test]
    fn a_function_of_another_object_is_replaced_where_it_is_called() {
        let (real, other) = (address_of(c"getsid"), (ours as *const ()).addr());
        // SAFETY: no process has this number.
        let called = || unsafe { libc::getsid(0) };
        let before = called();
        redirect(c"getsid", real, other);
        let replaced = called();
        redirect(c"getsid", other, real);
        assert_eq!((replaced, called()), (-7, before));
    }

    #[test]
    fn pointers_that_the_program_has_changed_stay() {
        static CHANGED: AtomicPtr<()> = AtomicPtr::new(libc::getpgid as *mut ());
        static UNCHANGED: AtomicPtr<()> = AtomicPtr::new(libc::getpgid as *mut ());
        let (real, own) = (address_of(c"getpgid"), &raw const CHANGED);
        CHANGED.store(own.cast_mut().cast(), Ordering::Relaxed);
        redirect(c"getpgid", real, (ours as *const ()).addr());
        let [changed, unchanged] = [&CHANGED, &UNCHANGED].map(|one| one.load(Ordering::Relaxed));
        redirect(c"getpgid", (ours as *const ()).addr(), real);
        assert_eq!((changed.addr(), unchanged.addr()), (own.addr(), (ours as *const ()).addr()));
    }
}
