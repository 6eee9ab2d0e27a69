-- What devices did, by rank, device and target construct: time in kernels and in copies, and the rate of these. Without a
-- construct: what no target construct caused, as migrations of unified memory and its page faults, in groups. Needs the table of devices.
SELECT
    rank,
    device,
    construct,
    SUM(CASE WHEN kind = 'kernel' THEN 1 ELSE 0 END) AS kernels,
    SUM(CASE WHEN kind = 'kernel' THEN dur_ns ELSE 0 END) AS kernel_ns,
    SUM(CASE WHEN kind = 'copy' THEN 1 ELSE 0 END) AS copies,
    SUM(CASE WHEN kind = 'copy' THEN dur_ns ELSE 0 END) AS copy_ns,
    SUM(CASE WHEN kind = 'copy' THEN bytes ELSE 0 END) AS copied_bytes,
    CAST(SUM(CASE WHEN kind = 'copy' THEN bytes ELSE 0 END) AS DOUBLE)
        / NULLIF(SUM(CASE WHEN kind = 'copy' THEN dur_ns ELSE 0 END), 0) AS bytes_per_ns,
    CAST(SUM(CASE WHEN kind = 'migration' THEN bytes ELSE 0 END) AS BIGINT) AS migrated_bytes,
    SUM(CASE WHEN kind = 'migration' THEN dur_ns ELSE 0 END) AS migration_ns,
    CAST(SUM(CASE WHEN kind = 'page fault' THEN count ELSE 0 END) AS BIGINT) AS page_faults
FROM device_activity
GROUP BY rank, device, construct
ORDER BY kernel_ns + copy_ns DESC, rank, device
