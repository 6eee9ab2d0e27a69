! critical regions, a lock, a nestable lock and barriers.
! run: threads=4
! expect: mutex_acquired:critical=40 mutex_released:critical=40 lock_init=2 lock_destroy=2
program critical_locks
  use omp_lib
  implicit none
  integer(omp_lock_kind) :: lock
  integer(omp_nest_lock_kind) :: nest
  integer :: i, a, b, c
  a = 0
  b = 0
  c = 0
  call omp_init_lock(lock)
  call omp_init_nest_lock(nest)
  !$omp parallel private(i)
  do i = 1, 10
    !$omp critical (update)
    a = a + 1
    !$omp end critical (update)
    call omp_set_lock(lock)
    b = b + 1
    call omp_unset_lock(lock)
  end do
  !$omp barrier
  call omp_set_nest_lock(nest)
  call omp_set_nest_lock(nest)
  c = c + 1
  call omp_unset_nest_lock(nest)
  call omp_unset_nest_lock(nest)
  !$omp end parallel
  call omp_destroy_lock(lock)
  call omp_destroy_nest_lock(nest)
  if (a /= 40 .or. b /= 40 .or. c /= 4) stop 1
  print '(a)', 'ok critical_locks'
end program
