"""Messages and collective operations between the ranks of an archive that has all of them."""

from collections import defaultdict

from definitions import MPI

SENDS, RECEIVES = ("MpiSend", "MpiIsend"), ("MpiRecv", "MpiIrecv")
COLLECTIVE = ("MpiCollectiveEnd", "NonBlockingCollectiveComplete")


class Exchanges:
    """What each rank sends to and receives from each other, and its operations in each comm."""

    def __init__(self, definitions, properties):
        self.definitions = definitions
        ranks = int(properties.get("OMPTTRACE::RANKS", 0))
        # With a rank missing, or a part of its time, its messages have no other ends here.
        self.is_whole = ranks > 0 and ranks == len(definitions.comm_locations(MPI))
        self.is_whole &= all(
            properties.get(f"OMPTTRACE::{name}", "0") == "0" for name in ("LOST_RECORDS", "CUT")
        )
        self.sent, self.received = defaultdict(list), defaultdict(list)
        self.operations = defaultdict(list)

    def record(self, location, time, kind, fields):
        """A record of MPI."""
        own = self.definitions.process.get(location)
        if kind in SENDS or kind in RECEIVES:
            peer, comm, tag, length = fields[:4]
            peers = self.definitions.peers(comm, location)
            other = peers[peer] if peer < len(peers) else None
            pair = (own, other) if kind in SENDS else (other, own)
            to = self.sent if kind in SENDS else self.received
            to[(comm, tag, *pair)].append((time, length))
        elif kind in COLLECTIVE:
            operation, comm = fields[:2]
            self.operations[(comm, own)].append(operation)

    def close(self, breaches):
        """Every message has both ends, and every operation all members."""
        if not self.is_whole:
            return
        for key in sorted({*self.sent, *self.received}, key=str):
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
        members = [member for group in groups for member in group]
        every = [sorted(self.operations[(comm, member)]) for member in members]
        return [(members[0], members[at]) for at, one in enumerate(every) if one != every[0]]
