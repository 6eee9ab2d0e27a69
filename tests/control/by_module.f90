! ompt_control from ompttrace.f90: two regions are recorded of five, with a tool.
! run: threads=2
program by_module
  use ompttrace
  implicit none
  integer :: threads
  threads = 0
  call region()
  call ompt_control(ompttrace_pause, 7)
  call region()
  call region()
  call ompt_control(ompttrace_start, 7)
  call region()
  call ompt_control(ompttrace_flush, 7)
  call ompt_control(77)
  call ompt_control(ompttrace_end, 7)
  call region()
  if (threads /= 10) error stop 1
  print '(a)', 'ok by_module'
contains
  subroutine region()
    !$omp parallel num_threads(2) reduction(+ : threads)
    threads = threads + 1
    !$omp end parallel
  end subroutine
end program
