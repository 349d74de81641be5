#!/bin/bash
# Grade a class as a Slurm array of eight tasks:  sbatch docs/examples/slurm.sh
# When all have ended:                            autograder merge results results-shards/*
#SBATCH --job-name=grade
#SBATCH --array=1-8
#SBATCH --cpus-per-task=4
#SBATCH --mem-per-cpu=1G
#SBATCH --time=00:30:00
set -euo pipefail

# A task that is requeued goes on where it was: what is in its folder is not graded again.
autograder grade submissions/ \
  --shard "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT" \
  --jobs "$SLURM_CPUS_PER_TASK" \
  --out "results-shards/$SLURM_ARRAY_TASK_ID"
