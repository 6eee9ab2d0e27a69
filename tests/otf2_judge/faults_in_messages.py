"""Faults of messages, requests and collective operations of MPI."""

from good import CALL, WORK
from good_messages import ALONE, BARRIER_OP, BCAST, COPY, FREE_COMM, FREE_GROUP, NO_ROOT
from good_messages import RECEIVED, SENT, WORLD
from making import MPI, NONE
from spoiling import defect, drop, insert, replace


@defect("message-outside-call")
def message_outside_of_regions(archive):
    insert(archive, 0, 640, "MpiSend", 1, WORLD, 7, 80)


@defect("message-outside-call")
def message_in_another_region(archive):
    insert(archive, 0, 640, "Enter", WORK)
    insert(archive, 0, 641, "MpiSend", 1, WORLD, 7, 80)
    insert(archive, 0, 642, "Leave", WORK)


@defect("message-rank")
def message_to_nobody(archive):
    replace(archive, 0, (620, "MpiSend"), 620, "MpiSend", 2, WORLD, 7, 80)


@defect("message-rank")
def message_beyond_the_other_group(archive):
    # Not in the sound archive: python3-otf2 takes the groups of an InterComm for something else.
    archive.define("Group", FREE_GROUP, archive.string(""), 5, MPI, 0, [0])
    archive.define("Group", FREE_GROUP + 1, archive.string(""), 5, MPI, 0, [1])
    between = (archive.string(""), FREE_GROUP, FREE_GROUP + 1, NONE, 0)
    archive.define("InterComm", FREE_COMM, *between)
    insert(archive, 0, 620, "MpiSend", 0, FREE_COMM, 7, 80)
    insert(archive, 0, 620, "MpiSend", 1, FREE_COMM, 7, 80)


@defect("message-rank")
def root_beyond_the_ranks(archive):
    wanted = (636, "NonBlockingCollectiveComplete")
    replace(archive, 0, wanted, 636, "NonBlockingCollectiveComplete", BCAST, COPY, 2, 0, 8, 3)


@defect("undefined-comm")
def message_in_no_communicator(archive):
    replace(archive, 0, (620, "MpiSend"), 620, "MpiSend", 1, 99, 7, 80)


@defect("request-posted-twice")
def request_posted_again(archive):
    replace(archive, 0, (626, "MpiIrecvRequest"), 626, "MpiIrecvRequest", RECEIVED)


@defect("request-not-posted")
def request_complete_twice(archive):
    insert(archive, 0, 628, "MpiIsendComplete", SENT)


@defect("request-not-posted")
def send_complete_as_a_receive(archive):
    replace(archive, 0, (628, "MpiIsendComplete"), 628, "MpiIrecv", 1, WORLD, 7, 80, SENT)


@defect("request-not-posted")
def request_tested_that_is_none(archive):
    replace(archive, 0, (627, "MpiRequestTest"), 627, "MpiRequestTest", 99)


@defect("collective-nested")
def collective_in_a_collective(archive):
    insert(archive, 0, 633, "MpiCollectiveBegin")


@defect("collective-end")
def collective_ends_twice(archive):
    insert(archive, 0, 634, "MpiCollectiveEnd", BARRIER_OP, WORLD, NO_ROOT, 0, 0)


@defect("collective-without-end")
def collective_without_end(archive):
    drop(archive, 0, 634, "MpiCollectiveEnd")


def of_all_ranks(archive):
    """The archive is one of all ranks, and of all of their time."""
    archive.properties["OMPTTRACE::RANKS"] = "2"
    for switch in ((105, "MeasurementOnOff", 2), (108, "MeasurementOnOff", 1)):
        drop(archive, 0, *switch)


@defect("message-unpaired", "collective-incomplete")
def messages_without_another_end(archive):
    of_all_ranks(archive)


@defect("message-unpaired", "collective-incomplete")
def messages_without_another_end_where_something_else_was_cut(archive):
    of_all_ranks(archive)
    archive.properties["OMPTTRACE::CUT"] = "1"


@defect()
def messages_without_another_end_of_a_rank_that_is_incomplete(archive):
    """No fault: the other rank lacks something. What the rank sends to itself it receives."""
    of_all_ranks(archive)
    insert(archive, 0, 628, "MpiRecv", 0, ALONE, 7, 80)
    archive.properties["OMPTTRACE::INCOMPLETE_RANKS"] = "1-2, 5"


@defect()
def messages_without_another_end_of_a_rank_that_was_paused(archive):
    """No fault: as above."""
    of_all_ranks(archive)
    insert(archive, 0, 628, "MpiRecv", 0, ALONE, 7, 80)
    insert(archive, 2, 100, "MeasurementOnOff", 2)


@defect("message-unpaired", "collective-incomplete", "received-before-sent")
def message_received_before_it_is_sent(archive):
    of_all_ranks(archive)
    insert(archive, 2, 600, "Enter", CALL)
    insert(archive, 2, 601, "MpiRecv", 0, WORLD, 7, 80)
    insert(archive, 2, 602, "Leave", CALL)
