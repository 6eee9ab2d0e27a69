-- The longest waits one by one, with when each began, counted from the begin of its run. Needs the table of intervals.
SELECT
    intervals.rank,
    intervals.thread,
    intervals.ts_ns - runs.begin_ns AS at_ns,
    intervals.dur_ns,
    intervals.state,
    sites.name,
    intervals.blocker_thread
FROM intervals
    JOIN runs ON runs.run = intervals.run AND runs.rank = intervals.rank
    JOIN sites ON sites.run = intervals.run AND sites.rank = intervals.rank AND sites.site = intervals.site
WHERE intervals.state LIKE 'wait%'
ORDER BY intervals.dur_ns DESC, at_ns, intervals.rank, intervals.thread
LIMIT 20
