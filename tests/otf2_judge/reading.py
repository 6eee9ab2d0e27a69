"""Reads an archive through libotf2: every definition, event and marker as plain numbers and texts.

Debian's bindings (python3-otf2) wrap records in objects, share one buffer between the attributes
of an event, and refuse enumerators that they do not know. A judge has to see what is there: so it
makes callbacks of its own, from the bindings' signatures with every type replaced by a plain one.
"""

import ctypes
import importlib
import sys

import _otf2
from _otf2.Config import conf

PLAIN = {
    "B": ctypes.c_uint8,
    "H": ctypes.c_uint16,
    "I": ctypes.c_uint32,
    "i": ctypes.c_int32,
    "L": ctypes.c_uint64,
    "l": ctypes.c_int64,
    "z": ctypes.c_char_p,
    "P": ctypes.c_void_p,
}


class Archive:
    """What an archive holds, in the order of its files.

    definitions: [(kind, (field, ...))]; markers: [(kind, (field, ...))]
    events: {location: [(time, kind, (field, ...), attributes)]}; attributes are None, or
        [(reference, type, bits of the value)]
    properties: {name: value} of the anchor file
    """

    def __init__(self, path):
        self.definitions, self.markers, self.events, self.properties = [], [], {}, {}
        self.failures = []
        sys.unraisablehook = lambda unraisable: self.failures.append(unraisable.exc_value)
        reader = _otf2.Reader_Open(path)
        _otf2.Reader_SetSerialCollectiveCallbacks(reader)
        self._read_properties(reader)
        self._read_definitions(reader)
        self._read_events(reader)
        self._read_markers(reader)
        _otf2.Reader_Close(reader)
        if self.failures:
            raise self.failures[0]

    def _read_properties(self, reader):
        for name in _otf2.Reader_GetPropertyNames(reader):
            self.properties[name] = _otf2.Reader_GetProperty(reader, name)
        self.properties["machine"] = _otf2.Reader_GetMachineName(reader)
        self.properties["creator"] = _otf2.Reader_GetCreator(reader)
        self.properties["description"] = _otf2.Reader_GetDescription(reader)

    def _read_definitions(self, reader):
        callbacks = Callbacks("GlobalDefReaderCallbacks", 1, definition_callback(self.definitions))
        definitions = _otf2.Reader_GetGlobalDefReader(reader)
        _otf2.Reader_RegisterGlobalDefCallbacks(reader, definitions, callbacks.handle, None)
        _otf2.Reader_ReadAllGlobalDefinitions(reader, definitions)
        _otf2.Reader_CloseGlobalDefReader(reader, definitions)

    def _read_events(self, reader):
        locations = [fields[0] for kind, fields in self.definitions if kind == "Location"]
        locations = sorted(set(locations))
        for location in locations:
            _otf2.Reader_SelectLocation(reader, location)
        read_local_definitions(reader, locations)
        _otf2.Reader_OpenEvtFiles(reader)
        self.events = {location: [] for location in locations}
        callbacks = Callbacks("EvtReaderCallbacks", 5, event_callback(self.events))
        for location in locations:
            handle = _otf2.Reader_GetEvtReader(reader, location)
            _otf2.Reader_RegisterEvtCallbacks(reader, handle, callbacks.handle, None)
            # As every reader of all locations does by itself.
            _otf2.EvtReader_ApplyMappingTables(handle, True)
            _otf2.EvtReader_ApplyClockOffsets(handle, True)
            _otf2.Reader_ReadAllLocalEvents(reader, handle)
            _otf2.Reader_CloseEvtReader(reader, handle)
        _otf2.Reader_CloseEvtFiles(reader)

    def _read_markers(self, reader):
        callbacks = Callbacks("MarkerReaderCallbacks", 1, definition_callback(self.markers))
        markers = _otf2.Reader_GetMarkerReader(reader)
        # The bindings' own functions for these two cannot be called: their types are wrong.
        lib, count = conf.lib, ctypes.c_uint64()
        failed = lib.OTF2_Reader_RegisterMarkerCallbacks(reader, markers, callbacks.handle, None)
        failed = failed or lib.OTF2_Reader_ReadAllMarkers(reader, markers, ctypes.byref(count))
        if failed:
            raise RuntimeError(f"libotf2 cannot read the markers: error {failed}")
        _otf2.Reader_CloseMarkerReader(reader, markers)


