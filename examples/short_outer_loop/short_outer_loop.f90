! Three fields with many points each, and the loop over the fields is the parallel one: three shares
! for however many threads. Cured: collapse(2) makes one long loop of both.
program short_outer_loop
  use omp_lib
  implicit none
  integer, parameter :: fields = 3, points = 4000, steps = 10
  real(8) :: values(points, fields), begin
  integer :: step, field, point

  values = 1d0
  begin = omp_get_wtime()
  do step = 1, steps
#ifdef CURED
    !$omp parallel do collapse(2) private(field, point)
#else
    !$omp parallel do private(field, point)
#endif
    do field = 1, fields
      do point = 1, points
        values(point, field) = settled(values(point, field), point)
      end do
    end do
    !$omp end parallel do
  end do
  print '(f0.6, ", ", i0, " ms")', values(points, fields), nint(1d3 * (omp_get_wtime() - begin))

contains

  pure real(8) function settled(value, point)
    real(8), intent(in) :: value
    integer, intent(in) :: point
    integer :: round
    settled = value
    do round = 1, 20
      settled = sqrt(abs(sin(settled + point))) + 1d0
    end do
  end function
end program
