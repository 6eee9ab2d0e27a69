// Every event but `dependences` and `control_tool`, once: included by forward.c to make the callbacks
// and again to make their table.
//
// kind is what tests compare finely: the thread's type, 1 league or 2 team of a parallel region, the
// low five bits of a task's flags, the status of a schedule, the construct of a cancel, else `kind`.

EVENT(thread_begin, ompt_callback_thread_begin_t, 0, type,
      ARGS(ompt_thread_t type, ompt_data_t *thread),
      ARGS(type, thread))

EVENT(thread_end, ompt_callback_thread_end_t, 0, 0,
      ARGS(ompt_data_t *thread),
      ARGS(thread))

EVENT(parallel_begin, ompt_callback_parallel_begin_t, 0, (unsigned)flags >> 30,
      ARGS(ompt_data_t *task, const ompt_frame_t *frame, ompt_data_t *parallel,
           unsigned requested, int flags, const void *codeptr),
      ARGS(task, frame, parallel, requested, flags, codeptr))

EVENT(parallel_end, ompt_callback_parallel_end_t, 0, (unsigned)flags >> 30,
      ARGS(ompt_data_t *parallel, ompt_data_t *task, int flags, const void *codeptr),
      ARGS(parallel, task, flags, codeptr))

EVENT(task_create, ompt_callback_task_create_t, 0, flags & 0x1f,
      ARGS(ompt_data_t *parent, const ompt_frame_t *frame, ompt_data_t *task, int flags,
           int has_dependences, const void *codeptr),
      ARGS(parent, frame, task, flags, has_dependences, codeptr))

EVENT(task_schedule, ompt_callback_task_schedule_t, 0, status,
      ARGS(ompt_data_t *prior, ompt_task_status_t status, ompt_data_t *next),
      ARGS(prior, status, next))

EVENT(implicit_task, ompt_callback_implicit_task_t, endpoint, flags & 0x1f,
      ARGS(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
           unsigned team, unsigned index, int flags),
      ARGS(endpoint, parallel, task, team, index, flags))

EVENT(sync_region, ompt_callback_sync_region_t, endpoint, kind,
      ARGS(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
           ompt_data_t *task, const void *codeptr),
      ARGS(kind, endpoint, parallel, task, codeptr))

EVENT(sync_region_wait, ompt_callback_sync_region_t, endpoint, kind,
      ARGS(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
           ompt_data_t *task, const void *codeptr),
      ARGS(kind, endpoint, parallel, task, codeptr))

EVENT(reduction, ompt_callback_sync_region_t, endpoint, kind,
      ARGS(ompt_sync_region_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
           ompt_data_t *task, const void *codeptr),
      ARGS(kind, endpoint, parallel, task, codeptr))

EVENT(work, ompt_callback_work_t, endpoint, kind,
      ARGS(ompt_work_t kind, ompt_scope_endpoint_t endpoint, ompt_data_t *parallel,
           ompt_data_t *task, uint64_t count, const void *codeptr),
      ARGS(kind, endpoint, parallel, task, count, codeptr))

EVENT(dispatch, ompt_callback_dispatch_t, 0, kind,
      ARGS(ompt_data_t *parallel, ompt_data_t *task, ompt_dispatch_t kind,
           ompt_data_t instance),
      ARGS(parallel, task, kind, instance))

EVENT(masked, ompt_callback_masked_t, endpoint, 0,
      ARGS(ompt_scope_endpoint_t endpoint, ompt_data_t *parallel, ompt_data_t *task,
           const void *codeptr),
      ARGS(endpoint, parallel, task, codeptr))

EVENT(task_dependence, ompt_callback_task_dependence_t, 0, 0,
      ARGS(ompt_data_t *source, ompt_data_t *sink),
      ARGS(source, sink))

EVENT(mutex_acquire, ompt_callback_mutex_acquire_t, 0, kind,
      ARGS(ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t wait_id,
           const void *codeptr),
      ARGS(kind, hint, impl, wait_id, codeptr))

EVENT(mutex_acquired, ompt_callback_mutex_t, 0, kind,
      ARGS(ompt_mutex_t kind, ompt_wait_id_t wait_id, const void *codeptr),
      ARGS(kind, wait_id, codeptr))

EVENT(mutex_released, ompt_callback_mutex_t, 0, kind,
      ARGS(ompt_mutex_t kind, ompt_wait_id_t wait_id, const void *codeptr),
      ARGS(kind, wait_id, codeptr))

EVENT(lock_init, ompt_callback_mutex_acquire_t, 0, kind,
      ARGS(ompt_mutex_t kind, unsigned hint, unsigned impl, ompt_wait_id_t wait_id,
           const void *codeptr),
      ARGS(kind, hint, impl, wait_id, codeptr))

