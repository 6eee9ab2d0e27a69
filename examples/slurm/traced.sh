#!/bin/bash
#SBATCH --job-name=traced
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=2
#SBATCH --cpus-per-task=8
#SBATCH --time=00:10:00
#SBATCH --signal=TERM@60
#
# Traces an MPI+OpenMP program: sbatch traced.sh ./program arguments
# OMPTTRACE is where the tarball was unpacked: bin/ompttrace and lib/libompttrace.so lie below.
set -eu
OMPTTRACE=${OMPTTRACE:-$HOME/ompttrace}
RUNS=${SLURM_SUBMIT_DIR:-$PWD}/trace.${SLURM_JOB_ID:-0}
mkdir -p "$RUNS"

export OMP_NUM_THREADS=${SLURM_CPUS_PER_TASK:-1}
export OMP_PLACES=cores OMP_PROC_BIND=close

# One run folder for each rank; buffers that outlive the job; the trace afterwards.
export OMPTTRACE_OUTPUT="$RUNS/rank.%r"
export OMPTTRACE_BUFFER=16K@run
export OMPTTRACE_FORMAT=recording
export OMP_TOOL_LIBRARIES="$OMPTTRACE/lib/libompttrace.so"

# The trace is made even when the program fails or is killed.
status=0
srun "$@" || status=$?
"$OMPTTRACE/bin/ompttrace" merge "$RUNS"/rank.* --output "$RUNS/all.pftrace" || true
exit $status
