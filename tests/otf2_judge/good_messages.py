"""Messages of MPI in the sound archive: locations 0 and 2 are the ranks."""

from making import MPI, NONE

WORLD, ALONE, COPY = 4, 5, 6  # Comms: both ranks, one rank, both again.
FREE_COMM, FREE_GROUP = 7, 9  # The next numbers of each.
SENT, RECEIVED, ALL, UNFINISHED = 1, 2, 3, 4  # Requests.
BARRIER_OP, BCAST = 0, 1
NO_ROOT = NONE


def communicators(archive):
    none = archive.string("")
    archive.define("Group", 6, none, 4, MPI, 0, [0, 2])
    archive.define("Group", 7, none, 5, MPI, 0, [0, 1])
    archive.define("Group", 8, none, 6, MPI, 0, [])
    archive.define("Comm", WORLD, archive.string("world"), 7, NONE, 0)
    archive.define("Comm", ALONE, archive.string("alone"), 8, NONE, 0)
    archive.define("Comm", COPY, archive.string("copy"), 7, WORLD, 0)


def events(do, call):
    """All kinds of records, after all teams."""
    do(620, "Enter", call)
    do(620, "MpiSend", 1, WORLD, 7, 80)
    do(621, "MpiRecv", 1, COPY, 7, 80)
    do(622, "Leave", call)
    do(623, "Enter", call)
    do(624, "MpiIsend", 0, ALONE, 7, 80, SENT)
    do(625, "MpiIrecvRequest", RECEIVED)
    do(626, "MpiIrecvRequest", UNFINISHED)
    do(627, "MpiRequestTest", RECEIVED)
    do(628, "MpiIsendComplete", SENT)
    do(629, "MpiIrecv", 1, WORLD, 7, 80, RECEIVED)
    do(630, "MpiIrecvRequest", RECEIVED)
    do(631, "MpiRequestCancelled", RECEIVED)
    do(632, "Leave", call)
    do(633, "Enter", call)
    do(633, "MpiCollectiveBegin")
    do(634, "MpiCollectiveEnd", BARRIER_OP, WORLD, NO_ROOT, 0, 0)
    do(635, "NonBlockingCollectiveRequest", ALL)
    do(636, "NonBlockingCollectiveComplete", BCAST, COPY, 1, 0, 8, ALL)
    do(637, "Leave", call)