def read_local_definitions(reader, locations):
    """Reads the mapping tables of every location, which the library applies to its events."""
    try:
        _otf2.Reader_OpenDefFiles(reader)
    except _otf2.Error:
        return  # An archive need not have any.
    for location in locations:
        handle = _otf2.Reader_GetDefReader(reader, location)
        if handle:
            _otf2.Reader_ReadAllLocalDefinitions(reader, handle)
            _otf2.Reader_CloseDefReader(reader, handle)
    _otf2.Reader_CloseDefFiles(reader)


class Callbacks:
    """One callback for each kind of record, made by make(kind, pointers)."""

    def __init__(self, family, skipped, make):
        module = importlib.import_module("_otf2." + family)
        self.handle = getattr(module, family + "_New")()
        self.kept = []  # The library holds bare addresses.
        singular = "_" + family.removesuffix("s") + "_FP_"
        for name in [name for name in vars(module) if name.startswith(singular)]:
            kind = name.removeprefix(singular)
            types = [plain(argument) for argument in getattr(module, name)._argtypes_]
            self._register(f"OTF2_{family}_Set{kind}Callback", kind, types, skipped, make)

    def _register(self, function, kind, types, skipped, make):
        pointers = any(hasattr(argument, "contents") for argument in types[skipped:])
        callback = ctypes.CFUNCTYPE(ctypes.c_int, *types)(make(kind, pointers))
        self.kept.append(callback)
        if getattr(conf.lib, function)(self.handle, callback):
            raise RuntimeError(f"no callback for {kind}")


def plain(argument):
    """The type that ctypes turns into an int, bytes or a pointer to ints by itself."""
    if issubclass(argument, ctypes._SimpleCData):
        return PLAIN[argument._type_]
    pointed = argument._type_
    if pointed is _otf2.AttributeList:
        return ctypes.c_void_p
    if issubclass(pointed, ctypes.Union):  # A value of 64 bits, whatever they mean.
        return ctypes.POINTER(ctypes.c_uint64)
    return ctypes.POINTER(PLAIN[pointed._type_])


def definition_callback(records):
    """Appends (kind, fields) to records."""

    def make(kind, pointers):
        def callback(_user, *fields):
            records.append((kind, copied(fields)))
            return 0

        return callback

    return make


def event_callback(events):
    """Appends (time, kind, fields, attributes) to a location's events."""

    def make(kind, pointers):
        def callback(location, time, _position, _user, attributes, *fields):
            fields = copied(fields) if pointers else fields
            events[location].append((time, kind, fields, read_attributes(attributes)))
            return 0

        return callback

    return make


def copied(fields):
    """Fields that outlive their callback. A list's length is the last number before it."""
    result = []
    length = 0
    for field in fields:
        if isinstance(field, int):
            length = field
        elif isinstance(field, bytes):
            field = field.decode()
        elif field is not None:
            field = tuple(field[:length])
        result.append(field)
    return tuple(result)


attribute_count = conf.lib.OTF2_AttributeList_GetNumberOfElements
attribute_count.argtypes, attribute_count.restype = [ctypes.c_void_p], ctypes.c_uint32
attribute_at = conf.lib.OTF2_AttributeList_GetAttributeByIndex
attribute_at.argtypes = [ctypes.c_void_p, ctypes.c_uint32] + [ctypes.c_void_p] * 3


def read_attributes(attributes):
    """[(attribute, type, bits of the value)], or None."""
    count = attribute_count(attributes) if attributes else 0
    if count == 0:
        return None
    result = []
    for index in range(count):
        ref, kind, bits = ctypes.c_uint32(), ctypes.c_uint8(), ctypes.c_uint64()
        attribute_at(attributes, index, ctypes.byref(ref), ctypes.byref(kind), ctypes.byref(bits))
        result.append((ref.value, kind.value, bits.value))
    return result
