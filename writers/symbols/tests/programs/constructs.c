#include <stdio.h>
#include <omp.h>
#include <stdlib.h>
int g; double a[1000]; omp_lock_t locks[3];
static inline void step(int n){
#pragma omp parallel for schedule(dynamic)
  for(int i=0;i<n;i++) {
    a[i]+=i;
  }
}
void crit(void){
#pragma omp parallel
  {
#pragma omp critical(update)
    g++;
#pragma omp critical
    g--;
#pragma omp barrier
#pragma omp single
    { g++; }
#pragma omp master
    { g+=2; }
#pragma omp for reduction(+:g)
    for(int i=0;i<10;i++) g+=i;
#pragma omp sections
    {
#pragma omp section
      g++;
#pragma omp section
      g--;
    }
  }
}
int fib(int n){
  int x,y;
  if(n<2) return n;
#pragma omp task shared(x)
  x=fib(n-1);
#pragma omp task shared(y)
  y=fib(n-2);
#pragma omp taskwait
  return x+y;
}
int main(int c,char**v){
  step(1000);
  crit();
#pragma omp parallel
#pragma omp single
  printf("%d\n",fib(5));
#pragma omp target map(tofrom:g)
  g+=c;
  for (int i=0;i<3;i++) omp_init_lock(&locks[i]);
  omp_set_lock(&locks[1]); omp_unset_lock(&locks[1]);
  return 0;
}
