-- The tables of MPI as well, where ranks called it. After open.sql; then clocks.sql, messages.sql, collectives.sql and waits.sql,
-- once each.
CREATE OR REPLACE VIEW mpi_calls AS
SELECT * FROM read_parquet(getvariable('datasets') || '/rank=*/mpi_calls.parquet', hive_partitioning = true);
CREATE OR REPLACE VIEW mpi_messages AS
SELECT * FROM read_parquet(getvariable('datasets') || '/rank=*/mpi_messages.parquet', hive_partitioning = true);
CREATE OR REPLACE VIEW mpi_collectives AS
SELECT * FROM read_parquet(getvariable('datasets') || '/rank=*/mpi_collectives.parquet', hive_partitioning = true);
