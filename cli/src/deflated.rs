//! `--compress`: a Perfetto trace whose packets are compressed block by block. The file is a trace as any other, with
//! [`compressed_packets`](https://perfetto.dev/docs/reference/trace-packet-proto) in it, and blocks are compressed
//! by other threads, where there are any.

use crate::gzip::LEVEL;
use flate2::write::ZlibEncoder;
use ompttrace_workers::InOrder;
use std::io::{self, Write};
use std::sync::Arc;

/// `Trace.packet` and `TracePacket.compressed_packets`, both of them bytes with a length.
const PACKET: u64 = 1 << 3 | 2;
const COMPRESSED: u64 = 50 << 3 | 2;

/// Number of blocks of a trace that may wait for each thread, so that memory is bounded.
const WAITING: usize = 2;

/// Maximum number of threads: more of them compress faster than one interprets, and each needs some blocks of 256 KiB.
const MOST: usize = 8;

/// Threads that compress packets to a block, for any number of traces.
pub type Workers = ompttrace_workers::Workers<Vec<u8>, io::Result<Vec<u8>>>;

/// Takes whole packets with each call of [`Write::write`], as Perfetto's writer gives them.
#[derive(Debug)]
pub struct Deflated<W> {
    writer: W,
    blocks: InOrder<Vec<u8>, io::Result<Vec<u8>>>,
}

/// Starts up to eight threads; without any, the writing thread compresses.
pub fn workers(threads: usize) -> Arc<Workers> {
    Workers::new("compress", threads.min(MOST), || |packets: Vec<u8>| deflated(&packets))
}

impl<W: Write> Deflated<W> {
    /// Writes to `writer` what these threads compress.
    pub fn new(writer: W, workers: &Arc<Workers>) -> Deflated<W> {
        Deflated { writer, blocks: InOrder::new(workers, WAITING) }
    }
}

impl<W: Write> Write for Deflated<W> {
    fn write(&mut self, packets: &[u8]) -> io::Result<usize> {
        if let Some(block) = self.blocks.put(packets.to_vec()) {
            self.writer.write_all(&block?)?;
        }
        Ok(packets.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.blocks.try_for_each(|block| self.writer.write_all(&block?))?;
        self.writer.flush()
    }
}

/// Packets as one packet.
fn deflated(packets: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = ZlibEncoder::new(Vec::with_capacity(packets.len() / 4), LEVEL);
    encoder.write_all(packets)?;
    let inside = encoder.finish()?;
    let mut field = Vec::new();
    put_varint(&mut field, COMPRESSED);
    put_varint(&mut field, inside.len() as u64);
    let mut packet = Vec::with_capacity(inside.len() + 16);
    put_varint(&mut packet, PACKET);
    put_varint(&mut packet, (field.len() + inside.len()) as u64);
    packet.extend_from_slice(&field);
    packet.extend_from_slice(&inside);
    Ok(packet)
}

fn put_varint(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    fn varint(bytes: &mut &[u8]) -> u64 {
        let length = bytes.iter().position(|byte| byte & 0x80 == 0).expect("an end") + 1;
        let (number, rest) = bytes.split_at(length);
        *bytes = rest;
        number.iter().rev().fold(0, |sum, byte| sum << 7 | u64::from(byte & 0x7f))
    }

    /// The contents of all compressed packets, one after the other.
    fn inflated(mut file: &[u8]) -> Vec<u8> {
        let mut packets = Vec::new();
        while !file.is_empty() {
            assert_eq!(varint(&mut file), PACKET);
            let length = varint(&mut file) as usize;
            let before = file.len();
            assert_eq!(varint(&mut file), COMPRESSED);
            let inside = varint(&mut file) as usize;
            assert_eq!(before - file.len() + inside, length);
            let (block, rest) = file.split_at(inside);
            flate2::read::ZlibDecoder::new(block).read_to_end(&mut packets).expect("zlib");
            file = rest;
        }
        packets
    }

    #[test]
    fn blocks_keep_their_order_whichever_thread_compressed_them() {
        let block = |number: u8| vec![number; 1_000 + 300 * usize::from(number)];
        let expected: Vec<u8> = (0..100).flat_map(block).collect();
        let mut files = Vec::new();
        for threads in [0, 1, 3] {
            let mut file = Vec::new();
            let mut deflated = Deflated::new(&mut file, &workers(threads));
            (0..100).for_each(|number| deflated.write_all(&block(number)).expect("written"));
            deflated.flush().expect("flushed");
            drop(deflated);
            assert!(inflated(&file) == expected && file.len() * 20 < expected.len());
            files.push(file);
        }
        assert!(files[0] == files[1] && files[1] == files[2]);
    }

    #[test]
    fn a_failure_of_the_file_comes_back() {
        struct Full;
        impl Write for Full {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::StorageFull.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        for threads in [0, 2] {
            let mut deflated = Deflated::new(Full, &workers(threads));
            let outcome = (0..20).try_for_each(|_| deflated.write_all(&[1; 1000]));
            let error = outcome.and_then(|()| deflated.flush()).expect_err("full");
            assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        }
    }
}
