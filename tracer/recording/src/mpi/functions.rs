//! Functions of MPI that are recorded, with their numbers: those that all libraries have.
//! Made by `cargo xtask mpi-functions`, not to be edited.
//!
//! A row: number, both names, group, arguments, and at which position which role is. Positions count from 0.

/// Calls a macro with a row for each function.
#[macro_export]
macro_rules! mpi_functions {
    ($to:ident) => {
        $to! {
            1 MPI_Abort PMPI_Abort Other (a0 a1) { communicator: 0 }
            2 MPI_Accumulate PMPI_Accumulate OneSided (a0 a1 a2 a3 a4 a5 a6 a7 a8) { count: 1, datatype: 2, target: 3, object: 8 }
            3 MPI_Add_error_class PMPI_Add_error_class Other (a0) {  }
            4 MPI_Add_error_code PMPI_Add_error_code Other (a0 a1) {  }
            5 MPI_Add_error_string PMPI_Add_error_string Other (a0 a1) {  }
            6 MPI_Allgather PMPI_Allgather Collective (a0 a1 a2 a3 a4 a5 a6) { count: 1, datatype: 2, receive_count: 4, receive_datatype: 5, communicator: 6 }
            7 MPI_Allgatherv PMPI_Allgatherv Collective (a0 a1 a2 a3 a4 a5 a6 a7) { count: 1, datatype: 2, receive_datatype: 6, communicator: 7 }
            8 MPI_Alloc_mem PMPI_Alloc_mem Other (a0 a1 a2) {  }
            9 MPI_Allreduce PMPI_Allreduce Collective (a0 a1 a2 a3 a4 a5) { count: 2, datatype: 3, communicator: 5 }
            10 MPI_Alltoall PMPI_Alltoall Collective (a0 a1 a2 a3 a4 a5 a6) { count: 1, datatype: 2, receive_count: 4, receive_datatype: 5, communicator: 6 }
            11 MPI_Alltoallv PMPI_Alltoallv Collective (a0 a1 a2 a3 a4 a5 a6 a7 a8) { datatype: 3, receive_datatype: 7, communicator: 8 }
            12 MPI_Alltoallw PMPI_Alltoallw Collective (a0 a1 a2 a3 a4 a5 a6 a7 a8) { communicator: 8 }
            13 MPI_Attr_delete PMPI_Attr_delete Other (a0 a1) { communicator: 0 }
            14 MPI_Attr_get PMPI_Attr_get Other (a0 a1 a2 a3) { communicator: 0, flag: 3 }
            15 MPI_Attr_put PMPI_Attr_put Other (a0 a1 a2) { communicator: 0 }
            16 MPI_Barrier PMPI_Barrier Collective (a0) { communicator: 0 }
            17 MPI_Bcast PMPI_Bcast Collective (a0 a1 a2 a3 a4) { count: 1, datatype: 2, root: 3, communicator: 4 }
            18 MPI_Bsend PMPI_Bsend PointToPoint (a0 a1 a2 a3 a4 a5) { count: 1, datatype: 2, destination: 3, tag: 4, communicator: 5 }
            19 MPI_Bsend_init PMPI_Bsend_init PointToPoint (a0 a1 a2 a3 a4 a5 a6) { count: 1, datatype: 2, destination: 3, tag: 4, communicator: 5, request: 6 }
            20 MPI_Buffer_attach PMPI_Buffer_attach Other (a0 a1) {  }
            21 MPI_Buffer_detach PMPI_Buffer_detach Other (a0 a1) {  }
            22 MPI_Cancel PMPI_Cancel Other (a0) { request: 0 }
            23 MPI_Cart_coords PMPI_Cart_coords Other (a0 a1 a2 a3) { communicator: 0 }
            24 MPI_Cart_create PMPI_Cart_create Other (a0 a1 a2 a3 a4 a5) { communicator: 0, made: 5 }
            25 MPI_Cart_get PMPI_Cart_get Other (a0 a1 a2 a3 a4) { communicator: 0 }
            26 MPI_Cart_map PMPI_Cart_map Other (a0 a1 a2 a3 a4) { communicator: 0 }
            27 MPI_Cart_rank PMPI_Cart_rank Other (a0 a1 a2) { communicator: 0 }
            28 MPI_Cart_shift PMPI_Cart_shift Other (a0 a1 a2 a3 a4) { communicator: 0 }
            29 MPI_Cart_sub PMPI_Cart_sub Other (a0 a1 a2) { communicator: 0, made: 2 }
            30 MPI_Cartdim_get PMPI_Cartdim_get Other (a0 a1) { communicator: 0 }
            31 MPI_Close_port PMPI_Close_port Other (a0) {  }
            32 MPI_Comm_accept PMPI_Comm_accept Other (a0 a1 a2 a3 a4) { root: 2, communicator: 3, made: 4 }
            33 MPI_Comm_compare PMPI_Comm_compare Other (a0 a1 a2) { communicator: 0 }
            34 MPI_Comm_connect PMPI_Comm_connect Other (a0 a1 a2 a3 a4) { root: 2, communicator: 3, made: 4 }
            35 MPI_Comm_create PMPI_Comm_create Other (a0 a1 a2) { communicator: 0, made: 2 }
            36 MPI_Comm_create_group PMPI_Comm_create_group Other (a0 a1 a2 a3) { communicator: 0, tag: 2, made: 3 }
            37 MPI_Comm_create_keyval PMPI_Comm_create_keyval Other (a0 a1 a2 a3) {  }
            38 MPI_Comm_delete_attr PMPI_Comm_delete_attr Other (a0 a1) { communicator: 0 }
            39 MPI_Comm_disconnect PMPI_Comm_disconnect Other (a0) {  }
            40 MPI_Comm_dup PMPI_Comm_dup Other (a0 a1) { communicator: 0, made: 1 }
            41 MPI_Comm_dup_with_info PMPI_Comm_dup_with_info Other (a0 a1 a2) { communicator: 0, made: 2 }
            42 MPI_Comm_free PMPI_Comm_free Other (a0) {  }
            43 MPI_Comm_free_keyval PMPI_Comm_free_keyval Other (a0) {  }
            44 MPI_Comm_get_attr PMPI_Comm_get_attr Other (a0 a1 a2 a3) { communicator: 0, flag: 3 }
            45 MPI_Comm_get_info PMPI_Comm_get_info Other (a0 a1) { communicator: 0 }
            46 MPI_Comm_get_name PMPI_Comm_get_name Other (a0 a1 a2) { communicator: 0 }
            47 MPI_Comm_get_parent PMPI_Comm_get_parent Other (a0) { made: 0 }
            48 MPI_Comm_group PMPI_Comm_group Other (a0 a1) { communicator: 0 }
            49 MPI_Comm_idup PMPI_Comm_idup Other (a0 a1 a2) { communicator: 0, made: 1, request: 2 }
            50 MPI_Comm_join PMPI_Comm_join Other (a0 a1) { made: 1 }
            51 MPI_Comm_remote_group PMPI_Comm_remote_group Other (a0 a1) { communicator: 0 }
            52 MPI_Comm_remote_size PMPI_Comm_remote_size Other (a0 a1) { communicator: 0 }
            53 MPI_Comm_set_attr PMPI_Comm_set_attr Other (a0 a1 a2) { communicator: 0 }
            54 MPI_Comm_set_info PMPI_Comm_set_info Other (a0 a1) { communicator: 0 }
            55 MPI_Comm_set_name PMPI_Comm_set_name Other (a0 a1) { communicator: 0 }
            56 MPI_Comm_spawn PMPI_Comm_spawn Other (a0 a1 a2 a3 a4 a5 a6 a7) { root: 4, communicator: 5, made: 6 }
            57 MPI_Comm_spawn_multiple PMPI_Comm_spawn_multiple Other (a0 a1 a2 a3 a4 a5 a6 a7 a8) { count: 0, root: 5, communicator: 6, made: 7 }
            58 MPI_Comm_split PMPI_Comm_split Other (a0 a1 a2 a3) { communicator: 0, made: 3 }
            59 MPI_Comm_split_type PMPI_Comm_split_type Other (a0 a1 a2 a3 a4) { communicator: 0, made: 4 }
            60 MPI_Comm_test_inter PMPI_Comm_test_inter Other (a0 a1) { communicator: 0, flag: 1 }
            61 MPI_Compare_and_swap PMPI_Compare_and_swap OneSided (a0 a1 a2 a3 a4 a5 a6) { datatype: 3, target: 4, object: 6 }
            62 MPI_Dims_create PMPI_Dims_create Other (a0 a1 a2) {  }
            63 MPI_Dist_graph_create PMPI_Dist_graph_create Other (a0 a1 a2 a3 a4 a5 a6 a7 a8) { communicator: 0, made: 8 }
            64 MPI_Dist_graph_create_adjacent PMPI_Dist_graph_create_adjacent Other (a0 a1 a2 a3 a4 a5 a6 a7 a8 a9) { communicator: 0, made: 9 }
            65 MPI_Dist_graph_neighbors PMPI_Dist_graph_neighbors Other (a0 a1 a2 a3 a4 a5 a6) { communicator: 0 }
            66 MPI_Dist_graph_neighbors_count PMPI_Dist_graph_neighbors_count Other (a0 a1 a2 a3) { communicator: 0 }
            67 MPI_Errhandler_free PMPI_Errhandler_free Other (a0) {  }
            68 MPI_Exscan PMPI_Exscan Collective (a0 a1 a2 a3 a4 a5) { count: 2, datatype: 3, communicator: 5 }
            69 MPI_Fetch_and_op PMPI_Fetch_and_op OneSided (a0 a1 a2 a3 a4 a5 a6) { datatype: 2, target: 3, object: 6 }
            70 MPI_File_close PMPI_File_close Io (a0) { freed_object: 0 }
            71 MPI_File_delete PMPI_File_delete Io (a0 a1) { file_name: 0 }
            72 MPI_File_get_amode PMPI_File_get_amode Io (a0 a1) { object: 0 }
            73 MPI_File_get_atomicity PMPI_File_get_atomicity Io (a0 a1) { object: 0, flag: 1 }
            74 MPI_File_get_byte_offset PMPI_File_get_byte_offset Io (a0 a1 a2) { object: 0 }
            75 MPI_File_get_group PMPI_File_get_group Io (a0 a1) { object: 0 }
            76 MPI_File_get_info PMPI_File_get_info Io (a0 a1) { object: 0 }
            77 MPI_File_get_position PMPI_File_get_position Io (a0 a1) { object: 0 }
            78 MPI_File_get_position_shared PMPI_File_get_position_shared Io (a0 a1) { object: 0 }
            79 MPI_File_get_size PMPI_File_get_size Io (a0 a1) { object: 0 }
            80 MPI_File_get_type_extent PMPI_File_get_type_extent Io (a0 a1 a2) { object: 0, datatype: 1 }
            81 MPI_File_get_view PMPI_File_get_view Io (a0 a1 a2 a3 a4) { object: 0 }
            82 MPI_File_iread PMPI_File_iread Io (a0 a1 a2 a3 a4) { object: 0, count: 2, datatype: 3, request: 4 }
            83 MPI_File_iread_all PMPI_File_iread_all Io (a0 a1 a2 a3 a4) { object: 0, count: 2, datatype: 3, request: 4 }
            84 MPI_File_iread_at PMPI_File_iread_at Io (a0 a1 a2 a3 a4 a5) { object: 0, count: 3, datatype: 4, request: 5 }
            85 MPI_File_iread_at_all PMPI_File_iread_at_all Io (a0 a1 a2 a3 a4 a5) { object: 0, count: 3, datatype: 4, request: 5 }
            86 MPI_File_iread_shared PMPI_File_iread_shared Io (a0 a1 a2 a3 a4) { object: 0, count: 2, datatype: 3, request: 4 }
            87 MPI_File_iwrite PMPI_File_iwrite Io (a0 a1 a2 a3 a4) { object: 0, count: 2, datatype: 3, request: 4 }
            88 MPI_File_iwrite_all PMPI_File_iwrite_all Io (a0 a1 a2 a3 a4) { object: 0, count: 2, datatype: 3, request: 4 }
            89 MPI_File_iwrite_at PMPI_File_iwrite_at Io (a0 a1 a2 a3 a4 a5) { object: 0, count: 3, datatype: 4, request: 5 }
            90 MPI_File_iwrite_at_all PMPI_File_iwrite_at_all Io (a0 a1 a2 a3 a4 a5) { object: 0, count: 3, datatype: 4, request: 5 }
            91 MPI_File_iwrite_shared PMPI_File_iwrite_shared Io (a0 a1 a2 a3 a4) { object: 0, count: 2, datatype: 3, request: 4 }
            92 MPI_File_open PMPI_File_open Io (a0 a1 a2 a3 a4) { communicator: 0, file_name: 1, mode: 2, made_object: 4 }
            93 MPI_File_preallocate PMPI_File_preallocate Io (a0 a1) { object: 0 }
            94 MPI_File_read PMPI_File_read Io (a0 a1 a2 a3 a4) { object: 0, count: 2, datatype: 3, status: 4 }
            95 MPI_File_read_all PMPI_File_read_all Io (a0 a1 a2 a3 a4) { object: 0, count: 2, datatype: 3, status: 4 }
            96 MPI_File_read_all_begin PMPI_File_read_all_begin Io (a0 a1 a2 a3) { object: 0, count: 2, datatype: 3 }
            97 MPI_File_read_all_end PMPI_File_read_all_end Io (a0 a1 a2) { object: 0, status: 2 }
            98 MPI_File_read_at PMPI_File_read_at Io (a0 a1 a2 a3 a4 a5) { object: 0, count: 3, datatype: 4, status: 5 }
            99 MPI_File_read_at_all PMPI_File_read_at_all Io (a0 a1 a2 a3 a4 a5) { object: 0, count: 3, datatype: 4, status: 5 }
            100 MPI_File_read_at_all_begin PMPI_File_read_at_all_begin Io (a0 a1 a2 a3 a4) { object: 0, count: 3, datatype: 4 }
            101 MPI_File_read_at_all_end PMPI_File_read_at_all_end Io (a0 a1 a2) { object: 0, status: 2 }
            102 MPI_File_read_ordered PMPI_File_read_ordered Io (a0 a1 a2 a3 a4) { object: 0, count: 2, datatype: 3, status: 4 }
            103 MPI_File_read_ordered_begin PMPI_File_read_ordered_begin Io (a0 a1 a2 a3) { object: 0, count: 2, datatype: 3 }
            104 MPI_File_read_ordered_end PMPI_File_read_ordered_end Io (a0 a1 a2) { object: 0, status: 2 }
            105 MPI_File_read_shared PMPI_File_read_shared Io (a0 a1 a2 a3 a4) { object: 0, count: 2, datatype: 3, status: 4 }
            106 MPI_File_seek PMPI_File_seek Io (a0 a1 a2) { object: 0 }
            107 MPI_File_seek_shared PMPI_File_seek_shared Io (a0 a1 a2) { object: 0 }
            108 MPI_File_set_atomicity PMPI_File_set_atomicity Io (a0 a1) { object: 0 }
            109 MPI_File_set_info PMPI_File_set_info Io (a0 a1) { object: 0 }
            110 MPI_File_set_size PMPI_File_set_size Io (a0 a1) { object: 0 }
            111 MPI_File_set_view PMPI_File_set_view Io (a0 a1 a2 a3 a4 a5) { object: 0 }
            112 MPI_File_sync PMPI_File_sync Io (a0) { object: 0 }
            113 MPI_File_write PMPI_File_write Io (a0 a1 a2 a3 a4) { object: 0, count: 2, datatype: 3, status: 4 }
            114 MPI_File_write_all PMPI_File_write_all Io (a0 a1 a2 a3 a4) { object: 0, count: 2, datatype: 3, status: 4 }
            115 MPI_File_write_all_begin PMPI_File_write_all_begin Io (a0 a1 a2 a3) { object: 0, count: 2, datatype: 3 }
            116 MPI_File_write_all_end PMPI_File_write_all_end Io (a0 a1 a2) { object: 0, status: 2 }
            117 MPI_File_write_at PMPI_File_write_at Io (a0 a1 a2 a3 a4 a5) { object: 0, count: 3, datatype: 4, status: 5 }
            118 MPI_File_write_at_all PMPI_File_write_at_all Io (a0 a1 a2 a3 a4 a5) { object: 0, count: 3, datatype: 4, status: 5 }
            119 MPI_File_write_at_all_begin PMPI_File_write_at_all_begin Io (a0 a1 a2 a3 a4) { object: 0, count: 3, datatype: 4 }
            120 MPI_File_write_at_all_end PMPI_File_write_at_all_end Io (a0 a1 a2) { object: 0, status: 2 }
            121 MPI_File_write_ordered PMPI_File_write_ordered Io (a0 a1 a2 a3 a4) { object: 0, count: 2, datatype: 3, status: 4 }
            122 MPI_File_write_ordered_begin PMPI_File_write_ordered_begin Io (a0 a1 a2 a3) { object: 0, count: 2, datatype: 3 }
            123 MPI_File_write_ordered_end PMPI_File_write_ordered_end Io (a0 a1 a2) { object: 0, status: 2 }
            124 MPI_File_write_shared PMPI_File_write_shared Io (a0 a1 a2 a3 a4) { object: 0, count: 2, datatype: 3, status: 4 }
            125 MPI_Finalize PMPI_Finalize Other () {  }
            126 MPI_Free_mem PMPI_Free_mem Other (a0) {  }
            127 MPI_Gather PMPI_Gather Collective (a0 a1 a2 a3 a4 a5 a6 a7) { count: 1, datatype: 2, receive_count: 4, receive_datatype: 5, root: 6, communicator: 7 }
            128 MPI_Gatherv PMPI_Gatherv Collective (a0 a1 a2 a3 a4 a5 a6 a7 a8) { count: 1, datatype: 2, receive_datatype: 6, root: 7, communicator: 8 }
            129 MPI_Get PMPI_Get OneSided (a0 a1 a2 a3 a4 a5 a6 a7) { count: 1, datatype: 2, target: 3, object: 7 }
            130 MPI_Get_accumulate PMPI_Get_accumulate OneSided (a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 a10 a11) { count: 1, datatype: 2, target: 6, object: 11 }
            131 MPI_Graph_create PMPI_Graph_create Other (a0 a1 a2 a3 a4 a5) { communicator: 0, made: 5 }
            132 MPI_Graph_get PMPI_Graph_get Other (a0 a1 a2 a3 a4) { communicator: 0 }
            133 MPI_Graph_map PMPI_Graph_map Other (a0 a1 a2 a3 a4) { communicator: 0 }
            134 MPI_Graph_neighbors PMPI_Graph_neighbors Other (a0 a1 a2 a3) { communicator: 0 }
            135 MPI_Graph_neighbors_count PMPI_Graph_neighbors_count Other (a0 a1 a2) { communicator: 0 }
            136 MPI_Graphdims_get PMPI_Graphdims_get Other (a0 a1 a2) { communicator: 0 }
            137 MPI_Grequest_complete PMPI_Grequest_complete Other (a0) { request: 0 }
            138 MPI_Grequest_start PMPI_Grequest_start Other (a0 a1 a2 a3 a4) { request: 4 }
            139 MPI_Group_compare PMPI_Group_compare Other (a0 a1 a2) {  }
            140 MPI_Group_difference PMPI_Group_difference Other (a0 a1 a2) {  }
            141 MPI_Group_excl PMPI_Group_excl Other (a0 a1 a2 a3) {  }
            142 MPI_Group_free PMPI_Group_free Other (a0) {  }
            143 MPI_Group_incl PMPI_Group_incl Other (a0 a1 a2 a3) {  }
            144 MPI_Group_intersection PMPI_Group_intersection Other (a0 a1 a2) {  }
            145 MPI_Group_range_excl PMPI_Group_range_excl Other (a0 a1 a2 a3) {  }
            146 MPI_Group_range_incl PMPI_Group_range_incl Other (a0 a1 a2 a3) {  }
            147 MPI_Group_rank PMPI_Group_rank Other (a0 a1) {  }
            148 MPI_Group_size PMPI_Group_size Other (a0 a1) {  }
            149 MPI_Group_translate_ranks PMPI_Group_translate_ranks Other (a0 a1 a2 a3 a4) {  }
            150 MPI_Group_union PMPI_Group_union Other (a0 a1 a2) {  }
            151 MPI_Iallgather PMPI_Iallgather Collective (a0 a1 a2 a3 a4 a5 a6 a7) { count: 1, datatype: 2, receive_count: 4, receive_datatype: 5, communicator: 6, request: 7 }
            152 MPI_Iallgatherv PMPI_Iallgatherv Collective (a0 a1 a2 a3 a4 a5 a6 a7 a8) { count: 1, datatype: 2, receive_datatype: 6, communicator: 7, request: 8 }
            153 MPI_Iallreduce PMPI_Iallreduce Collective (a0 a1 a2 a3 a4 a5 a6) { count: 2, datatype: 3, communicator: 5, request: 6 }
            154 MPI_Ialltoall PMPI_Ialltoall Collective (a0 a1 a2 a3 a4 a5 a6 a7) { count: 1, datatype: 2, receive_count: 4, receive_datatype: 5, communicator: 6, request: 7 }
            155 MPI_Ialltoallv PMPI_Ialltoallv Collective (a0 a1 a2 a3 a4 a5 a6 a7 a8 a9) { datatype: 3, receive_datatype: 7, communicator: 8, request: 9 }
            156 MPI_Ialltoallw PMPI_Ialltoallw Collective (a0 a1 a2 a3 a4 a5 a6 a7 a8 a9) { communicator: 8, request: 9 }
            157 MPI_Ibarrier PMPI_Ibarrier Collective (a0 a1) { communicator: 0, request: 1 }
            158 MPI_Ibcast PMPI_Ibcast Collective (a0 a1 a2 a3 a4 a5) { count: 1, datatype: 2, root: 3, communicator: 4, request: 5 }
            159 MPI_Ibsend PMPI_Ibsend PointToPoint (a0 a1 a2 a3 a4 a5 a6) { count: 1, datatype: 2, destination: 3, tag: 4, communicator: 5, request: 6 }
            160 MPI_Iexscan PMPI_Iexscan Collective (a0 a1 a2 a3 a4 a5 a6) { count: 2, datatype: 3, communicator: 5, request: 6 }
            161 MPI_Igather PMPI_Igather Collective (a0 a1 a2 a3 a4 a5 a6 a7 a8) { count: 1, datatype: 2, receive_count: 4, receive_datatype: 5, root: 6, communicator: 7, request: 8 }
            162 MPI_Igatherv PMPI_Igatherv Collective (a0 a1 a2 a3 a4 a5 a6 a7 a8 a9) { count: 1, datatype: 2, receive_datatype: 6, root: 7, communicator: 8, request: 9 }
            163 MPI_Improbe PMPI_Improbe PointToPoint (a0 a1 a2 a3 a4 a5) { source: 0, tag: 1, communicator: 2, flag: 3, status: 5 }
            164 MPI_Imrecv PMPI_Imrecv PointToPoint (a0 a1 a2 a3 a4) { count: 1, datatype: 2, request: 4 }
            165 MPI_Ineighbor_allgather PMPI_Ineighbor_allgather Collective (a0 a1 a2 a3 a4 a5 a6 a7) { count: 1, datatype: 2, receive_count: 4, receive_datatype: 5, communicator: 6, request: 7 }
            166 MPI_Ineighbor_allgatherv PMPI_Ineighbor_allgatherv Collective (a0 a1 a2 a3 a4 a5 a6 a7 a8) { count: 1, datatype: 2, receive_datatype: 6, communicator: 7, request: 8 }
            167 MPI_Ineighbor_alltoall PMPI_Ineighbor_alltoall Collective (a0 a1 a2 a3 a4 a5 a6 a7) { count: 1, datatype: 2, receive_count: 4, receive_datatype: 5, communicator: 6, request: 7 }
            168 MPI_Ineighbor_alltoallv PMPI_Ineighbor_alltoallv Collective (a0 a1 a2 a3 a4 a5 a6 a7 a8 a9) { datatype: 3, receive_datatype: 7, communicator: 8, request: 9 }
            169 MPI_Ineighbor_alltoallw PMPI_Ineighbor_alltoallw Collective (a0 a1 a2 a3 a4 a5 a6 a7 a8 a9) { communicator: 8, request: 9 }
            170 MPI_Info_create PMPI_Info_create Other (a0) {  }
            171 MPI_Info_delete PMPI_Info_delete Other (a0 a1) {  }
            172 MPI_Info_dup PMPI_Info_dup Other (a0 a1) {  }
            173 MPI_Info_free PMPI_Info_free Other (a0) {  }
            174 MPI_Info_get PMPI_Info_get Other (a0 a1 a2 a3 a4) { flag: 4 }
            175 MPI_Info_get_nkeys PMPI_Info_get_nkeys Other (a0 a1) {  }
            176 MPI_Info_get_nthkey PMPI_Info_get_nthkey Other (a0 a1 a2) {  }
            177 MPI_Info_get_valuelen PMPI_Info_get_valuelen Other (a0 a1 a2 a3) { flag: 3 }
            178 MPI_Info_set PMPI_Info_set Other (a0 a1 a2) {  }
            179 MPI_Init PMPI_Init Other (a0 a1) {  }
            180 MPI_Init_thread PMPI_Init_thread Other (a0 a1 a2 a3) {  }
            181 MPI_Intercomm_create PMPI_Intercomm_create Other (a0 a1 a2 a3 a4 a5) { communicator: 0, tag: 4, made: 5 }
            182 MPI_Intercomm_merge PMPI_Intercomm_merge Other (a0 a1 a2) { communicator: 0, made: 2 }
            183 MPI_Iprobe PMPI_Iprobe PointToPoint (a0 a1 a2 a3 a4) { source: 0, tag: 1, communicator: 2, flag: 3, status: 4 }
            184 MPI_Irecv PMPI_Irecv PointToPoint (a0 a1 a2 a3 a4 a5 a6) { count: 1, datatype: 2, source: 3, tag: 4, communicator: 5, request: 6 }
            185 MPI_Ireduce PMPI_Ireduce Collective (a0 a1 a2 a3 a4 a5 a6 a7) { count: 2, datatype: 3, root: 5, communicator: 6, request: 7 }
            186 MPI_Ireduce_scatter PMPI_Ireduce_scatter Collective (a0 a1 a2 a3 a4 a5 a6) { datatype: 3, communicator: 5, request: 6 }
            187 MPI_Ireduce_scatter_block PMPI_Ireduce_scatter_block Collective (a0 a1 a2 a3 a4 a5 a6) { receive_count: 2, datatype: 3, communicator: 5, request: 6 }
            188 MPI_Irsend PMPI_Irsend PointToPoint (a0 a1 a2 a3 a4 a5 a6) { count: 1, datatype: 2, destination: 3, tag: 4, communicator: 5, request: 6 }
            189 MPI_Iscan PMPI_Iscan Collective (a0 a1 a2 a3 a4 a5 a6) { count: 2, datatype: 3, communicator: 5, request: 6 }
            190 MPI_Iscatter PMPI_Iscatter Collective (a0 a1 a2 a3 a4 a5 a6 a7 a8) { count: 1, datatype: 2, receive_count: 4, receive_datatype: 5, root: 6, communicator: 7, request: 8 }
            191 MPI_Iscatterv PMPI_Iscatterv Collective (a0 a1 a2 a3 a4 a5 a6 a7 a8 a9) { datatype: 3, receive_count: 5, receive_datatype: 6, root: 7, communicator: 8, request: 9 }
            192 MPI_Isend PMPI_Isend PointToPoint (a0 a1 a2 a3 a4 a5 a6) { count: 1, datatype: 2, destination: 3, tag: 4, communicator: 5, request: 6 }
            193 MPI_Issend PMPI_Issend PointToPoint (a0 a1 a2 a3 a4 a5 a6) { count: 1, datatype: 2, destination: 3, tag: 4, communicator: 5, request: 6 }
            194 MPI_Keyval_create PMPI_Keyval_create Other (a0 a1 a2 a3) {  }
            195 MPI_Keyval_free PMPI_Keyval_free Other (a0) {  }
            196 MPI_Lookup_name PMPI_Lookup_name Other (a0 a1 a2) {  }
            197 MPI_Mprobe PMPI_Mprobe PointToPoint (a0 a1 a2 a3 a4) { source: 0, tag: 1, communicator: 2, status: 4 }
            198 MPI_Mrecv PMPI_Mrecv PointToPoint (a0 a1 a2 a3 a4) { count: 1, datatype: 2, status: 4 }
            199 MPI_Neighbor_allgather PMPI_Neighbor_allgather Collective (a0 a1 a2 a3 a4 a5 a6) { count: 1, datatype: 2, receive_count: 4, receive_datatype: 5, communicator: 6 }
            200 MPI_Neighbor_allgatherv PMPI_Neighbor_allgatherv Collective (a0 a1 a2 a3 a4 a5 a6 a7) { count: 1, datatype: 2, receive_datatype: 6, communicator: 7 }
            201 MPI_Neighbor_alltoall PMPI_Neighbor_alltoall Collective (a0 a1 a2 a3 a4 a5 a6) { count: 1, datatype: 2, receive_count: 4, receive_datatype: 5, communicator: 6 }
            202 MPI_Neighbor_alltoallv PMPI_Neighbor_alltoallv Collective (a0 a1 a2 a3 a4 a5 a6 a7 a8) { datatype: 3, receive_datatype: 7, communicator: 8 }
            203 MPI_Neighbor_alltoallw PMPI_Neighbor_alltoallw Collective (a0 a1 a2 a3 a4 a5 a6 a7 a8) { communicator: 8 }
            204 MPI_Op_commutative PMPI_Op_commutative Other (a0 a1) {  }
            205 MPI_Op_create PMPI_Op_create Other (a0 a1 a2) {  }
            206 MPI_Op_free PMPI_Op_free Other (a0) {  }
            207 MPI_Open_port PMPI_Open_port Other (a0 a1) {  }
            208 MPI_Pack PMPI_Pack Other (a0 a1 a2 a3 a4 a5 a6) { datatype: 2, communicator: 6 }
            209 MPI_Pack_external PMPI_Pack_external Other (a0 a1 a2 a3 a4 a5 a6) { datatype: 3 }
            210 MPI_Pack_external_size PMPI_Pack_external_size Other (a0 a1 a2 a3) { datatype: 2 }
            211 MPI_Pack_size PMPI_Pack_size Other (a0 a1 a2 a3) { datatype: 1, communicator: 2 }
            212 MPI_Pcontrol PMPI_Pcontrol Other (a0) {  }
            213 MPI_Probe PMPI_Probe PointToPoint (a0 a1 a2 a3) { source: 0, tag: 1, communicator: 2, status: 3 }
            214 MPI_Publish_name PMPI_Publish_name Other (a0 a1 a2) {  }
            215 MPI_Put PMPI_Put OneSided (a0 a1 a2 a3 a4 a5 a6 a7) { count: 1, datatype: 2, target: 3, object: 7 }
            216 MPI_Raccumulate PMPI_Raccumulate OneSided (a0 a1 a2 a3 a4 a5 a6 a7 a8 a9) { count: 1, datatype: 2, target: 3, object: 8, request: 9 }
            217 MPI_Recv PMPI_Recv PointToPoint (a0 a1 a2 a3 a4 a5 a6) { count: 1, datatype: 2, source: 3, tag: 4, communicator: 5, status: 6 }
            218 MPI_Recv_init PMPI_Recv_init PointToPoint (a0 a1 a2 a3 a4 a5 a6) { count: 1, datatype: 2, source: 3, tag: 4, communicator: 5, request: 6 }
            219 MPI_Reduce PMPI_Reduce Collective (a0 a1 a2 a3 a4 a5 a6) { count: 2, datatype: 3, root: 5, communicator: 6 }
            220 MPI_Reduce_local PMPI_Reduce_local Other (a0 a1 a2 a3 a4) { count: 2, datatype: 3 }
            221 MPI_Reduce_scatter PMPI_Reduce_scatter Collective (a0 a1 a2 a3 a4 a5) { datatype: 3, communicator: 5 }
            222 MPI_Reduce_scatter_block PMPI_Reduce_scatter_block Collective (a0 a1 a2 a3 a4 a5) { receive_count: 2, datatype: 3, communicator: 5 }
            223 MPI_Register_datarep PMPI_Register_datarep Other (a0 a1 a2 a3 a4) {  }
            224 MPI_Request_free PMPI_Request_free Other (a0) { request: 0 }
            225 MPI_Request_get_status PMPI_Request_get_status Wait (a0 a1 a2) { request: 0, flag: 1, status: 2 }
            226 MPI_Rget PMPI_Rget OneSided (a0 a1 a2 a3 a4 a5 a6 a7 a8) { count: 1, datatype: 2, target: 3, object: 7, request: 8 }
            227 MPI_Rget_accumulate PMPI_Rget_accumulate OneSided (a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 a10 a11 a12) { count: 1, datatype: 2, target: 6, object: 11, request: 12 }
            228 MPI_Rput PMPI_Rput OneSided (a0 a1 a2 a3 a4 a5 a6 a7 a8) { count: 1, datatype: 2, target: 3, object: 7, request: 8 }
            229 MPI_Rsend PMPI_Rsend PointToPoint (a0 a1 a2 a3 a4 a5) { count: 1, datatype: 2, destination: 3, tag: 4, communicator: 5 }
            230 MPI_Rsend_init PMPI_Rsend_init PointToPoint (a0 a1 a2 a3 a4 a5 a6) { count: 1, datatype: 2, destination: 3, tag: 4, communicator: 5, request: 6 }
            231 MPI_Scan PMPI_Scan Collective (a0 a1 a2 a3 a4 a5) { count: 2, datatype: 3, communicator: 5 }
            232 MPI_Scatter PMPI_Scatter Collective (a0 a1 a2 a3 a4 a5 a6 a7) { count: 1, datatype: 2, receive_count: 4, receive_datatype: 5, root: 6, communicator: 7 }
            233 MPI_Scatterv PMPI_Scatterv Collective (a0 a1 a2 a3 a4 a5 a6 a7 a8) { datatype: 3, receive_count: 5, receive_datatype: 6, root: 7, communicator: 8 }
            234 MPI_Send PMPI_Send PointToPoint (a0 a1 a2 a3 a4 a5) { count: 1, datatype: 2, destination: 3, tag: 4, communicator: 5 }
            235 MPI_Send_init PMPI_Send_init PointToPoint (a0 a1 a2 a3 a4 a5 a6) { count: 1, datatype: 2, destination: 3, tag: 4, communicator: 5, request: 6 }
            236 MPI_Sendrecv PMPI_Sendrecv PointToPoint (a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 a10 a11) { count: 1, datatype: 2, destination: 3, tag: 4, receive_count: 6, receive_datatype: 7, source: 8, receive_tag: 9, communicator: 10, status: 11 }
            237 MPI_Sendrecv_replace PMPI_Sendrecv_replace PointToPoint (a0 a1 a2 a3 a4 a5 a6 a7 a8) { count: 1, datatype: 2, destination: 3, tag: 4, source: 5, receive_tag: 6, communicator: 7, status: 8 }
            238 MPI_Ssend PMPI_Ssend PointToPoint (a0 a1 a2 a3 a4 a5) { count: 1, datatype: 2, destination: 3, tag: 4, communicator: 5 }
            239 MPI_Ssend_init PMPI_Ssend_init PointToPoint (a0 a1 a2 a3 a4 a5 a6) { count: 1, datatype: 2, destination: 3, tag: 4, communicator: 5, request: 6 }
            240 MPI_Start PMPI_Start PointToPoint (a0) { request: 0 }
            241 MPI_Startall PMPI_Startall PointToPoint (a0 a1) { count: 0, requests: 1 }
            242 MPI_Test PMPI_Test Wait (a0 a1 a2) { request: 0, flag: 1, status: 2 }
            243 MPI_Test_cancelled PMPI_Test_cancelled Other (a0 a1) { flag: 1 }
            244 MPI_Testall PMPI_Testall Wait (a0 a1 a2 a3) { count: 0, requests: 1, flag: 2 }
            245 MPI_Testany PMPI_Testany Wait (a0 a1 a2 a3 a4) { count: 0, requests: 1, flag: 3, status: 4 }
            246 MPI_Testsome PMPI_Testsome Wait (a0 a1 a2 a3 a4) { requests: 1, flag: 2 }
            247 MPI_Topo_test PMPI_Topo_test Other (a0 a1) { communicator: 0 }
            248 MPI_Type_commit PMPI_Type_commit Other (a0) { datatype: 0 }
            249 MPI_Type_contiguous PMPI_Type_contiguous Other (a0 a1 a2) { count: 0 }
            250 MPI_Type_create_darray PMPI_Type_create_darray Other (a0 a1 a2 a3 a4 a5 a6 a7 a8 a9) {  }
            251 MPI_Type_create_f90_complex PMPI_Type_create_f90_complex Other (a0 a1 a2) {  }
            252 MPI_Type_create_f90_integer PMPI_Type_create_f90_integer Other (a0 a1) {  }
            253 MPI_Type_create_f90_real PMPI_Type_create_f90_real Other (a0 a1 a2) {  }
            254 MPI_Type_create_hindexed PMPI_Type_create_hindexed Other (a0 a1 a2 a3 a4) { count: 0 }
            255 MPI_Type_create_hindexed_block PMPI_Type_create_hindexed_block Other (a0 a1 a2 a3 a4) { count: 0 }
            256 MPI_Type_create_hvector PMPI_Type_create_hvector Other (a0 a1 a2 a3 a4) { count: 0 }
            257 MPI_Type_create_indexed_block PMPI_Type_create_indexed_block Other (a0 a1 a2 a3 a4) { count: 0 }
            258 MPI_Type_create_keyval PMPI_Type_create_keyval Other (a0 a1 a2 a3) {  }
            259 MPI_Type_create_resized PMPI_Type_create_resized Other (a0 a1 a2 a3) {  }
            260 MPI_Type_create_struct PMPI_Type_create_struct Other (a0 a1 a2 a3 a4) { count: 0 }
            261 MPI_Type_create_subarray PMPI_Type_create_subarray Other (a0 a1 a2 a3 a4 a5 a6) {  }
            262 MPI_Type_delete_attr PMPI_Type_delete_attr Other (a0 a1) { datatype: 0 }
            263 MPI_Type_dup PMPI_Type_dup Other (a0 a1) {  }
            264 MPI_Type_free PMPI_Type_free Other (a0) { datatype: 0 }
            265 MPI_Type_free_keyval PMPI_Type_free_keyval Other (a0) {  }
            266 MPI_Type_get_attr PMPI_Type_get_attr Other (a0 a1 a2 a3) { datatype: 0, flag: 3 }
            267 MPI_Type_get_contents PMPI_Type_get_contents Other (a0 a1 a2 a3 a4 a5 a6) { datatype: 0 }
            268 MPI_Type_get_envelope PMPI_Type_get_envelope Other (a0 a1 a2 a3 a4) { datatype: 0 }
            269 MPI_Type_get_extent PMPI_Type_get_extent Other (a0 a1 a2) { datatype: 0 }
            270 MPI_Type_get_extent_x PMPI_Type_get_extent_x Other (a0 a1 a2) { datatype: 0 }
            271 MPI_Type_get_name PMPI_Type_get_name Other (a0 a1 a2) { datatype: 0 }
            272 MPI_Type_get_true_extent PMPI_Type_get_true_extent Other (a0 a1 a2) { datatype: 0 }
            273 MPI_Type_get_true_extent_x PMPI_Type_get_true_extent_x Other (a0 a1 a2) { datatype: 0 }
            274 MPI_Type_indexed PMPI_Type_indexed Other (a0 a1 a2 a3 a4) { count: 0 }
            275 MPI_Type_match_size PMPI_Type_match_size Other (a0 a1 a2) { datatype: 2 }
            276 MPI_Type_set_attr PMPI_Type_set_attr Other (a0 a1 a2) { datatype: 0 }
            277 MPI_Type_set_name PMPI_Type_set_name Other (a0 a1) { datatype: 0 }
            278 MPI_Type_vector PMPI_Type_vector Other (a0 a1 a2 a3 a4) { count: 0 }
            279 MPI_Unpack PMPI_Unpack Other (a0 a1 a2 a3 a4 a5 a6) { datatype: 5, communicator: 6 }
            280 MPI_Unpack_external PMPI_Unpack_external Other (a0 a1 a2 a3 a4 a5 a6) { datatype: 6 }
            281 MPI_Unpublish_name PMPI_Unpublish_name Other (a0 a1 a2) {  }
            282 MPI_Wait PMPI_Wait Wait (a0 a1) { request: 0, status: 1 }
            283 MPI_Waitall PMPI_Waitall Wait (a0 a1 a2) { count: 0, requests: 1 }
            284 MPI_Waitany PMPI_Waitany Wait (a0 a1 a2 a3) { count: 0, requests: 1, status: 3 }
            285 MPI_Waitsome PMPI_Waitsome Wait (a0 a1 a2 a3 a4) { requests: 1, flag: 2 }
            286 MPI_Win_allocate PMPI_Win_allocate OneSided (a0 a1 a2 a3 a4 a5) { communicator: 3, made_object: 5 }
            287 MPI_Win_allocate_shared PMPI_Win_allocate_shared OneSided (a0 a1 a2 a3 a4 a5) { communicator: 3, made_object: 5 }
            288 MPI_Win_attach PMPI_Win_attach OneSided (a0 a1 a2) { object: 0 }
            289 MPI_Win_complete PMPI_Win_complete OneSided (a0) { object: 0 }
            290 MPI_Win_create PMPI_Win_create OneSided (a0 a1 a2 a3 a4 a5) { communicator: 4, made_object: 5 }
            291 MPI_Win_create_dynamic PMPI_Win_create_dynamic OneSided (a0 a1 a2) { communicator: 1, made_object: 2 }
            292 MPI_Win_create_keyval PMPI_Win_create_keyval OneSided (a0 a1 a2 a3) {  }
            293 MPI_Win_delete_attr PMPI_Win_delete_attr OneSided (a0 a1) { object: 0 }
            294 MPI_Win_detach PMPI_Win_detach OneSided (a0 a1) { object: 0 }
            295 MPI_Win_fence PMPI_Win_fence OneSided (a0 a1) { object: 1 }
            296 MPI_Win_flush PMPI_Win_flush OneSided (a0 a1) { target: 0, object: 1 }
            297 MPI_Win_flush_all PMPI_Win_flush_all OneSided (a0) { object: 0 }
            298 MPI_Win_flush_local PMPI_Win_flush_local OneSided (a0 a1) { target: 0, object: 1 }
            299 MPI_Win_flush_local_all PMPI_Win_flush_local_all OneSided (a0) { object: 0 }
            300 MPI_Win_free PMPI_Win_free OneSided (a0) { freed_object: 0 }
            301 MPI_Win_free_keyval PMPI_Win_free_keyval OneSided (a0) {  }
            302 MPI_Win_get_attr PMPI_Win_get_attr OneSided (a0 a1 a2 a3) { object: 0, flag: 3 }
            303 MPI_Win_get_group PMPI_Win_get_group OneSided (a0 a1) { object: 0 }
            304 MPI_Win_get_info PMPI_Win_get_info OneSided (a0 a1) { object: 0 }
            305 MPI_Win_get_name PMPI_Win_get_name OneSided (a0 a1 a2) { object: 0 }
            306 MPI_Win_lock PMPI_Win_lock OneSided (a0 a1 a2 a3) { lock_type: 0, target: 1, object: 3 }
            307 MPI_Win_lock_all PMPI_Win_lock_all OneSided (a0 a1) { object: 1 }
            308 MPI_Win_post PMPI_Win_post OneSided (a0 a1 a2) { object: 2 }
            309 MPI_Win_set_attr PMPI_Win_set_attr OneSided (a0 a1 a2) { object: 0 }
            310 MPI_Win_set_info PMPI_Win_set_info OneSided (a0 a1) { object: 0 }
            311 MPI_Win_set_name PMPI_Win_set_name OneSided (a0 a1) { object: 0 }
            312 MPI_Win_shared_query PMPI_Win_shared_query OneSided (a0 a1 a2 a3 a4) { object: 0 }
            313 MPI_Win_start PMPI_Win_start OneSided (a0 a1 a2) { object: 2 }
            314 MPI_Win_sync PMPI_Win_sync OneSided (a0) { object: 0 }
            315 MPI_Win_test PMPI_Win_test OneSided (a0 a1) { object: 0, flag: 1 }
            316 MPI_Win_unlock PMPI_Win_unlock OneSided (a0 a1) { target: 0, object: 1 }
            317 MPI_Win_unlock_all PMPI_Win_unlock_all OneSided (a0) { object: 0 }
            318 MPI_Win_wait PMPI_Win_wait OneSided (a0) { object: 0 }
        }
    };
}
