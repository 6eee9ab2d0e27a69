//! Definitions as calls of libotf2: one safe function for each kind of record.

use std::ptr::NonNull;

use otf2_sys::*;

use super::failure::{NO_HANDLE, check, reason};
use super::{Archive, text};
use crate::Error;
use crate::ids::{AttributeId, CommId, ParameterId, RegionId, StringId};

/// The paradigm of target constructs, which OTF2 names from 3.1 on.
pub(crate) const TARGET: u8 = 25;
/// The paradigm of what accelerators report.
pub(crate) const CUDA: u8 = OTF2_PARADIGM_CUDA as u8;
/// The paradigm of calls of MPI.
pub(crate) const MPI: u8 = OTF2_PARADIGM_MPI as u8;
/// The paradigm of everything else.
pub(crate) const OPENMP: u8 = OTF2_PARADIGM_OPENMP as u8;

/// Number of the only paradigm of files.
const MPI_IO: OTF2_IoParadigmRef = 0;
/// Number of the only interrupt generator: the timer that interrupts threads for samples.
pub(crate) const INTERRUPT_GENERATOR: u32 = 0;

/// The writer of global definitions.
#[derive(Debug)]
pub(crate) struct Definitions<'a> {
    archive: &'a Archive,
    to: NonNull<OTF2_GlobalDefWriter>,
}

/// Definition of a region, with the fields of OTF2's record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Region {
    pub name: StringId,
    pub canonical: StringId,
    pub description: StringId,
    /// Role of the region, an OTF2_RegionRole.
    pub role: u32,
    /// Paradigm of the region, an OTF2_Paradigm.
    pub paradigm: u8,
    pub file: StringId,
    /// Line in `file` at which the region begins, 0 if unknown.
    pub line: u32,
}

/// Definition of a calling context, with the fields of OTF2's record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct CallingContext {
    pub region: RegionId,
    /// Number of the definition of the source line from which the region calls on.
    pub line: Option<u32>,
    pub caller: Option<u32>,
}

/// Properties of the archive's clock, which counts nanoseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClockProperties {
    /// Begin of the run, which no event precedes; below, its length. Both in nanoseconds.
    pub offset: u64,
    pub length: u64,
    /// Time of day at `offset`, in nanoseconds since 1970.
    pub realtime: u64,
}

/// Type of a location: a CPU thread, a stream of an accelerator, or the recorder of a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LocationKind {
    Thread,
    Stream,
    Metric,
}

impl Archive {
    /// Opens the global definitions.
    pub(crate) fn definitions(&self) -> Result<Definitions<'_>, Error> {
        // SAFETY: the archive is open.
        let to = unsafe { OTF2_Archive_GetGlobalDefWriter(self.handle.as_ptr()) };
        let to = NonNull::new(to).ok_or_else(|| Error::Write(reason(NO_HANDLE)))?;
        Ok(Definitions { archive: self, to })
    }
}

