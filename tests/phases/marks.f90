! Phases from the Fortran module ompttrace: nested, with iterations.
! run: threads=2
program marks
  use, intrinsic :: iso_c_binding, only: c_int64_t
  use ompttrace
  implicit none
  integer :: step, threads
  threads = 0
  call ompttrace_phase_begin('first')
  call ompttrace_phase_end()
  call region()
  call ompttrace_phase_begin('solve  ')
  do step = 1, 2
    call ompttrace_iteration(step)
    call region()
  end do
  call ompttrace_iteration(3000000000_c_int64_t)
  call ompttrace_phase_end()
  if (threads /= 6) error stop 1
  print '(a)', 'ok marks'
contains
  subroutine region()
    !$omp parallel num_threads(2) reduction(+ : threads)
    threads = threads + 1
    !$omp end parallel
  end subroutine
end program
