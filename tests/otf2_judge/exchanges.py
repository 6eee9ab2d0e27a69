"""Messages and collective operations between the ranks of a job, as far as each has recorded everything."""

from collections import defaultdict

from definitions import MPI

SENDS, RECEIVES = ("MpiSend", "MpiIsend"), ("MpiRecv", "MpiIrecv")
COLLECTIVE = ("MpiCollectiveEnd", "NonBlockingCollectiveComplete")


class Exchanges:
    """What each rank sends to and receives from each other, and its operations in each comm."""

    def __init__(self, definitions, properties):
        self.definitions = definitions
        # Of a rank that is missing, or of which something is, messages have no other ends here.
        incomplete = numbers(properties.get("OMPTTRACE::INCOMPLETE_RANKS", ""))
        ranks = definitions.comm_locations(MPI) if "OMPTTRACE::RANKS" in properties else ()
        self.whole = {one for rank, one in enumerate(ranks) if rank not in incomplete}
        self.sent, self.received = defaultdict(list), defaultdict(list)
        self.operations = defaultdict(list)
        self.entered = {}  # Location -> when its last call of MPI began.

    def enter(self, location, time, region):
        """A region begins."""
        known = self.definitions.get("Region", region)
        if known and known.paradigm == MPI:
            self.entered[location] = time

    def record(self, location, time, kind, fields):
        """A record of MPI."""
        own = self.definitions.process.get(location)
        if kind in SENDS or kind in RECEIVES:
            peer, comm, tag, length = fields[:4]
            peers = self.definitions.peers(comm, location)
            other = peers[peer] if peer < len(peers) else None
            pair = (own, other) if kind in SENDS else (other, own)
            if kind in SENDS:
                # Its record may stand at the end of the call, when it has a request: then it may have been received.
                time = self.entered.get(location, time)
            to = self.sent if kind in SENDS else self.received
            to[(comm, tag, *pair)].append((time, length))
        elif kind in COLLECTIVE:
            operation, comm = fields[:2]
            self.operations[(comm, own)].append(operation)

    def paused(self, location):
        """The rank of a location has not recorded everything."""
        self.whole.discard(self.definitions.process.get(location))

    def close(self, breaches):
        """Every message has both ends, and every operation all members."""
        between = [key for key in {*self.sent, *self.received} if {*key[2:]} <= self.whole]
        for key in sorted(between, key=str):
            sent, received = sorted(self.sent[key]), sorted(self.received[key])
            if sorted(one[1] for one in sent) != sorted(one[1] for one in received):
                text = f"{len(sent)} sent, {len(received)} received: comm, tag, from, to {key}"
                breaches.add("message-unpaired", text)
            # The k-th receive of all to end cannot end before the k-th send begins.
            early = [two[0] for one, two in zip(sent, received) if two[0] < one[0]]
            if early:
                text = f"{len(early)}, the first at {early[0]}: comm, tag, from, to {key}"
                breaches.add("received-before-sent", text)
        for comm in sorted({comm for comm, _ in self.operations}):
            for first, second in self._differ(comm):
                breaches.add("collective-incomplete", f"{first} and {second} in comm {comm}")

    def _differ(self, comm):
        """Pairs of members that have other operations."""
        groups = self.definitions.groups.get(comm, (self.definitions.members.get(comm, ()),))
        members = [member for group in groups for member in group if member in self.whole]
        every = [sorted(self.operations[(comm, member)]) for member in members]
        return [(members[0], members[at]) for at, one in enumerate(every) if one != every[0]]


def numbers(ranges):
    """The ranks of a list of numbers and ranges, such as `0-3, 7`."""
    result = set()
    for one in filter(None, ranges.split(", ")):
        first, _, last = one.partition("-")
        result.update(range(int(first), int(last or first) + 1))
    return result
