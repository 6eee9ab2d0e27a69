! Call chains of Fortran as flang compiles it, each said where it is, without lines: flang 16 reports none.
! Nor does it make unwind tables for optimised code. Callers say who they are by a number, because it
! cannot pass text into a region.
! run: threads=2
! build: compiler=flang-new-16 flags=-O0
module steps
  implicit none
  integer :: caller
contains
  subroutine solve()
    !$omp parallel num_threads(2)
    call say_solve()
    !$omp end parallel
    call nothing()
  end subroutine solve

  subroutine first()
    call solve()
    call nothing()
  end subroutine first

  recursive subroutine deeper(depth)
    integer, intent(in) :: depth
    if (depth > 0) then
      call deeper(depth - 1)
    else
      call solve()
    end if
    call nothing()
  end subroutine deeper

  subroutine spawn()
    !$omp task
    call say_task()
    !$omp end task
    call nothing()
  end subroutine spawn

  subroutine tasks()
    !$omp parallel num_threads(2)
    call say_tasks()
    !$omp single
    call spawn()
    !$omp end single
    !$omp end parallel
    call nothing()
  end subroutine tasks

  subroutine say_solve()
    if (caller == 1) call say('program > steps::first > steps::solve > parallel')
    if (caller == 2) then
      call say('program > steps::deeper > steps::deeper > steps::deeper > steps::solve > parallel')
    end if
  end subroutine say_solve

  subroutine say_tasks()
    call say('program > steps::tasks > parallel')
  end subroutine say_tasks

  subroutine say_task()
    call say('program > steps::tasks > parallel > steps::spawn > task')
  end subroutine say_task

  subroutine say(text)
    character(len=*), intent(in) :: text
    !$omp critical
    print '(a)', 'context: ' // text
    !$omp end critical
  end subroutine say

  subroutine nothing()
    caller = caller + 1 - 1
  end subroutine nothing
end module steps

program chains_flang
  use steps
  implicit none
  caller = 1
  call first()
  caller = 2
  call deeper(2)
  call tasks()
  print '(a)', 'ok chains_flang'
end program chains_flang
