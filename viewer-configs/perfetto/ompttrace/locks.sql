-- Lock contention: which thread waited for a lock, and which location held it meanwhile.

INCLUDE PERFETTO MODULE ompttrace.threads;

-- Every hold of a lock, in the order of time for each lock. `location` is where it was taken.
CREATE OR REPLACE PERFETTO TABLE ompttrace_hold AS
SELECT
  row_number() OVER (ORDER BY t.upid, t.name, s.ts, s.id) AS number,
  s.id,
  s.ts,
  s.dur,
  s.ts + s.dur AS end_ts,
  t.upid,
  t.name AS lock,
  t.upid || ' ' || t.name AS lock_key,
  ompttrace_location(s.arg_set_id) AS location,
  extract_arg(s.arg_set_id, 'debug.thread') AS thread
FROM slice AS s
JOIN process_track AS t ON t.id = s.track_id
JOIN track AS p ON p.id = t.parent_id
WHERE p.name = 'Locks'
ORDER BY t.upid, t.name, s.ts, s.id;

-- Which lock a wait is for, by its name. A critical section without a name is called by where it stands, which a slice
-- says once, in front.
CREATE OR REPLACE PERFETTO TABLE ompttrace_waited_for AS
SELECT
  name,
  substr(what, length('wait: ') + 1)
    || iif(what = 'wait: critical', ' ' || substr(name, 1, length(name) - length(what) - 1), '') AS lock
FROM ompttrace_named
WHERE what GLOB 'wait: *'
ORDER BY name;

-- Every wait for a lock.
CREATE OR REPLACE PERFETTO TABLE ompttrace_lock_wait AS
SELECT
  s.id,
  s.ts,
  s.dur,
  s.end_ts,
  s.upid,
  s.track_id,
  l.lock,
  s.upid || ' ' || l.lock AS lock_key,
  ompttrace_location(s.arg_set_id) AS location,
  t.name AS thread
FROM ompttrace_slice AS s
JOIN ompttrace_waited_for AS l USING (name)
JOIN ompttrace_thread AS t USING (track_id)
WHERE s.state = 'lock'
ORDER BY s.id;

-- Each wait against each hold by another thread that overlaps it: `ns` of the wait are the holder's.
CREATE OR REPLACE PERFETTO TABLE ompttrace_lock_blame AS
WITH
  holds AS (SELECT lock_key AS key, ts AS at, number FROM ompttrace_hold),
  first_hold AS (
    SELECT * FROM ompttrace_last_before!(holds,
      (SELECT lock_key AS key, ts AS at, id FROM ompttrace_lock_wait))
  ),
  last_hold AS (
    SELECT * FROM ompttrace_last_before!(holds,
      (SELECT lock_key AS key, end_ts AS at, id FROM ompttrace_lock_wait))
  ),
  first_of_lock AS (SELECT lock_key, min(number) AS number FROM ompttrace_hold GROUP BY lock_key)
SELECT
  w.id AS wait_id,
  h.id AS hold_id,
  w.upid,
  w.lock,
  w.thread AS waiter,
  w.location AS waits_at,
  h.thread AS holder,
  h.location AS held_at,
  min(h.end_ts, w.end_ts) - max(h.ts, w.ts) AS ns
FROM last_hold AS l
-- CROSS JOIN keeps the order: look-ups by number, never a scan of all holds.
CROSS JOIN ompttrace_lock_wait AS w USING (id)
JOIN first_of_lock AS o USING (lock_key)
LEFT JOIN first_hold AS f USING (id)
CROSS JOIN ompttrace_hold AS h ON h.number BETWEEN coalesce(f.number, o.number) AND l.number
WHERE h.thread != w.thread AND min(h.end_ts, w.end_ts) > max(h.ts, w.ts);

-- A line for each lock, the most waiting first. Waits that no hold explains (`unexplained_ns`) are
-- the runtime's own: waking up, handing over.
CREATE OR REPLACE PERFETTO TABLE ompttrace_lock AS
WITH
  held AS (
    SELECT upid, lock, count() AS holds, sum(dur) AS held_ns, max(dur) AS longest_ns
    FROM ompttrace_hold
    GROUP BY upid, lock
  ),
  waited AS (
    SELECT upid, lock, count() AS waits, sum(dur) AS wait_ns
    FROM ompttrace_lock_wait
    GROUP BY upid, lock
  ),
  blamed AS (SELECT upid, lock, sum(ns) AS ns FROM ompttrace_lock_blame GROUP BY upid, lock)
SELECT
  upid,
  lock,
  h.holds,
  h.held_ns,
  h.longest_ns,
  coalesce(w.waits, 0) AS waits,
  coalesce(w.wait_ns, 0) AS wait_ns,
  coalesce(w.wait_ns, 0) - coalesce(b.ns, 0) AS unexplained_ns
FROM held AS h
LEFT JOIN waited AS w USING (upid, lock)
LEFT JOIN blamed AS b USING (upid, lock)
ORDER BY wait_ns DESC;

-- A line for each location that let others wait, the worst first.
CREATE OR REPLACE PERFETTO TABLE ompttrace_lock_holder AS
SELECT upid, lock, held_at, count(DISTINCT hold_id) AS holds, count(DISTINCT wait_id) AS waits,
  sum(ns) AS blamed_ns
FROM ompttrace_lock_blame
GROUP BY upid, lock, held_at
ORDER BY blamed_ns DESC;
