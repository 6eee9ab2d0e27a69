//! An entry point for each function of the table.

use crate::entry::entries;

ompttrace_recording::mpi_functions!(entries);
