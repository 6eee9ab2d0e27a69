#!/bin/bash
#SBATCH --job-name=traced
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=2
#SBATCH --cpus-per-task=8
#SBATCH --time=00:10:00
#SBATCH --signal=TERM@60
#
# Traces an MPI+OpenMP program: sbatch traced.sh ./program arguments
# OMPTTRACE is the folder in which the library and the command lie.
set -eu
OMPTTRACE=${OMPTTRACE:-$HOME/ompttrace/lib}
RUNS=${SLURM_SUBMIT_DIR:-$PWD}/trace.${SLURM_JOB_ID:-0}
mkdir -p "$RUNS"

export OMP_NUM_THREADS=${SLURM_CPUS_PER_TASK:-1}
export OMP_PLACES=cores OMP_PROC_BIND=close

# One run folder for each rank; buffers that outlive the job; traces later.
export OMPTTRACE_OUTPUT="$RUNS/rank.%r"
export OMPTTRACE_BUFFER=16K@run
export OMPTTRACE_FORMAT=recording
export OMP_TOOL_LIBRARIES="$OMPTTRACE/libompttrace.so"

# The traces are made even when the program fails or is killed.
status=0
srun "$@" || status=$?
for run in "$RUNS"/rank.*; do "$OMPTTRACE/ompttrace" export "$run" || true; done
exit $status
