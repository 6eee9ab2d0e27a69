-- Blame for idleness: while threads wait at barriers or have no team, those that work are why. Each
-- nanosecond of idleness is shared equally among the threads that work then, and charged to what
-- they do. Waiting for locks is charged to the locks' holders instead (`ompttrace.locks`).

INCLUDE PERFETTO MODULE ompttrace.threads;

-- How many threads work and how many are idle, between one change and the next. `share` is what
-- each working thread had been blamed for up to here, had it worked all the time.
CREATE OR REPLACE PERFETTO TABLE ompttrace_level AS
WITH
  change AS (
    SELECT upid, ts, sum(working) AS working, sum(idle) AS idle
    FROM (
      SELECT upid, ts, state IN ('work', 'serial') AS working, state IN ('wait', 'idle') AS idle
      FROM ompttrace_interval
      UNION ALL
      SELECT upid, end_ts, -(state IN ('work', 'serial')), -(state IN ('wait', 'idle'))
      FROM ompttrace_interval
    )
    GROUP BY upid, ts
  ),
  level AS (
    SELECT
      upid,
      ts,
      coalesce(lead(ts) OVER (PARTITION BY upid ORDER BY ts), ts) - ts AS dur,
      sum(working) OVER (PARTITION BY upid ORDER BY ts) AS working,
      sum(idle) OVER (PARTITION BY upid ORDER BY ts) AS idle
    FROM change
  )
SELECT
  upid,
  ts,
  dur,
  working,
  idle,
  coalesce(
    sum(iif(working > 0, 1.0 * dur * idle / working, 0.0)) OVER (
      PARTITION BY upid ORDER BY ts ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING),
    0.0) AS share
FROM level
ORDER BY upid, ts;

-- A line for each construct that worked while others were idle, the worst first. `(nobody works)` is
-- idleness with no one to blame, such as all threads at a barrier: the runtime's own time, or the
-- system's that let no thread run. The sum of `blamed_ns` is all idleness.
CREATE OR REPLACE PERFETTO TABLE ompttrace_idle_blame AS
SELECT
  c.upid,
  c.construct,
  cast(round(sum(e.share - b.share)) AS INTEGER) AS blamed_ns,
  sum(c.end_ts - c.ts) AS worked_ns
FROM ompttrace_interval AS c
JOIN ompttrace_level AS b ON b.upid = c.upid AND b.ts = c.ts
JOIN ompttrace_level AS e ON e.upid = c.upid AND e.ts = c.end_ts
WHERE c.state IN ('work', 'serial')
GROUP BY c.upid, c.construct
UNION ALL
SELECT upid, '(nobody works)', sum(dur * idle), 0
FROM ompttrace_level
WHERE working = 0 AND idle > 0
GROUP BY upid
ORDER BY blamed_ns DESC;