EVENT(lock_destroy, ompt_callback_mutex_t, 0, kind,
      ARGS(ompt_mutex_t kind, ompt_wait_id_t wait_id, const void *codeptr),
      ARGS(kind, wait_id, codeptr))

EVENT(nest_lock, ompt_callback_nest_lock_t, endpoint, 0,
      ARGS(ompt_scope_endpoint_t endpoint, ompt_wait_id_t wait_id, const void *codeptr),
      ARGS(endpoint, wait_id, codeptr))

EVENT(flush, ompt_callback_flush_t, 0, 0,
      ARGS(ompt_data_t *thread, const void *codeptr),
      ARGS(thread, codeptr))

EVENT(cancel, ompt_callback_cancel_t, 0, flags & 0x0f,
      ARGS(ompt_data_t *task, int flags, const void *codeptr),
      ARGS(task, flags, codeptr))

EVENT(error, ompt_callback_error_t, 0, severity,
      ARGS(ompt_severity_t severity, const char *message, size_t length, const void *codeptr),
      ARGS(severity, message, length, codeptr))

EVENT(device_initialize, ompt_callback_device_initialize_t, 0, 0,
      ARGS(int device_num, const char *type, ompt_device_t *device,
           ompt_function_lookup_t lookup, const char *documentation),
      ARGS(device_num, type, device, lookup, documentation))

EVENT(device_finalize, ompt_callback_device_finalize_t, 0, 0,
      ARGS(int device_num),
      ARGS(device_num))

EVENT(device_load, ompt_callback_device_load_t, 0, 0,
      ARGS(int device_num, const char *filename, int64_t offset, void *vma, size_t bytes,
           void *host, void *device, uint64_t module),
      ARGS(device_num, filename, offset, vma, bytes, host, device, module))

EVENT(device_unload, ompt_callback_device_unload_t, 0, 0,
      ARGS(int device_num, uint64_t module),
      ARGS(device_num, module))

EVENT(target, ompt_callback_target_t, endpoint, kind,
      ARGS(ompt_target_t kind, ompt_scope_endpoint_t endpoint, int device_num,
           ompt_data_t *task, ompt_id_t target, const void *codeptr),
      ARGS(kind, endpoint, device_num, task, target, codeptr))

EVENT(target_emi, ompt_callback_target_emi_t, endpoint, kind,
      ARGS(ompt_target_t kind, ompt_scope_endpoint_t endpoint, int device_num,
           ompt_data_t *task, ompt_data_t *target_task, ompt_data_t *target,
           const void *codeptr),
      ARGS(kind, endpoint, device_num, task, target_task, target, codeptr))

EVENT(target_data_op, ompt_callback_target_data_op_t, 0, kind,
      ARGS(ompt_id_t target, ompt_id_t host_op, ompt_target_data_op_t kind, void *source,
           int source_device, void *dest, int dest_device, size_t bytes, const void *codeptr),
      ARGS(target, host_op, kind, source, source_device, dest, dest_device, bytes, codeptr))

EVENT(target_data_op_emi, ompt_callback_target_data_op_emi_t, endpoint, kind,
      ARGS(ompt_scope_endpoint_t endpoint, ompt_data_t *target_task, ompt_data_t *target,
           ompt_id_t *host_op, ompt_target_data_op_t kind, void *source, int source_device,
           void *dest, int dest_device, size_t bytes, const void *codeptr),
      ARGS(endpoint, target_task, target, host_op, kind, source, source_device, dest,
           dest_device, bytes, codeptr))

EVENT(target_submit, ompt_callback_target_submit_t, 0, 0,
      ARGS(ompt_id_t target, ompt_id_t host_op, unsigned requested_teams),
      ARGS(target, host_op, requested_teams))

EVENT(target_submit_emi, ompt_callback_target_submit_emi_t, endpoint, 0,
      ARGS(ompt_scope_endpoint_t endpoint, ompt_data_t *target, ompt_id_t *host_op,
           unsigned requested_teams),
      ARGS(endpoint, target, host_op, requested_teams))

EVENT(target_map, ompt_callback_target_map_t, 0, 0,
      ARGS(ompt_id_t target, unsigned items, void **host, void **device, size_t *bytes,
           unsigned *flags, const void *codeptr),
      ARGS(target, items, host, device, bytes, flags, codeptr))

EVENT(target_map_emi, ompt_callback_target_map_emi_t, 0, 0,
      ARGS(ompt_data_t *target, unsigned items, void **host, void **device, size_t *bytes,
           unsigned *flags, const void *codeptr),
      ARGS(target, items, host, device, bytes, flags, codeptr))
