// Target constructs: there is no device but the host.
#include "inside.h"

#include <stdarg.h>
#include <stdlib.h>

void *ort_start_target_data(int variables, int device) {
  (void)variables, (void)device;
  counted(COUNT_data_regions);
  return NULL;
}

void ort_end_target_data(void *environment) { (void)environment; }

void ort_map_var_dev(void *variable, unsigned long bytes, void *low, int pointer, int device, int init) {
  (void)variable, (void)bytes, (void)low, (void)pointer, (void)device, (void)init;
  counted(COUNT_entered_data);
}

void ort_unmap_var_dev(void *variable, int device, int update, int remove) {
  (void)variable, (void)device, (void)update, (void)remove;
  counted(COUNT_left_data);
}

void ort_read_var_dev(void *variable, unsigned long bytes, void *low, int device) {
  (void)variable, (void)bytes, (void)low, (void)device;
  counted(COUNT_updates);
}

void ort_write_var_dev(void *variable, unsigned long bytes, void *low, int device) {
  (void)variable, (void)bytes, (void)low, (void)device;
  counted(COUNT_updates);
}

void ort_offload_kernel(outlined kernel, void *variables, void *declared, char *file, int device, ...) {
  (void)declared, (void)file, (void)device;
  va_list all;
  va_start(all, device);
  // What a jump must not lose: the last of them, behind what registers hold.
  void *last = NULL;
  for (int at = 0; at < 8; at++) last = va_arg(all, void *);
  va_end(all);
  if (last != variables) abort();
  ort_execute_kernel_on_host(kernel, variables);
}
