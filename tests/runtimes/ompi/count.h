// What happened, counted where it happens, into the file that ORT_COUNTS names: a shared mapping, so that a killed
// process has counted as well, and forked ones count together. tests/ompi/counted.rs has the same names.
#pragma once

#define COUNTED(X)                                                                                            \
  X(regions) X(implicit_tasks) X(leagues) X(teams) X(tasks) X(tasks_at_once) X(tasks_in_place) X(tasks_run)    \
  X(dependent) X(dependences) X(nodes) X(taskwaits) X(taskgroups) X(barriers) X(ends) X(fences)                \
  X(loops) X(doacross) X(static_shares) X(dynamic_chunks) X(guided_chunks) X(runtime_chunks) X(asked_again)  \
  X(loops_left) X(sinks) X(sources) X(section_regions) X(sections) X(singles) X(singles_of_others)             \
  X(critical) X(atomic) X(ordered) X(reductions) X(cancels) X(cancelled)                                       \
  X(locks_made) X(locks_gone) X(locks_set) X(locks_tried) X(locks_got) X(locks_unset)                          \
  X(nest_locks_set) X(nest_locks_again) X(nest_locks_unset)                                                    \
  X(kernels) X(data_regions) X(entered_data) X(left_data) X(updates)                                            \
  X(created) X(entities) X(library_barriers) X(library_taskwaits) X(library_ends)

#define NAME(name) COUNT_##name,
enum { COUNTED(NAME) COUNTS };

void count_in_file(void);
void counted(int what);
