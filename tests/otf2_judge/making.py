"""Writes an archive from a description of it, faults and all: nothing here checks anything.

A description is data that a test can copy and spoil: definitions [(kind, fields)], events
{location: [(time, kind, fields, attributes)]}, markers [(kind, fields)].
"""

import os
import struct

import _otf2

OPENMP, MPI, TARGET = 3, 4, 25  # Paradigms; libotf2 3.0 has no name yet for the last.
NONE = 0xFFFFFFFF
UINT64, STRING = 4, 11  # Types.


class Description:
    """An archive to be written."""

    def __init__(self):
        self.definitions, self.events, self.markers = [], {}, []
        self.properties = {}
        self.regions = {}  # Location -> {what its events say: the region that is meant}.
        self.strings = {}

    def string(self, text):
        """The reference of a text, which is defined where it is not yet."""
        if text not in self.strings:
            self.strings[text] = len(self.strings)
            self.define("String", self.strings[text], text)
        return self.strings[text]

    def define(self, kind, *fields):
        """Adds a definition."""
        self.definitions.append((kind, fields))

    def event(self, location, time, kind, *fields, attributes=()):
        """Adds an event: attributes are (reference, number) or (reference, text, STRING)."""
        self.events.setdefault(location, []).append((time, kind, fields, attributes))

    def write(self, folder):
        """Writes folder/traces.otf2 and what belongs to it. The folder must not exist yet."""
        how = _otf2.SUBSTRATE_POSIX, _otf2.COMPRESSION_NONE
        chunks = 1 << 20, 1 << 20
        archive = _otf2.Archive_Open(folder, "traces", _otf2.FILEMODE_WRITE, *chunks, *how)
        flush = _otf2.FlushCallbacks(lambda *_: _otf2.FLUSH, None)
        _otf2.Archive_SetFlushCallbacks(archive, flush, None)
        _otf2.Archive_SetSerialCollectiveCallbacks(archive)
        for name, value in self.properties.items():
            _otf2.Archive_SetProperty(archive, name, value, True)
        self._write_events(archive)
        self._write_definitions(archive)
        self._write_markers(archive)
        _otf2.Archive_Close(archive)

    def _write_events(self, archive):
        _otf2.Archive_OpenDefFiles(archive)
        _otf2.Archive_OpenEvtFiles(archive)
        for location, events in self.events.items():
            writer = _otf2.Archive_GetEvtWriter(archive, location)
            for time, kind, fields, attributes in events:
                getattr(_otf2, "EvtWriter_" + kind)(writer, listed(attributes), time, *fields)
            _otf2.Archive_CloseEvtWriter(archive, writer)
            local = _otf2.Archive_GetDefWriter(archive, location)
            write_mapping(local, self.regions.get(location))
            _otf2.Archive_CloseDefWriter(archive, local)
        _otf2.Archive_CloseEvtFiles(archive)
        _otf2.Archive_CloseDefFiles(archive)

    def _write_definitions(self, archive):
        writer = _otf2.Archive_GetGlobalDefWriter(archive)
        for kind, fields in self.definitions:
            getattr(_otf2, "GlobalDefWriter_Write" + kind)(writer, *fields)
        _otf2.Archive_CloseGlobalDefWriter(archive, writer)

    def _write_markers(self, archive):
        writer = _otf2.Archive_GetMarkerWriter(archive)
        for kind, fields in self.markers:
            getattr(_otf2, "MarkerWriter_Write" + kind)(writer, *fields)
        _otf2.Archive_CloseMarkerWriter(archive, writer)


def write_mapping(writer, regions):
    """Maps what a location's events say to what is defined for all."""
    if regions:
        mapping = _otf2.IdMap_Create(_otf2.ID_MAP_SPARSE, len(regions))
        for local, meant in regions.items():
            _otf2.IdMap_AddIdPair(mapping, local, meant)
        _otf2.DefWriter_WriteMappingTable(writer, _otf2.MAPPING_REGION, mapping)


def listed(attributes):
    """The library's list of these attributes."""
    if not attributes:
        return None
    result = _otf2.AttributeList_New()
    for reference, value, *is_text in attributes:
        add = _otf2.AttributeList_AddStringRef if is_text else _otf2.AttributeList_AddUint64
        add(result, reference, value)
    return result


def metric_value(value):
    """An unsigned metric value for EvtWriter_Metric."""
    result = _otf2.MetricValue()
    result.unsigned_int = value
    return result


def property_value(number):
    """A value for a property definition."""
    result = _otf2.AttributeValue()
    result.uint64 = number
    result._arg_value = number
    return result


def restamp(folder, location, old, new):
    """Gives the events of one time another in the finished file: the writer would refuse."""
    path = os.path.join(folder, "traces", f"{location}.evt")
    with open(path, "rb") as file:
        content = file.read()
    record = b"\x05" + struct.pack("<Q", old)  # A time stamp record, little-endian.
    if content.count(record) != 1:
        raise ValueError(f"{path} has {content.count(record)} time stamps {old}, not one")
    with open(path, "wb") as file:
        file.write(content.replace(record, b"\x05" + struct.pack("<Q", new)))
