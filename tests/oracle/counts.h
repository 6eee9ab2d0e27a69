// The counts file: one header, then blocks that threads add to. `tests/harness/counts.rs` reads it;
// a change here needs a new COUNTS_VERSION and the same change there.
//
//   0      header (4096 bytes)
//   4096   block 0 | block 1 | ... | block 63
//
// All numbers are little endian as the machine stores them. A total is the sum over all blocks.
#ifndef ORACLE_COUNTS_H
#define ORACLE_COUNTS_H

#include <stdint.h>

enum {
  COUNTS_VERSION = 3,
  IDS = 40,       // events 1..37; 0, 38 and 39 stay empty
  ENDPOINTS = 4,  // 0: the event has none, 1: begin, 2: end, 3: beginend
  KINDS = 32,     // the event's own kind (see events.h); 0 also takes what is 32 or more
  BLOCKS = 64,
  HEADER_BYTES = 4096,
};

struct header {
  char magic[8];                 //   0  "OMPORACL"
  uint32_t version;              //   8
  uint32_t ids;                  //  12
  uint32_t endpoints;            //  16
  uint32_t kinds;                //  20
  uint32_t blocks;               //  24
  uint32_t block_bytes;          //  28
  uint64_t pid;                  //  32
  uint32_t omp_version;          //  40  what the runtime passed to ompt_start_tool
  uint32_t initialized;          //  44  how often initialize was called
  uint32_t finalized;            //  48  how often finalize was called
  uint32_t tool;                 //  52  1 when events are forwarded to a tool
  int32_t registered[IDS];       //  56  ompt_set_callback's answer; -1: never asked
  char runtime[256];             // 216  the runtime's version string
  uint32_t forked;               // 472  1 in a child that was forked and counts for itself
};

struct block {
  uint64_t entered[IDS][ENDPOINTS];          // before the tool's callback
  uint64_t returned[IDS][ENDPOINTS];         // after it
  uint64_t by_kind[IDS][ENDPOINTS][KINDS];   // after it
  uint64_t dependences;                      // entries in all lists of `dependences`
  uint64_t unused[7];
  uint64_t due[IDS][ENDPOINTS];              // of those that returned: while nothing was paused, see steer.h
};

struct counts {
  union {
    struct header header;
    char header_bytes[HEADER_BYTES];
  };
  struct block blocks[BLOCKS];
};

extern struct counts *counts;

// Maps the file that ORACLE_COUNTS names (%p is the process id), or memory that nobody reads.
void counts_open(void);

// The block of the calling thread.
struct block *counts_mine(void);

#endif
