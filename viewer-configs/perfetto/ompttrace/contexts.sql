-- Time by calling context, of traces with call stacks (`OMPTTRACE_CALLSTACK=regions`): a tree of
-- functions, regions and tasks, whichever threads carried them out. What a thread does for OpenMP's
-- sake is a frame of its own below them, `<OMP-idle>` for example, as in `ompttrace report`.

INCLUDE PERFETTO MODULE ompttrace.threads;

CREATE OR REPLACE PERFETTO INDEX ompttrace_slice_parent ON ompttrace_slice(parent_id);

-- The calling context of every slice: its own, or that of what it is in.
CREATE OR REPLACE PERFETTO TABLE ompttrace_slice_context AS
WITH RECURSIVE
  known(id, context) AS (
    SELECT id, extract_arg(arg_set_id, 'debug.context')
    FROM ompttrace_slice
    WHERE parent_id IS NULL
    UNION ALL
    SELECT s.id, coalesce(extract_arg(s.arg_set_id, 'debug.context'), k.context)
    FROM known AS k
    JOIN ompttrace_slice AS s ON s.parent_id = k.id
  )
SELECT id, context FROM known ORDER BY id;

-- A thread's life in intervals, each with its calling context: names with ` > ` in between, from the
-- process's on.
CREATE OR REPLACE PERFETTO TABLE ompttrace_context_interval AS
SELECT
  p.number,
  p.ts,
  p.dur,
  p.track_id,
  p.upid,
  p.state,
  coalesce(r.name, 'process') || coalesce(' > ' || c.context, '') || coalesce(' > ' || CASE
    WHEN p.state = 'idle' THEN '<OMP-idle>'
    WHEN n.what GLOB 'wait: critical*' THEN '<OMP-critical_section_wait>'
    WHEN n.what GLOB 'wait: ordered*' THEN '<OMP-ordered_section_wait>'
    WHEN n.what GLOB 'wait: atomic*' THEN '<OMP-atomic_section_wait>'
    WHEN p.state = 'lock' THEN '<OMP-lock_wait>'
    WHEN n.what = 'wait: barrier (explicit)' THEN '<OMP-explicit_barrier>'
    WHEN n.what = 'wait: barrier' THEN '<OMP-barrier>'
    WHEN n.what GLOB 'wait: barrier*' THEN '<OMP-implicit_barrier>'
    WHEN n.what IN ('wait: taskwait', 'wait: taskgroup') THEN '<OMP-' || substr(n.what, 7) || '>'
    WHEN p.state IN ('wait', 'tool') OR s.category = 'openmp.sync' OR n.what GLOB 'parallel*'
      THEN '<OMP-overhead>'
  END, '') AS context
FROM ompttrace_interval AS p
LEFT JOIN process AS r USING (upid)
LEFT JOIN slice AS s ON s.id = p.slice_id
LEFT JOIN ompttrace_named AS n ON n.name = s.name
LEFT JOIN ompttrace_slice_context AS c ON c.id = p.slice_id
ORDER BY p.number;

-- A line for each frame of each calling context, callers first. `total_ns` is the time of all threads
-- in it and in what it calls, `self_ns` its own; of the total `work_ns` is work, `idle_ns` idleness,
-- and `wait_ns` all else: waiting, and what OpenMP itself does.
CREATE OR REPLACE PERFETTO TABLE ompttrace_context AS
WITH RECURSIVE
  whole AS (
    SELECT
      upid,
      context,
      sum(dur) AS ns,
      sum(iif(context GLOB '*<OMP-*>', 0, dur)) AS work_ns,
      sum(iif(state = 'idle', dur, 0)) AS idle_ns
    FROM ompttrace_context_interval
    GROUP BY upid, context
  ),
  -- Where each frame's name begins and ends, by the separators behind.
  frame(upid, context, ns, work_ns, idle_ns, depth, first, last) AS (
    SELECT upid, context, ns, work_ns, idle_ns, 0, 1, instr(context || ' > ', ' > ') - 1
    FROM whole
    UNION ALL
    SELECT
      upid, context, ns, work_ns, idle_ns, depth + 1, last + 4,
      last + 3 + instr(substr(context, last + 4) || ' > ', ' > ') - 1
    FROM frame
    WHERE last < length(context)
  )
SELECT
  upid,
  substr(context, 1, last) AS context,
  depth,
  substr(context, first, last - first + 1) AS frame,
  sum(ns) AS total_ns,
  sum(iif(last = length(context), ns, 0)) AS self_ns,
  sum(work_ns) AS work_ns,
  sum(ns - work_ns - idle_ns) AS wait_ns,
  sum(idle_ns) AS idle_ns
FROM frame
GROUP BY upid, substr(context, 1, last)
ORDER BY upid, context;
