//! The build id of a mapped file, read from this process's memory: its file may be gone.

/// Program header type and note type that matter (ELF; GNU).
const PT_LOAD: u32 = 1;
const PT_NOTE: u32 = 4;
const NT_GNU_BUILD_ID: u32 = 3;

/// Reads the build id of the file whose ELF header is mapped at `header` into `id`; returns its
/// length, 0 when there is none.
pub(crate) fn build_id(header: u64, id: &mut [u8; 64]) -> usize {
    find(header, id).unwrap_or(0)
}

fn find(header: u64, id: &mut [u8; 64]) -> Option<usize> {
    let elf: [u8; 64] = read(header)?;
    // 64-bit ELF only: this is a 64-bit process.
    if elf.get(..5)? != b"\x7fELF\x02" {
        return None;
    }
    let table = header + word(&elf, 32)?;
    let entry_bytes = u64::from(half(&elf, 54)?);
    let entries = u64::from(half(&elf, 56)?).min(64);
    let mut bias = None;
    for index in 0..entries {
        let entry: [u8; 56] = read(table + index * entry_bytes)?;
        let kind = word(&entry, 0)? as u32;
        let (address, size) = (word(&entry, 16)?, word(&entry, 32)?);
        if kind == PT_LOAD && bias.is_none() {
            bias = Some(header.wrapping_sub(address & !4095));
        }
        if kind == PT_NOTE {
            let start = match bias {
                Some(bias) => address.wrapping_add(bias),
                None => header + word(&entry, 8)?,
            };
            if let Some(length) = in_notes(start, size.min(4096), id) {
                return Some(length);
            }
        }
    }
    None
}

fn in_notes(start: u64, size: u64, id: &mut [u8; 64]) -> Option<usize> {
    let mut at = 0;
    while at + 12 <= size {
        let note: [u8; 16] = read(start + at)?;
        let (name, body) = (word(&note, 0)? as u32, (word(&note, 0)? >> 32) as u32);
        let kind = word(&note, 8)? as u32;
        let body_at = start + at + 12 + u64::from(name).next_multiple_of(4);
        if kind == NT_GNU_BUILD_ID && note.get(12..16)? == b"GNU\0" {
            let bytes: [u8; 64] = read(body_at)?;
            let length = (body as usize).min(64);
            id.get_mut(..length)?.copy_from_slice(bytes.get(..length)?);
            return Some(length);
        }
        at += 12 + u64::from(name).next_multiple_of(4) + u64::from(body).next_multiple_of(4);
    }
    None
}

pub(crate) fn word(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_ne_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}

pub(crate) fn half(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_ne_bytes(bytes.get(at..at + 2)?.try_into().ok()?))
}

/// Copies memory of this process; `None` where nothing is mapped. A mapping can vanish at any
/// time (dlclose), so the kernel does the reading.
pub(crate) fn read<const N: usize>(address: u64) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    let local = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: N };
    let remote =
        libc::iovec { iov_base: std::ptr::without_provenance_mut(address as usize), iov_len: N };
    // SAFETY: the kernel checks the remote range; the local one is the array above.
    let got = unsafe {
        libc::process_vm_readv(libc::getpid(), &raw const local, 1, &raw const remote, 1, 0)
    };
    (got == N as isize).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unmapped_address_has_no_build_id() {
        assert_eq!(build_id(8, &mut [0; 64]), 0);
    }
}
