! Built by flang: tasks, taskwait and taskgroup. (flang 16 cannot lower atomic inside a region.)
! run: threads=4
! build: compiler=flang-new-16
! expect: parallel_begin=1 task_create:explicit=11 mutex_acquired:critical=11
! expect: sync_region:taskwait.begin>=1 sync_region:taskgroup.begin=1
program flang_tasks
  implicit none
  integer :: i, done
  done = 0
  !$omp parallel shared(done)
  !$omp single
  do i = 1, 10
    !$omp task shared(done)
    !$omp critical
    done = done + 1
    !$omp end critical
    !$omp end task
  end do
  !$omp taskwait
  !$omp taskgroup
  !$omp task shared(done)
  !$omp critical
  done = done + 1
  !$omp end critical
  !$omp end task
  !$omp end taskgroup
  !$omp end single
  !$omp end parallel
  if (done /= 11) stop 1
  print '(a)', 'ok flang_tasks'
end program
