"""A reader of recordings, written from FORMAT.md alone: prints the thread, ticks, scope and event of each
record, except core streams. usage: reader.py FORMAT.md RUN_FOLDER"""

import pathlib
import re
import struct
import sys

BLOCK = 4096
HEADER = 64
MODULO = 1 << 64
CORE_STREAM = 1 << 31
SCOPES = ["None", "Begin", "End", "BeginEnd"]


def words_of(data):
    return struct.unpack(f"<{len(data) // 8}Q", data[: len(data) // 8 * 8])


def events(format_text):
    """Name, scope and words for each code, from the table."""
    table = format_text.split("Number, code", 1)[1].split("```")[1]
    codes = {95: ("task_create", "None", 4)}
    codes |= {code: ("task_schedule", "None", 3) for code in range(96, 104)}
    for code, name, words in re.findall(r"\d+ \((\d+)\) (\w+) (\d+)", table):
        ends = SCOPES if int(code) >= 104 else SCOPES[:1]
        for more, scope in enumerate(ends):
            codes[int(code) + more] = (name, scope, int(words))
    return codes


def check_sum(words):
    result = 0xCBF29CE484222325
    for word in words:
        result = (result ^ word) * 0x9E3779B97F4A7C15 % MODULO
        result ^= result >> 29
    return result


def fragments(data):
    """Session, thread, chunk, offset and bytes of records of every fragment of a file."""
    at = 0
    while at + HEADER <= len(data):
        head = words_of(data[at : at + HEADER])
        if data[at : at + 8] != b"OMPTFRAG" or check_sum(head[:7]) != head[7]:
            at += BLOCK
            continue
        bytes_, area = head[3] >> 32, head[6] >> 32
        records = data[at + HEADER : at + HEADER + bytes_]
        mark = words_of(data[at + HEADER + bytes_ : at + HEADER + bytes_ + 8])
        assert mark == (head[7],), "no fragment of a sample is torn"
        yield head[1] & 0xFFFFFFFF, head[1] >> 32, head[2], head[3] & 0xFFFFFFFF, records
        at += area


def left_in(pool):
    """The same of what threads had in the pool."""
    head = words_of(pool[:BLOCK])
    assert pool[:8] == b"OMPTPOOL"
    session, blocks, slot, page = head[2], head[3], head[6], head[8]
    for block in range(blocks):
        at = page + block * (page + 2 * slot)
        control = words_of(pool[at : at + page])
        if pool[at : at + 8] != b"OMPTPOOL":
            continue
        cursor = control[4] - control[3]
        active = int(cursor >= slot)
        for number in range(2):
            used = cursor - number * slot if number == active else control[7 + number]
            start = at + page + number * slot
            if control[5 + number]:
                yield session, control[1], control[5 + number], 0, pool[start : start + used]


def records(chunks, table):
    """Ticks, scope and name of each record of a thread's words."""
    words = words_of(b"".join(chunks))
    at = 0
    while at < len(words):
        code = words[at] >> 56
        name, scope, count = table[code]
        yield words[at] % (1 << 56), scope, name
        at += count
    assert at == len(words), "half a record"


def main(format_file, run):
    table = events(pathlib.Path(format_file).read_text())
    run = pathlib.Path(run)
    found = {}
    for file in sorted(run.glob("events.[0-7]")):
        for fragment in fragments(file.read_bytes()):
            keep(found, *fragment)
    if (run / "pool").exists():
        for fragment in left_in((run / "pool").read_bytes()):
            keep(found, *fragment)
    for key in sorted(found):
        if key[1] & CORE_STREAM:
            continue
        chunks = [found[key][chunk] for chunk in sorted(found[key])]
        for ticks, scope, name in records(chunks, table):
            print(key[1], ticks, scope, name)


def keep(found, session, thread, chunk, offset, data):
    """Puts a fragment in its place of its chunk; what comes twice must be the same."""
    chunks = found.setdefault((session, thread), {})
    before = chunks.get(chunk, b"")
    assert offset <= len(before), "a gap"
    common = min(len(before), offset + len(data)) - offset
    assert before[offset : offset + common] == data[:common], "two words in one place"
    chunks[chunk] = before + data[common:]


main(*sys.argv[1:])
