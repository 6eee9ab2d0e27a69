//! Functions of MPI that are recorded, with their numbers: those that only some libraries have, most of them new in MPI 4 and 5.
//! Made by `cargo xtask mpi-functions`, not to be edited.
//!
//! A row: number, both names, group, arguments, and at which position which role is. Positions count from 0.

/// Calls a macro with a row for each function.
#[macro_export]
macro_rules! mpi_later_functions {
    ($to:ident) => {
        $to! {
            319 MPI_Accumulate_c PMPI_Accumulate_c OneSided (a0 a1 a2 a3 a4 a5 a6 a7 a8) { count: 1, datatype: 2, target: 3, object: 8 }
            320 MPI_Allgather_c PMPI_Allgather_c Collective (a0 a1 a2 a3 a4 a5 a6) { count: 1, datatype: 2, receive_count: 4, receive_datatype: 5, communicator: 6 }
            321 MPI_Allgather_init PMPI_Allgather_init Collective (a0 a1 a2 a3 a4 a5 a6 a7 a8) { count: 1, datatype: 2, receive_count: 4, receive_datatype: 5, communicator: 6, request: 8 }
            322 MPI_Allgather_init_c PMPI_Allgather_init_c Collective (a0 a1 a2 a3 a4 a5 a6 a7 a8) { count: 1, datatype: 2, receive_count: 4, receive_datatype: 5, communicator: 6, request: 8 }
            323 MPI_Allgatherv_c PMPI_Allgatherv_c Collective (a0 a1 a2 a3 a4 a5 a6 a7) { count: 1, datatype: 2, receive_datatype: 6, communicator: 7 }
            324 MPI_Allgatherv_init PMPI_Allgatherv_init Collective (a0 a1 a2 a3 a4 a5 a6 a7 a8 a9) { count: 1, datatype: 2, receive_datatype: 6, communicator: 7, request: 9 }
            325 MPI_Allgatherv_init_c PMPI_Allgatherv_init_c Collective (a0 a1 a2 a3 a4 a5 a6 a7 a8 a9) { count: 1, datatype: 2, receive_datatype: 6, communicator: 7, request: 9 }
            326 MPI_Allreduce_c PMPI_Allreduce_c Collective (a0 a1 a2 a3 a4 a5) { count: 2, datatype: 3, communicator: 5 }
            327 MPI_Allreduce_init PMPI_Allreduce_init Collective (a0 a1 a2 a3 a4 a5 a6 a7) { count: 2, datatype: 3, communicator: 5, request: 7 }
            328 MPI_Allreduce_init_c PMPI_Allreduce_init_c Collective (a0 a1 a2 a3 a4 a5 a6 a7) { count: 2, datatype: 3, communicator: 5, request: 7 }
            329 MPI_Alltoall_c PMPI_Alltoall_c Collective (a0 a1 a2 a3 a4 a5 a6) { count: 1, datatype: 2, receive_count: 4, receive_datatype: 5, communicator: 6 }
            330 MPI_Alltoall_init PMPI_Alltoall_init Collective (a0 a1 a2 a3 a4 a5 a6 a7 a8) { count: 1, datatype: 2, receive_count: 4, receive_datatype: 5, communicator: 6, request: 8 }
            331 MPI_Alltoall_init_c PMPI_Alltoall_init_c Collective (a0 a1 a2 a3 a4 a5 a6 a7 a8) { count: 1, datatype: 2, receive_count: 4, receive_datatype: 5, communicator: 6, request: 8 }
            332 MPI_Alltoallv_c PMPI_Alltoallv_c Collective (a0 a1 a2 a3 a4 a5 a6 a7 a8) { datatype: 3, receive_datatype: 7, communicator: 8 }
            333 MPI_Alltoallv_init PMPI_Alltoallv_init Collective (a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 a10) { datatype: 3, receive_datatype: 7, communicator: 8, request: 10 }
            334 MPI_Alltoallv_init_c PMPI_Alltoallv_init_c Collective (a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 a10) { datatype: 3, receive_datatype: 7, communicator: 8, request: 10 }
            335 MPI_Alltoallw_c PMPI_Alltoallw_c Collective (a0 a1 a2 a3 a4 a5 a6 a7 a8) { communicator: 8 }
            336 MPI_Alltoallw_init PMPI_Alltoallw_init Collective (a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 a10) { communicator: 8, request: 10 }
            337 MPI_Alltoallw_init_c PMPI_Alltoallw_init_c Collective (a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 a10) { communicator: 8, request: 10 }
            338 MPI_Barrier_init PMPI_Barrier_init Collective (a0 a1 a2) { communicator: 0, request: 2 }
            339 MPI_Bcast_c PMPI_Bcast_c Collective (a0 a1 a2 a3 a4) { count: 1, datatype: 2, root: 3, communicator: 4 }
            340 MPI_Bcast_init PMPI_Bcast_init Collective (a0 a1 a2 a3 a4 a5 a6) { count: 1, datatype: 2, root: 3, communicator: 4, request: 6 }
            341 MPI_Bcast_init_c PMPI_Bcast_init_c Collective (a0 a1 a2 a3 a4 a5 a6) { count: 1, datatype: 2, root: 3, communicator: 4, request: 6 }
            342 MPI_Bsend_c PMPI_Bsend_c PointToPoint (a0 a1 a2 a3 a4 a5) { count: 1, datatype: 2, destination: 3, tag: 4, communicator: 5 }
            343 MPI_Bsend_init_c PMPI_Bsend_init_c PointToPoint (a0 a1 a2 a3 a4 a5 a6) { count: 1, datatype: 2, destination: 3, tag: 4, communicator: 5, request: 6 }
            344 MPI_Buffer_attach_c PMPI_Buffer_attach_c Other (a0 a1) {  }
            345 MPI_Buffer_detach_c PMPI_Buffer_detach_c Other (a0 a1) {  }
            346 MPI_Buffer_flush PMPI_Buffer_flush Other () {  }
            347 MPI_Buffer_iflush PMPI_Buffer_iflush Other (a0) { request: 0 }
            348 MPI_Comm_attach_buffer PMPI_Comm_attach_buffer Other (a0 a1 a2) { communicator: 0 }
            349 MPI_Comm_attach_buffer_c PMPI_Comm_attach_buffer_c Other (a0 a1 a2) { communicator: 0 }
            350 MPI_Comm_create_from_group PMPI_Comm_create_from_group Other (a0 a1 a2 a3 a4) { made: 4 }
            351 MPI_Comm_detach_buffer PMPI_Comm_detach_buffer Other (a0 a1 a2) { communicator: 0 }
            352 MPI_Comm_detach_buffer_c PMPI_Comm_detach_buffer_c Other (a0 a1 a2) { communicator: 0 }
            353 MPI_Comm_flush_buffer PMPI_Comm_flush_buffer Other (a0) { communicator: 0 }
            354 MPI_Comm_idup_with_info PMPI_Comm_idup_with_info Other (a0 a1 a2 a3) { communicator: 0, made: 2, request: 3 }
            355 MPI_Comm_iflush_buffer PMPI_Comm_iflush_buffer Other (a0 a1) { communicator: 0, request: 1 }
            356 MPI_Exscan_c PMPI_Exscan_c Collective (a0 a1 a2 a3 a4 a5) { count: 2, datatype: 3, communicator: 5 }
            357 MPI_Exscan_init PMPI_Exscan_init Collective (a0 a1 a2 a3 a4 a5 a6 a7) { count: 2, datatype: 3, communicator: 5, request: 7 }
            358 MPI_Exscan_init_c PMPI_Exscan_init_c Collective (a0 a1 a2 a3 a4 a5 a6 a7) { count: 2, datatype: 3, communicator: 5, request: 7 }
            359 MPI_File_get_type_extent_c PMPI_File_get_type_extent_c Io (a0 a1 a2) { object: 0, datatype: 1 }
            360 MPI_File_iread_c PMPI_File_iread_c Io (a0 a1 a2 a3 a4) { object: 0, count: 2, datatype: 3, request: 4 }
            361 MPI_File_iread_all_c PMPI_File_iread_all_c Io (a0 a1 a2 a3 a4) { object: 0, count: 2, datatype: 3, request: 4 }
            362 MPI_File_iread_at_c PMPI_File_iread_at_c Io (a0 a1 a2 a3 a4 a5) { object: 0, count: 3, datatype: 4, request: 5 }
            363 MPI_File_iread_at_all_c PMPI_File_iread_at_all_c Io (a0 a1 a2 a3 a4 a5) { object: 0, count: 3, datatype: 4, request: 5 }
            364 MPI_File_iread_shared_c PMPI_File_iread_shared_c Io (a0 a1 a2 a3 a4) { object: 0, count: 2, datatype: 3, request: 4 }
            365 MPI_File_iwrite_c PMPI_File_iwrite_c Io (a0 a1 a2 a3 a4) { object: 0, count: 2, datatype: 3, request: 4 }
            366 MPI_File_iwrite_all_c PMPI_File_iwrite_all_c Io (a0 a1 a2 a3 a4) { object: 0, count: 2, datatype: 3, request: 4 }
            367 MPI_File_iwrite_at_c PMPI_File_iwrite_at_c Io (a0 a1 a2 a3 a4 a5) { object: 0, count: 3, datatype: 4, request: 5 }
            368 MPI_File_iwrite_at_all_c PMPI_File_iwrite_at_all_c Io (a0 a1 a2 a3 a4 a5) { object: 0, count: 3, datatype: 4, request: 5 }
            369 MPI_File_iwrite_shared_c PMPI_File_iwrite_shared_c Io (a0 a1 a2 a3 a4) { object: 0, count: 2, datatype: 3, request: 4 }
            370 MPI_File_read_c PMPI_File_read_c Io (a0 a1 a2 a3 a4) { object: 0, count: 2, datatype: 3, status: 4 }
            371 MPI_File_read_all_c PMPI_File_read_all_c Io (a0 a1 a2 a3 a4) { object: 0, count: 2, datatype: 3, status: 4 }
            372 MPI_File_read_all_begin_c PMPI_File_read_all_begin_c Io (a0 a1 a2 a3) { object: 0, count: 2, datatype: 3 }
            373 MPI_File_read_at_c PMPI_File_read_at_c Io (a0 a1 a2 a3 a4 a5) { object: 0, count: 3, datatype: 4, status: 5 }
            374 MPI_File_read_at_all_c PMPI_File_read_at_all_c Io (a0 a1 a2 a3 a4 a5) { object: 0, count: 3, datatype: 4, status: 5 }
            375 MPI_File_read_at_all_begin_c PMPI_File_read_at_all_begin_c Io (a0 a1 a2 a3 a4) { object: 0, count: 3, datatype: 4 }
            376 MPI_File_read_ordered_c PMPI_File_read_ordered_c Io (a0 a1 a2 a3 a4) { object: 0, count: 2, datatype: 3, status: 4 }
            377 MPI_File_read_ordered_begin_c PMPI_File_read_ordered_begin_c Io (a0 a1 a2 a3) { object: 0, count: 2, datatype: 3 }
            378 MPI_File_read_shared_c PMPI_File_read_shared_c Io (a0 a1 a2 a3 a4) { object: 0, count: 2, datatype: 3, status: 4 }
            379 MPI_File_write_c PMPI_File_write_c Io (a0 a1 a2 a3 a4) { object: 0, count: 2, datatype: 3, status: 4 }
            380 MPI_File_write_all_c PMPI_File_write_all_c Io (a0 a1 a2 a3 a4) { object: 0, count: 2, datatype: 3, status: 4 }
            381 MPI_File_write_all_begin_c PMPI_File_write_all_begin_c Io (a0 a1 a2 a3) { object: 0, count: 2, datatype: 3 }
            382 MPI_File_write_at_c PMPI_File_write_at_c Io (a0 a1 a2 a3 a4 a5) { object: 0, count: 3, datatype: 4, status: 5 }
            383 MPI_File_write_at_all_c PMPI_File_write_at_all_c Io (a0 a1 a2 a3 a4 a5) { object: 0, count: 3, datatype: 4, status: 5 }
            384 MPI_File_write_at_all_begin_c PMPI_File_write_at_all_begin_c Io (a0 a1 a2 a3 a4) { object: 0, count: 3, datatype: 4 }
            385 MPI_File_write_ordered_c PMPI_File_write_ordered_c Io (a0 a1 a2 a3 a4) { object: 0, count: 2, datatype: 3, status: 4 }
            386 MPI_File_write_ordered_begin_c PMPI_File_write_ordered_begin_c Io (a0 a1 a2 a3) { object: 0, count: 2, datatype: 3 }
            387 MPI_File_write_shared_c PMPI_File_write_shared_c Io (a0 a1 a2 a3 a4) { object: 0, count: 2, datatype: 3, status: 4 }
            388 MPI_Gather_c PMPI_Gather_c Collective (a0 a1 a2 a3 a4 a5 a6 a7) { count: 1, datatype: 2, receive_count: 4, receive_datatype: 5, root: 6, communicator: 7 }
            389 MPI_Gather_init PMPI_Gather_init Collective (a0 a1 a2 a3 a4 a5 a6 a7 a8 a9) { count: 1, datatype: 2, receive_count: 4, receive_datatype: 5, root: 6, communicator: 7, request: 9 }
            390 MPI_Gather_init_c PMPI_Gather_init_c Collective (a0 a1 a2 a3 a4 a5 a6 a7 a8 a9) { count: 1, datatype: 2, receive_count: 4, receive_datatype: 5, root: 6, communicator: 7, request: 9 }
            391 MPI_Gatherv_c PMPI_Gatherv_c Collective (a0 a1 a2 a3 a4 a5 a6 a7 a8) { count: 1, datatype: 2, receive_datatype: 6, root: 7, communicator: 8 }
            392 MPI_Gatherv_init PMPI_Gatherv_init Collective (a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 a10) { count: 1, datatype: 2, receive_datatype: 6, root: 7, communicator: 8, request: 10 }
            393 MPI_Gatherv_init_c PMPI_Gatherv_init_c Collective (a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 a10) { count: 1, datatype: 2, receive_datatype: 6, root: 7, communicator: 8, request: 10 }
            394 MPI_Get_c PMPI_Get_c OneSided (a0 a1 a2 a3 a4 a5 a6 a7) { count: 1, datatype: 2, target: 3, object: 7 }
            395 MPI_Get_accumulate_c PMPI_Get_accumulate_c OneSided (a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 a10 a11) { count: 1, datatype: 2, target: 6, object: 11 }
            396 MPI_Get_hw_resource_info PMPI_Get_hw_resource_info OneSided (a0) {  }
            397 MPI_Group_from_session_pset PMPI_Group_from_session_pset Other (a0 a1 a2) {  }
            398 MPI_Iallgather_c PMPI_Iallgather_c Collective (a0 a1 a2 a3 a4 a5 a6 a7) { count: 1, datatype: 2, receive_count: 4, receive_datatype: 5, communicator: 6, request: 7 }
            399 MPI_Iallgatherv_c PMPI_Iallgatherv_c Collective (a0 a1 a2 a3 a4 a5 a6 a7 a8) { count: 1, datatype: 2, receive_datatype: 6, communicator: 7, request: 8 }
            400 MPI_Iallreduce_c PMPI_Iallreduce_c Collective (a0 a1 a2 a3 a4 a5 a6) { count: 2, datatype: 3, communicator: 5, request: 6 }
            401 MPI_Ialltoall_c PMPI_Ialltoall_c Collective (a0 a1 a2 a3 a4 a5 a6 a7) { count: 1, datatype: 2, receive_count: 4, receive_datatype: 5, communicator: 6, request: 7 }
            402 MPI_Ialltoallv_c PMPI_Ialltoallv_c Collective (a0 a1 a2 a3 a4 a5 a6 a7 a8 a9) { datatype: 3, receive_datatype: 7, communicator: 8, request: 9 }
            403 MPI_Ialltoallw_c PMPI_Ialltoallw_c Collective (a0 a1 a2 a3 a4 a5 a6 a7 a8 a9) { communicator: 8, request: 9 }
            404 MPI_Ibcast_c PMPI_Ibcast_c Collective (a0 a1 a2 a3 a4 a5) { count: 1, datatype: 2, root: 3, communicator: 4, request: 5 }
            405 MPI_Ibsend_c PMPI_Ibsend_c PointToPoint (a0 a1 a2 a3 a4 a5 a6) { count: 1, datatype: 2, destination: 3, tag: 4, communicator: 5, request: 6 }
            406 MPI_Iexscan_c PMPI_Iexscan_c Collective (a0 a1 a2 a3 a4 a5 a6) { count: 2, datatype: 3, communicator: 5, request: 6 }
            407 MPI_Igather_c PMPI_Igather_c Collective (a0 a1 a2 a3 a4 a5 a6 a7 a8) { count: 1, datatype: 2, receive_count: 4, receive_datatype: 5, root: 6, communicator: 7, request: 8 }
            408 MPI_Igatherv_c PMPI_Igatherv_c Collective (a0 a1 a2 a3 a4 a5 a6 a7 a8 a9) { count: 1, datatype: 2, receive_datatype: 6, root: 7, communicator: 8, request: 9 }
            409 MPI_Imrecv_c PMPI_Imrecv_c PointToPoint (a0 a1 a2 a3 a4) { count: 1, datatype: 2, request: 4 }
            410 MPI_Ineighbor_allgather_c PMPI_Ineighbor_allgather_c Collective (a0 a1 a2 a3 a4 a5 a6 a7) { count: 1, datatype: 2, receive_count: 4, receive_datatype: 5, communicator: 6, request: 7 }
            411 MPI_Ineighbor_allgatherv_c PMPI_Ineighbor_allgatherv_c Collective (a0 a1 a2 a3 a4 a5 a6 a7 a8) { count: 1, datatype: 2, receive_datatype: 6, communicator: 7, request: 8 }
            412 MPI_Ineighbor_alltoall_c PMPI_Ineighbor_alltoall_c Collective (a0 a1 a2 a3 a4 a5 a6 a7) { count: 1, datatype: 2, receive_count: 4, receive_datatype: 5, communicator: 6, request: 7 }
            413 MPI_Ineighbor_alltoallv_c PMPI_Ineighbor_alltoallv_c Collective (a0 a1 a2 a3 a4 a5 a6 a7 a8 a9) { datatype: 3, receive_datatype: 7, communicator: 8, request: 9 }
            414 MPI_Ineighbor_alltoallw_c PMPI_Ineighbor_alltoallw_c Collective (a0 a1 a2 a3 a4 a5 a6 a7 a8 a9) { communicator: 8, request: 9 }
            415 MPI_Info_create_env PMPI_Info_create_env Other (a0 a1 a2) {  }
            416 MPI_Info_get_string PMPI_Info_get_string Other (a0 a1 a2 a3 a4) { flag: 4 }
            417 MPI_Intercomm_create_from_groups PMPI_Intercomm_create_from_groups Other (a0 a1 a2 a3 a4 a5 a6 a7) { made: 7 }
            418 MPI_Irecv_c PMPI_Irecv_c PointToPoint (a0 a1 a2 a3 a4 a5 a6) { count: 1, datatype: 2, source: 3, tag: 4, communicator: 5, request: 6 }
            419 MPI_Ireduce_c PMPI_Ireduce_c Collective (a0 a1 a2 a3 a4 a5 a6 a7) { count: 2, datatype: 3, root: 5, communicator: 6, request: 7 }
            420 MPI_Ireduce_scatter_c PMPI_Ireduce_scatter_c Collective (a0 a1 a2 a3 a4 a5 a6) { datatype: 3, communicator: 5, request: 6 }
            421 MPI_Ireduce_scatter_block_c PMPI_Ireduce_scatter_block_c Collective (a0 a1 a2 a3 a4 a5 a6) { receive_count: 2, datatype: 3, communicator: 5, request: 6 }
            422 MPI_Irsend_c PMPI_Irsend_c PointToPoint (a0 a1 a2 a3 a4 a5 a6) { count: 1, datatype: 2, destination: 3, tag: 4, communicator: 5, request: 6 }
            423 MPI_Iscan_c PMPI_Iscan_c Collective (a0 a1 a2 a3 a4 a5 a6) { count: 2, datatype: 3, communicator: 5, request: 6 }
            424 MPI_Iscatter_c PMPI_Iscatter_c Collective (a0 a1 a2 a3 a4 a5 a6 a7 a8) { count: 1, datatype: 2, receive_count: 4, receive_datatype: 5, root: 6, communicator: 7, request: 8 }
            425 MPI_Iscatterv_c PMPI_Iscatterv_c Collective (a0 a1 a2 a3 a4 a5 a6 a7 a8 a9) { datatype: 3, receive_count: 5, receive_datatype: 6, root: 7, communicator: 8, request: 9 }
            426 MPI_Isend_c PMPI_Isend_c PointToPoint (a0 a1 a2 a3 a4 a5 a6) { count: 1, datatype: 2, destination: 3, tag: 4, communicator: 5, request: 6 }
            427 MPI_Isendrecv PMPI_Isendrecv PointToPoint (a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 a10 a11) { count: 1, datatype: 2, destination: 3, tag: 4, receive_count: 6, receive_datatype: 7, source: 8, receive_tag: 9, communicator: 10, request: 11 }
            428 MPI_Isendrecv_c PMPI_Isendrecv_c PointToPoint (a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 a10 a11) { count: 1, datatype: 2, destination: 3, tag: 4, receive_count: 6, receive_datatype: 7, source: 8, receive_tag: 9, communicator: 10, request: 11 }
            429 MPI_Isendrecv_replace PMPI_Isendrecv_replace PointToPoint (a0 a1 a2 a3 a4 a5 a6 a7 a8) { count: 1, datatype: 2, destination: 3, tag: 4, source: 5, receive_tag: 6, communicator: 7, request: 8 }
            430 MPI_Isendrecv_replace_c PMPI_Isendrecv_replace_c PointToPoint (a0 a1 a2 a3 a4 a5 a6 a7 a8) { count: 1, datatype: 2, destination: 3, tag: 4, source: 5, receive_tag: 6, communicator: 7, request: 8 }
            431 MPI_Issend_c PMPI_Issend_c PointToPoint (a0 a1 a2 a3 a4 a5 a6) { count: 1, datatype: 2, destination: 3, tag: 4, communicator: 5, request: 6 }
            432 MPI_Mrecv_c PMPI_Mrecv_c PointToPoint (a0 a1 a2 a3 a4) { count: 1, datatype: 2, status: 4 }
            433 MPI_Neighbor_allgather_c PMPI_Neighbor_allgather_c Collective (a0 a1 a2 a3 a4 a5 a6) { count: 1, datatype: 2, receive_count: 4, receive_datatype: 5, communicator: 6 }
            434 MPI_Neighbor_allgather_init PMPI_Neighbor_allgather_init Collective (a0 a1 a2 a3 a4 a5 a6 a7 a8) { count: 1, datatype: 2, receive_count: 4, receive_datatype: 5, communicator: 6, request: 8 }
            435 MPI_Neighbor_allgather_init_c PMPI_Neighbor_allgather_init_c Collective (a0 a1 a2 a3 a4 a5 a6 a7 a8) { count: 1, datatype: 2, receive_count: 4, receive_datatype: 5, communicator: 6, request: 8 }
            436 MPI_Neighbor_allgatherv_c PMPI_Neighbor_allgatherv_c Collective (a0 a1 a2 a3 a4 a5 a6 a7) { count: 1, datatype: 2, receive_datatype: 6, communicator: 7 }
            437 MPI_Neighbor_allgatherv_init PMPI_Neighbor_allgatherv_init Collective (a0 a1 a2 a3 a4 a5 a6 a7 a8 a9) { count: 1, datatype: 2, receive_datatype: 6, communicator: 7, request: 9 }
            438 MPI_Neighbor_allgatherv_init_c PMPI_Neighbor_allgatherv_init_c Collective (a0 a1 a2 a3 a4 a5 a6 a7 a8 a9) { count: 1, datatype: 2, receive_datatype: 6, communicator: 7, request: 9 }
            439 MPI_Neighbor_alltoall_c PMPI_Neighbor_alltoall_c Collective (a0 a1 a2 a3 a4 a5 a6) { count: 1, datatype: 2, receive_count: 4, receive_datatype: 5, communicator: 6 }
            440 MPI_Neighbor_alltoall_init PMPI_Neighbor_alltoall_init Collective (a0 a1 a2 a3 a4 a5 a6 a7 a8) { count: 1, datatype: 2, receive_count: 4, receive_datatype: 5, communicator: 6, request: 8 }
            441 MPI_Neighbor_alltoall_init_c PMPI_Neighbor_alltoall_init_c Collective (a0 a1 a2 a3 a4 a5 a6 a7 a8) { count: 1, datatype: 2, receive_count: 4, receive_datatype: 5, communicator: 6, request: 8 }
            442 MPI_Neighbor_alltoallv_c PMPI_Neighbor_alltoallv_c Collective (a0 a1 a2 a3 a4 a5 a6 a7 a8) { datatype: 3, receive_datatype: 7, communicator: 8 }
            443 MPI_Neighbor_alltoallv_init PMPI_Neighbor_alltoallv_init Collective (a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 a10) { datatype: 3, receive_datatype: 7, communicator: 8, request: 10 }
            444 MPI_Neighbor_alltoallv_init_c PMPI_Neighbor_alltoallv_init_c Collective (a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 a10) { datatype: 3, receive_datatype: 7, communicator: 8, request: 10 }
            445 MPI_Neighbor_alltoallw_c PMPI_Neighbor_alltoallw_c Collective (a0 a1 a2 a3 a4 a5 a6 a7 a8) { communicator: 8 }
            446 MPI_Neighbor_alltoallw_init PMPI_Neighbor_alltoallw_init Collective (a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 a10) { communicator: 8, request: 10 }
            447 MPI_Neighbor_alltoallw_init_c PMPI_Neighbor_alltoallw_init_c Collective (a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 a10) { communicator: 8, request: 10 }
            448 MPI_Op_create_c PMPI_Op_create_c Other (a0 a1 a2) {  }
            449 MPI_Pack_c PMPI_Pack_c Other (a0 a1 a2 a3 a4 a5 a6) { datatype: 2, communicator: 6 }
            450 MPI_Pack_external_c PMPI_Pack_external_c Other (a0 a1 a2 a3 a4 a5 a6) { datatype: 3 }
            451 MPI_Pack_external_size_c PMPI_Pack_external_size_c Other (a0 a1 a2 a3) { datatype: 2 }
            452 MPI_Pack_size_c PMPI_Pack_size_c Other (a0 a1 a2 a3) { datatype: 1, communicator: 2 }
            453 MPI_Parrived PMPI_Parrived PointToPoint (a0 a1 a2) { request: 0, flag: 2 }
            454 MPI_Pready PMPI_Pready PointToPoint (a0 a1) { request: 1 }
            455 MPI_Pready_list PMPI_Pready_list PointToPoint (a0 a1 a2) { request: 2 }
            456 MPI_Pready_range PMPI_Pready_range PointToPoint (a0 a1 a2) { request: 2 }
            457 MPI_Precv_init PMPI_Precv_init PointToPoint (a0 a1 a2 a3 a4 a5 a6 a7 a8) { count: 2, datatype: 3, source: 4, tag: 5, communicator: 6, request: 8 }
            458 MPI_Psend_init PMPI_Psend_init PointToPoint (a0 a1 a2 a3 a4 a5 a6 a7 a8) { count: 2, datatype: 3, destination: 4, tag: 5, communicator: 6, request: 8 }
            459 MPI_Put_c PMPI_Put_c OneSided (a0 a1 a2 a3 a4 a5 a6 a7) { count: 1, datatype: 2, target: 3, object: 7 }
            460 MPI_Raccumulate_c PMPI_Raccumulate_c OneSided (a0 a1 a2 a3 a4 a5 a6 a7 a8 a9) { count: 1, datatype: 2, target: 3, object: 8, request: 9 }
            461 MPI_Recv_c PMPI_Recv_c PointToPoint (a0 a1 a2 a3 a4 a5 a6) { count: 1, datatype: 2, source: 3, tag: 4, communicator: 5, status: 6 }
            462 MPI_Recv_init_c PMPI_Recv_init_c PointToPoint (a0 a1 a2 a3 a4 a5 a6) { count: 1, datatype: 2, source: 3, tag: 4, communicator: 5, request: 6 }
            463 MPI_Reduce_c PMPI_Reduce_c Collective (a0 a1 a2 a3 a4 a5 a6) { count: 2, datatype: 3, root: 5, communicator: 6 }
            464 MPI_Reduce_init PMPI_Reduce_init Collective (a0 a1 a2 a3 a4 a5 a6 a7 a8) { count: 2, datatype: 3, root: 5, communicator: 6, request: 8 }
            465 MPI_Reduce_init_c PMPI_Reduce_init_c Collective (a0 a1 a2 a3 a4 a5 a6 a7 a8) { count: 2, datatype: 3, root: 5, communicator: 6, request: 8 }
            466 MPI_Reduce_local_c PMPI_Reduce_local_c Other (a0 a1 a2 a3 a4) { count: 2, datatype: 3 }
            467 MPI_Reduce_scatter_c PMPI_Reduce_scatter_c Collective (a0 a1 a2 a3 a4 a5) { datatype: 3, communicator: 5 }
            468 MPI_Reduce_scatter_block_c PMPI_Reduce_scatter_block_c Collective (a0 a1 a2 a3 a4 a5) { receive_count: 2, datatype: 3, communicator: 5 }
            469 MPI_Reduce_scatter_block_init PMPI_Reduce_scatter_block_init Collective (a0 a1 a2 a3 a4 a5 a6 a7) { receive_count: 2, datatype: 3, communicator: 5, request: 7 }
            470 MPI_Reduce_scatter_block_init_c PMPI_Reduce_scatter_block_init_c Collective (a0 a1 a2 a3 a4 a5 a6 a7) { receive_count: 2, datatype: 3, communicator: 5, request: 7 }
            471 MPI_Reduce_scatter_init PMPI_Reduce_scatter_init Collective (a0 a1 a2 a3 a4 a5 a6 a7) { datatype: 3, communicator: 5, request: 7 }
            472 MPI_Reduce_scatter_init_c PMPI_Reduce_scatter_init_c Collective (a0 a1 a2 a3 a4 a5 a6 a7) { datatype: 3, communicator: 5, request: 7 }
            473 MPI_Register_datarep_c PMPI_Register_datarep_c Other (a0 a1 a2 a3 a4) {  }
            474 MPI_Remove_error_class PMPI_Remove_error_class Other (a0) {  }
            475 MPI_Remove_error_code PMPI_Remove_error_code Other (a0) {  }
            476 MPI_Remove_error_string PMPI_Remove_error_string Other (a0) {  }
            477 MPI_Request_get_status_all PMPI_Request_get_status_all Wait (a0 a1 a2 a3) { count: 0, requests: 1, flag: 2 }
            478 MPI_Request_get_status_any PMPI_Request_get_status_any Wait (a0 a1 a2 a3 a4) { count: 0, requests: 1, flag: 3, status: 4 }
            479 MPI_Request_get_status_some PMPI_Request_get_status_some Wait (a0 a1 a2 a3 a4) { requests: 1, flag: 2 }
            480 MPI_Rget_c PMPI_Rget_c OneSided (a0 a1 a2 a3 a4 a5 a6 a7 a8) { count: 1, datatype: 2, target: 3, object: 7, request: 8 }
            481 MPI_Rget_accumulate_c PMPI_Rget_accumulate_c OneSided (a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 a10 a11 a12) { count: 1, datatype: 2, target: 6, object: 11, request: 12 }
            482 MPI_Rput_c PMPI_Rput_c OneSided (a0 a1 a2 a3 a4 a5 a6 a7 a8) { count: 1, datatype: 2, target: 3, object: 7, request: 8 }
            483 MPI_Rsend_c PMPI_Rsend_c PointToPoint (a0 a1 a2 a3 a4 a5) { count: 1, datatype: 2, destination: 3, tag: 4, communicator: 5 }
            484 MPI_Rsend_init_c PMPI_Rsend_init_c PointToPoint (a0 a1 a2 a3 a4 a5 a6) { count: 1, datatype: 2, destination: 3, tag: 4, communicator: 5, request: 6 }
            485 MPI_Scan_c PMPI_Scan_c Collective (a0 a1 a2 a3 a4 a5) { count: 2, datatype: 3, communicator: 5 }
            486 MPI_Scan_init PMPI_Scan_init Collective (a0 a1 a2 a3 a4 a5 a6 a7) { count: 2, datatype: 3, communicator: 5, request: 7 }
            487 MPI_Scan_init_c PMPI_Scan_init_c Collective (a0 a1 a2 a3 a4 a5 a6 a7) { count: 2, datatype: 3, communicator: 5, request: 7 }
            488 MPI_Scatter_c PMPI_Scatter_c Collective (a0 a1 a2 a3 a4 a5 a6 a7) { count: 1, datatype: 2, receive_count: 4, receive_datatype: 5, root: 6, communicator: 7 }
            489 MPI_Scatter_init PMPI_Scatter_init Collective (a0 a1 a2 a3 a4 a5 a6 a7 a8 a9) { count: 1, datatype: 2, receive_count: 4, receive_datatype: 5, root: 6, communicator: 7, request: 9 }
            490 MPI_Scatter_init_c PMPI_Scatter_init_c Collective (a0 a1 a2 a3 a4 a5 a6 a7 a8 a9) { count: 1, datatype: 2, receive_count: 4, receive_datatype: 5, root: 6, communicator: 7, request: 9 }
            491 MPI_Scatterv_c PMPI_Scatterv_c Collective (a0 a1 a2 a3 a4 a5 a6 a7 a8) { datatype: 3, receive_count: 5, receive_datatype: 6, root: 7, communicator: 8 }
            492 MPI_Scatterv_init PMPI_Scatterv_init Collective (a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 a10) { datatype: 3, receive_count: 5, receive_datatype: 6, root: 7, communicator: 8, request: 10 }
            493 MPI_Scatterv_init_c PMPI_Scatterv_init_c Collective (a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 a10) { datatype: 3, receive_count: 5, receive_datatype: 6, root: 7, communicator: 8, request: 10 }
            494 MPI_Send_c PMPI_Send_c PointToPoint (a0 a1 a2 a3 a4 a5) { count: 1, datatype: 2, destination: 3, tag: 4, communicator: 5 }
            495 MPI_Send_init_c PMPI_Send_init_c PointToPoint (a0 a1 a2 a3 a4 a5 a6) { count: 1, datatype: 2, destination: 3, tag: 4, communicator: 5, request: 6 }
            496 MPI_Sendrecv_c PMPI_Sendrecv_c PointToPoint (a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 a10 a11) { count: 1, datatype: 2, destination: 3, tag: 4, receive_count: 6, receive_datatype: 7, source: 8, receive_tag: 9, communicator: 10, status: 11 }
            497 MPI_Sendrecv_replace_c PMPI_Sendrecv_replace_c PointToPoint (a0 a1 a2 a3 a4 a5 a6 a7 a8) { count: 1, datatype: 2, destination: 3, tag: 4, source: 5, receive_tag: 6, communicator: 7, status: 8 }
            498 MPI_Session_attach_buffer PMPI_Session_attach_buffer Other (a0 a1 a2) {  }
            499 MPI_Session_attach_buffer_c PMPI_Session_attach_buffer_c Other (a0 a1 a2) {  }
            500 MPI_Session_detach_buffer PMPI_Session_detach_buffer Other (a0 a1 a2) {  }
            501 MPI_Session_detach_buffer_c PMPI_Session_detach_buffer_c Other (a0 a1 a2) {  }
            502 MPI_Session_finalize PMPI_Session_finalize Other (a0) {  }
            503 MPI_Session_flush_buffer PMPI_Session_flush_buffer Other (a0) {  }
            504 MPI_Session_get_info PMPI_Session_get_info Other (a0 a1) {  }
            505 MPI_Session_get_nth_pset PMPI_Session_get_nth_pset Other (a0 a1 a2 a3 a4) {  }
            506 MPI_Session_get_num_psets PMPI_Session_get_num_psets Other (a0 a1 a2) {  }
            507 MPI_Session_get_pset_info PMPI_Session_get_pset_info Other (a0 a1 a2) {  }
            508 MPI_Session_iflush_buffer PMPI_Session_iflush_buffer Other (a0 a1) { request: 1 }
            509 MPI_Session_init PMPI_Session_init Other (a0 a1 a2) {  }
            510 MPI_Ssend_c PMPI_Ssend_c PointToPoint (a0 a1 a2 a3 a4 a5) { count: 1, datatype: 2, destination: 3, tag: 4, communicator: 5 }
            511 MPI_Ssend_init_c PMPI_Ssend_init_c PointToPoint (a0 a1 a2 a3 a4 a5 a6) { count: 1, datatype: 2, destination: 3, tag: 4, communicator: 5, request: 6 }
            512 MPI_Type_contiguous_c PMPI_Type_contiguous_c Other (a0 a1 a2) { count: 0 }
            513 MPI_Type_create_darray_c PMPI_Type_create_darray_c Other (a0 a1 a2 a3 a4 a5 a6 a7 a8 a9) {  }
            514 MPI_Type_create_hindexed_c PMPI_Type_create_hindexed_c Other (a0 a1 a2 a3 a4) { count: 0 }
            515 MPI_Type_create_hindexed_block_c PMPI_Type_create_hindexed_block_c Other (a0 a1 a2 a3 a4) { count: 0 }
            516 MPI_Type_create_hvector_c PMPI_Type_create_hvector_c Other (a0 a1 a2 a3 a4) { count: 0 }
            517 MPI_Type_create_indexed_block_c PMPI_Type_create_indexed_block_c Other (a0 a1 a2 a3 a4) { count: 0 }
            518 MPI_Type_create_resized_c PMPI_Type_create_resized_c Other (a0 a1 a2 a3) {  }
            519 MPI_Type_create_struct_c PMPI_Type_create_struct_c Other (a0 a1 a2 a3 a4) { count: 0 }
            520 MPI_Type_create_subarray_c PMPI_Type_create_subarray_c Other (a0 a1 a2 a3 a4 a5 a6) {  }
            521 MPI_Type_get_contents_c PMPI_Type_get_contents_c Other (a0 a1 a2 a3 a4 a5 a6 a7 a8) { datatype: 0 }
            522 MPI_Type_get_envelope_c PMPI_Type_get_envelope_c Other (a0 a1 a2 a3 a4 a5) { datatype: 0 }
            523 MPI_Type_get_extent_c PMPI_Type_get_extent_c Other (a0 a1 a2) { datatype: 0 }
            524 MPI_Type_get_true_extent_c PMPI_Type_get_true_extent_c Other (a0 a1 a2) { datatype: 0 }
            525 MPI_Type_get_value_index PMPI_Type_get_value_index Other (a0 a1 a2) {  }
            526 MPI_Type_indexed_c PMPI_Type_indexed_c Other (a0 a1 a2 a3 a4) { count: 0 }
            527 MPI_Type_vector_c PMPI_Type_vector_c Other (a0 a1 a2 a3 a4) { count: 0 }
            528 MPI_Unpack_c PMPI_Unpack_c Other (a0 a1 a2 a3 a4 a5 a6) { datatype: 5, communicator: 6 }
            529 MPI_Unpack_external_c PMPI_Unpack_external_c Other (a0 a1 a2 a3 a4 a5 a6) { datatype: 6 }
            530 MPI_Win_allocate_c PMPI_Win_allocate_c OneSided (a0 a1 a2 a3 a4 a5) { communicator: 3, made_object: 5 }
            531 MPI_Win_allocate_shared_c PMPI_Win_allocate_shared_c OneSided (a0 a1 a2 a3 a4 a5) { communicator: 3, made_object: 5 }
            532 MPI_Win_create_c PMPI_Win_create_c OneSided (a0 a1 a2 a3 a4 a5) { communicator: 4, made_object: 5 }
            533 MPI_Win_shared_query_c PMPI_Win_shared_query_c OneSided (a0 a1 a2 a3 a4) { object: 0 }
        }
    };
}
