"""Brings the events of all locations into one order of time, where ties fall as causes need them.

Events of one time on several locations have no order among them: a task may be suspended on one
and resumed on another at the same instant. Each location keeps its own order; between locations,
one whose next event must wait for another's (by `ready`) lets that one go first.
"""

import heapq


def in_order(events, ready, stuck):
    """Yields (location, event). Asks ready(location, event) when times are equal, and where no
    location is ready stuck([(location, event)]) for the index of the one to go on with."""
    heads = [(queue[0][0], location, 0) for location, queue in events.items() if queue]
    heapq.heapify(heads)
    while heads:
        now = heads[0][0]
        tied = []
        while heads and heads[0][0] <= now:
            tied.append(heapq.heappop(heads)[1:])
        positions = dict(tied)
        yield from tied_events(events, positions, now, ready, stuck)
        for location, position in positions.items():
            if position < len(events[location]):
                heapq.heappush(heads, (events[location][position][0], location, position))


def tied_events(events, positions, now, ready, stuck):
    """Yields all events up to a time, and moves the positions behind them."""

    def due(location):
        queue, position = events[location], positions[location]
        return position < len(queue) and queue[position][0] <= now

    waiting = [location for location in positions if due(location)]
    while waiting:
        alone = len(waiting) == 1
        moved = False
        for location in waiting:
            while due(location):
                event = events[location][positions[location]]
                if not alone and not ready(location, event):
                    break
                positions[location] += 1
                moved = True
                yield location, event
        if not moved:
            heads = [(location, events[location][positions[location]]) for location in waiting]
            location, event = heads[stuck(heads)]
            positions[location] += 1
            yield location, event
        waiting = [location for location in waiting if due(location)]