/// A function that writes one kind of definition.
macro_rules! definition {
    ($(#[$doc:meta])* $name:ident($self:ident $(, $argument:ident: $type:ty)*) $body:expr) => {
        $(#[$doc])*
        pub(crate) fn $name(&$self $(, $argument: $type)*) -> Result<(), Error> {
            // SAFETY: the writer is open as long as `self`; strings and arrays live through the
            // call, and the library copies them.
            check(unsafe { $body })
        }
    };
}

impl Definitions<'_> {
    definition! {
        /// The clock of all events.
        clock(self, clock: ClockProperties) OTF2_GlobalDefWriter_WriteClockProperties(
            self.to.as_ptr(), 1_000_000_000, clock.offset, clock.length, clock.realtime)
    }
    definition! {
        /// A string.
        string(self, number: StringId, string: &str)
            OTF2_GlobalDefWriter_WriteString(self.to.as_ptr(), number, text(string).as_ptr())
    }
    definition! {
        /// An attribute of events; `kind` is an OTF2_Type.
        attribute(self, number: AttributeId, name: StringId, description: StringId, kind: u8)
            OTF2_GlobalDefWriter_WriteAttribute(self.to.as_ptr(), number, name, description, kind)
    }
    definition! {
        /// A node of the system tree.
        node(self, number: u32, name: StringId, class: StringId, parent: Option<u32>)
            OTF2_GlobalDefWriter_WriteSystemTreeNode(self.to.as_ptr(), number, name, class,
                parent.unwrap_or(OTF2_UNDEFINED_SYSTEM_TREE_NODE))
    }
    definition! {
        /// The domain of a node of the system tree, an OTF2_SystemTreeDomain.
        domain(self, node: u32, domain: u32) OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(
            self.to.as_ptr(), node, domain as OTF2_SystemTreeDomain)
    }
    definition! {
        /// The traced process, or with `creator` a device that it uses.
        group(self, number: u32, name: StringId, node: u32, creator: Option<u32>)
            OTF2_GlobalDefWriter_WriteLocationGroup(self.to.as_ptr(), number, name,
                if creator.is_some() { OTF2_LOCATION_GROUP_TYPE_ACCELERATOR }
                else { OTF2_LOCATION_GROUP_TYPE_PROCESS } as OTF2_LocationGroupType,
                node, creator.unwrap_or(OTF2_UNDEFINED_LOCATION_GROUP))
    }
    definition! {
        /// A location with its number of events.
        location(self, number: u64, name: StringId, kind: LocationKind, events: u64, group: u32)
            OTF2_GlobalDefWriter_WriteLocation(self.to.as_ptr(), number, name, match kind {
                LocationKind::Thread => OTF2_LOCATION_TYPE_CPU_THREAD,
                LocationKind::Stream => OTF2_LOCATION_TYPE_ACCELERATOR_STREAM,
                LocationKind::Metric => OTF2_LOCATION_TYPE_METRIC,
            } as OTF2_LocationType, events, group)
    }
    definition! {
        /// A property of a location: a number.
        location_property(self, location: u64, name: StringId, value: u64)
            OTF2_GlobalDefWriter_WriteLocationProperty(self.to.as_ptr(), location, name,
                OTF2_TYPE_UINT64 as OTF2_Type, OTF2_AttributeValue_union { uint64: value })
    }
    definition! {
        /// A property of a location group: a text.
        group_property(self, group: u32, name: StringId, value: StringId)
            OTF2_GlobalDefWriter_WriteLocationGroupProperty(self.to.as_ptr(), group, name,
                OTF2_TYPE_STRING as OTF2_Type, OTF2_AttributeValue_union { stringRef: value })
    }
    definition! {
        /// A region.
        region(self, number: u32, region: &Region) OTF2_GlobalDefWriter_WriteRegion(
            self.to.as_ptr(), number, region.name, region.canonical, region.description,
            region.role as OTF2_RegionRole, region.paradigm,
            OTF2_REGION_FLAG_NONE as OTF2_RegionFlag, region.file, region.line, 0)
    }
    definition! {
        /// A line of a source file.
        source_line(self, number: u32, file: StringId, line: u32)
            OTF2_GlobalDefWriter_WriteSourceCodeLocation(self.to.as_ptr(), number, file, line)
    }
    definition! {
        /// A calling context: a region, from where in it the next is called, and its caller.
        calling_context(self, number: u32, context: CallingContext)
            OTF2_GlobalDefWriter_WriteCallingContext(self.to.as_ptr(), number, context.region,
                context.line.unwrap_or(OTF2_UNDEFINED_SOURCE_CODE_LOCATION),
                context.caller.unwrap_or(OTF2_UNDEFINED_CALLING_CONTEXT))
    }
    definition! {
        /// The timer that interrupts threads for samples; `period` is in nanoseconds.
        interrupt_generator(self, name: StringId, period: u64)
            OTF2_GlobalDefWriter_WriteInterruptGenerator(self.to.as_ptr(), INTERRUPT_GENERATOR, name,
                OTF2_INTERRUPT_GENERATOR_MODE_TIME as OTF2_InterruptGeneratorMode,
                OTF2_BASE_DECIMAL as OTF2_Base, -9, period)
    }
    definition! {
        /// A parameter of regions: a text or a number without sign.
        parameter(self, number: ParameterId, name: StringId, is_text: bool)
            OTF2_GlobalDefWriter_WriteParameter(self.to.as_ptr(), number, name,
                if is_text { OTF2_PARAMETER_TYPE_STRING } else { OTF2_PARAMETER_TYPE_UINT64 }
                as OTF2_ParameterType)
    }
    definition! {
        /// A paradigm: fork and join of threads.
        fork_join(self, name: StringId) OTF2_GlobalDefWriter_WriteParadigm(self.to.as_ptr(),
            OTF2_PARADIGM_OPENMP as OTF2_Paradigm, name,
            OTF2_PARADIGM_CLASS_THREAD_FORK_JOIN as OTF2_ParadigmClass)
    }
    definition! {
        /// The template for the names of communicators of fork and join that have no name of their own.
        team_names(self, template: StringId) OTF2_GlobalDefWriter_WriteParadigmProperty(
            self.to.as_ptr(), OTF2_PARADIGM_OPENMP as OTF2_Paradigm,
            OTF2_PARADIGM_PROPERTY_COMM_NAME_TEMPLATE as OTF2_ParadigmProperty,
            OTF2_TYPE_STRING as OTF2_Type, OTF2_AttributeValue_union { stringRef: template })
    }
    definition! {
        /// A paradigm of accelerators.
        accelerator(self, paradigm: u8, name: StringId) OTF2_GlobalDefWriter_WriteParadigm(
            self.to.as_ptr(), paradigm, name, OTF2_PARADIGM_CLASS_ACCELERATOR as OTF2_ParadigmClass)
    }
    definition! {
        /// Its communicators serve windows only.
        is_rma_only(self, paradigm: u8) OTF2_GlobalDefWriter_WriteParadigmProperty(self.to.as_ptr(),
            paradigm, OTF2_PARADIGM_PROPERTY_RMA_ONLY as OTF2_ParadigmProperty,
            OTF2_TYPE_UINT8 as OTF2_Type, OTF2_AttributeValue_union { uint8: 1 })
    }
    definition! {
        /// The paradigm of MPI.
        processes(self, name: StringId) OTF2_GlobalDefWriter_WriteParadigm(self.to.as_ptr(), MPI,
            name, OTF2_PARADIGM_CLASS_PROCESS as OTF2_ParadigmClass)
    }
    definition! {
        /// The group of communicators of one rank each: a paradigm has one of these at most.
        comm_self(self, number: u32, name: StringId, paradigm: u8)
            OTF2_GlobalDefWriter_WriteGroup(self.to.as_ptr(), number, name,
                OTF2_GROUP_TYPE_COMM_SELF as OTF2_GroupType, paradigm,
                OTF2_GROUP_FLAG_NONE as OTF2_GroupFlag, 0, std::ptr::null())
    }
    definition! {
        /// All locations of a paradigm, in the order in which groups count them.
        comm_locations(self, number: u32, name: StringId, paradigm: u8, locations: &[u64])
            OTF2_GlobalDefWriter_WriteGroup(self.to.as_ptr(), number, name,
                OTF2_GROUP_TYPE_COMM_LOCATIONS as OTF2_GroupType, paradigm,
                OTF2_GROUP_FLAG_NONE as OTF2_GroupFlag, locations.len() as u32, locations.as_ptr())
    }
    definition! {
        /// Members of a communicator, as positions in `comm_locations`.
        comm_group(self, number: u32, name: StringId, paradigm: u8, members: &[u64])
            OTF2_GlobalDefWriter_WriteGroup(self.to.as_ptr(), number, name,
                OTF2_GROUP_TYPE_COMM_GROUP as OTF2_GroupType, paradigm,
                OTF2_GROUP_FLAG_NONE as OTF2_GroupFlag, members.len() as u32, members.as_ptr())
    }
    definition! {
        /// A communicator.
        comm(self, number: CommId, name: StringId, group: u32, parent: Option<CommId>)
            OTF2_GlobalDefWriter_WriteComm(self.to.as_ptr(), number, name, group,
                parent.unwrap_or(OTF2_UNDEFINED_COMM), OTF2_COMM_FLAG_NONE as OTF2_CommFlag)
    }
    definition! {
        /// A communicator of two groups.
        inter_comm(self, number: CommId, name: StringId, groups: [u32; 2])
            OTF2_GlobalDefWriter_WriteInterComm(self.to.as_ptr(), number, name, groups[0],
                groups[1], OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE as OTF2_CommFlag)
    }
    definition! {
        /// A window for transfers; `has_events`: events say when it is created and destroyed.
        window(self, number: u32, name: StringId, comm: CommId, has_events: bool)
            OTF2_GlobalDefWriter_WriteRmaWin(self.to.as_ptr(), number, name, comm,
                if has_events { OTF2_RMA_WIN_FLAG_CREATE_DESTROY_EVENTS }
                else { OTF2_RMA_WIN_FLAG_NONE } as OTF2_RmaWinFlag)
    }
    definition! {
        /// The paradigm of MPI's files.
        mpi_io(self, name: StringId) OTF2_GlobalDefWriter_WriteIoParadigm(self.to.as_ptr(), MPI_IO,
            name, name, OTF2_IO_PARADIGM_CLASS_PARALLEL as OTF2_IoParadigmClass,
            OTF2_IO_PARADIGM_FLAG_NONE as OTF2_IoParadigmFlag, 0, std::ptr::null(),
            std::ptr::null(), std::ptr::null())
    }
    definition! {
        /// A file; `scope`: the node of the system tree in which its name stands for it.
        io_file(self, number: u32, name: StringId, scope: Option<u32>)
            OTF2_GlobalDefWriter_WriteIoRegularFile(self.to.as_ptr(), number, name,
                scope.unwrap_or(OTF2_UNDEFINED_SYSTEM_TREE_NODE))
    }
    definition! {
        /// A handle of a file; `is_created`: an event says when it is created.
        io_handle(self, number: u32, name: StringId, file: u32, comm: Option<CommId>,
            is_created: bool)
            OTF2_GlobalDefWriter_WriteIoHandle(self.to.as_ptr(), number, name, file, MPI_IO,
                if is_created { OTF2_IO_HANDLE_FLAG_NONE } else { OTF2_IO_HANDLE_FLAG_PRE_CREATED }
                as OTF2_IoHandleFlag, comm.unwrap_or(OTF2_UNDEFINED_COMM), OTF2_UNDEFINED_IO_HANDLE)
    }
    definition! {
        /// The mode of a handle that no event creates.
        io_state(self, handle: u32, mode: u8, status: u32)
            OTF2_GlobalDefWriter_WriteIoPreCreatedHandleState(self.to.as_ptr(), handle, mode, status)
    }
    definition! {
        /// A metric whose values are each valid until the next one is recorded.
        metric_member(self, number: u32, name: StringId, description: StringId, unit: StringId)
            OTF2_GlobalDefWriter_WriteMetricMember(self.to.as_ptr(), number, name, description,
                OTF2_METRIC_TYPE_OTHER as OTF2_MetricType,
                OTF2_METRIC_ABSOLUTE_NEXT as OTF2_MetricMode, OTF2_TYPE_INT64 as OTF2_Type,
                OTF2_BASE_DECIMAL as OTF2_Base, 0, unit)
    }
    definition! {
        /// A metric that is a sum since the begin of the run.
        accumulated_member(self, number: u32, name: StringId, description: StringId, unit: StringId)
            OTF2_GlobalDefWriter_WriteMetricMember(self.to.as_ptr(), number, name, description,
                OTF2_METRIC_TYPE_OTHER as OTF2_MetricType,
                OTF2_METRIC_ACCUMULATED_START as OTF2_MetricMode, OTF2_TYPE_INT64 as OTF2_Type,
                OTF2_BASE_DECIMAL as OTF2_Base, 0, unit)
    }
    definition! {
        /// A class of metrics: one member, recorded when it changes.
        metric_class(self, number: u32, member: u32) OTF2_GlobalDefWriter_WriteMetricClass(
            self.to.as_ptr(), number, 1, &member,
            OTF2_METRIC_ASYNCHRONOUS as OTF2_MetricOccurrence,
            OTF2_RECORDER_KIND_ABSTRACT as OTF2_RecorderKind)
    }
    definition! {
        /// An instance of a metric class that describes a location group; the location `recorder` has its values.
        metric_instance(self, number: u32, class: u32, recorder: u64, group: u32)
            OTF2_GlobalDefWriter_WriteMetricInstance(self.to.as_ptr(), number, class, recorder,
                OTF2_SCOPE_LOCATION_GROUP as OTF2_MetricScope, group.into())
    }

    definition! {
        /// An instance of a metric class that describes a location; the location `recorder` has its values.
        metric_of_location(self, number: u32, class: u32, recorder: u64, location: u64)
            OTF2_GlobalDefWriter_WriteMetricInstance(self.to.as_ptr(), number, class, recorder,
                OTF2_SCOPE_LOCATION as OTF2_MetricScope, location)
    }

    /// Ends the definitions.
    pub(crate) fn close(self) -> Result<(), Error> {
        // SAFETY: both are open, and the writer is given up here.
        check(unsafe {
            OTF2_Archive_CloseGlobalDefWriter(self.archive.handle.as_ptr(), self.to.as_ptr())
        })
    }
}
