"""Answers questions about Parquet, one JSON object a line: {"sql": ...} by DuckDB, {"schema": FILE, "by": READER}."""
import json
import sys

import duckdb

connection = duckdb.connect()
connection.execute("SET threads = 2; SET memory_limit = '1GB'")


def by_sql(sql):
    result = connection.execute(sql)
    columns = [column[0] for column in result.description or []]
    return {"columns": columns, "rows": [list(row) for row in result.fetchall()] if columns else []}


def by_duckdb(file):
    rows = connection.execute("DESCRIBE SELECT * FROM read_parquet(?, hive_partitioning = false)", [file])
    return [[name, kind] for name, kind, *_ in rows.fetchall()]


def by_pyarrow(file):
    import pyarrow.parquet

    table = pyarrow.parquet.ParquetFile(file)
    table.read()
    return [[field.name, str(field.type)] for field in table.schema_arrow]


def by_polars(file):
    import polars

    frame = polars.read_parquet(file, hive_partitioning=False)
    return [[name, str(kind)] for name, kind in frame.schema.items()]


READERS = {"duckdb": by_duckdb, "pyarrow": by_pyarrow, "polars": by_polars}

for line in sys.stdin:
    request = json.loads(line)
    try:
        if "sql" in request:
            answer = by_sql(request["sql"])
        else:
            columns = READERS[request["by"]](request["schema"])
            answer = {"columns": ["name", "type"], "rows": columns}
    except Exception as error:
        answer = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(answer), flush=True)
