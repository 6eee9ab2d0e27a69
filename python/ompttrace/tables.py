"""Tables of where time went (`ompttrace export --format parquet`), read with pyarrow, Polars or pandas where those are installed."""

from __future__ import annotations

import importlib
import tempfile
from pathlib import Path
from typing import Any, Dict, Iterator, List, Mapping, Tuple

from .command import Error, call


class Tables(Mapping[str, Any]):
    """The tables of a run, or of all ranks of a job, by name: `tables["rollup"]` is a pyarrow.Table.

    `polars(name)` and `pandas(name)` are the same table as data frames. `rank` is a column. The files lie in a temporary folder that is
    removed when the object is. Columns: writers/parquet/README.md of the project.
    """

    def __init__(self, runs: List[Path]) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="ompttrace-")
        self._files: Dict[str, List[Tuple[int, Path]]] = {}
        for number, run in enumerate(runs):
            dataset = self.folder / str(number)
            call("export", str(run), "--quiet", "--format=parquet", f"--output={dataset}")
            for file in sorted(dataset.glob("rank=*/*.parquet")):
                rank = int(file.parent.name[len("rank=") :])
                self._files.setdefault(file.stem, []).append((rank, file))

    @property
    def folder(self) -> Path:
        """The folder of the files: `GLOB = folder / "*"` is a dataset for DuckDB (viewer-configs/sql)."""
        return Path(self._folder.name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)

    def __getitem__(self, name: str) -> Any:
        files = self._files[name]
        pyarrow, parquet = _library("pyarrow"), _library("pyarrow.parquet")
        parts = []
        for rank, file in files:
            part = parquet.ParquetFile(file).read()
            parts.append(part.append_column("rank", pyarrow.array([rank] * len(part), pyarrow.int32())))
        return pyarrow.concat_tables(parts, promote_options="default")

    def polars(self, name: str) -> Any:
        """A table as polars.DataFrame."""
        files = self._files[name]
        polars = _library("polars")
        parts = []
        for rank, file in files:
            part = polars.read_parquet(file, hive_partitioning=False)
            parts.append(part.with_columns(polars.lit(rank, dtype=polars.Int32).alias("rank")))
        return polars.concat(parts)

    def pandas(self, name: str) -> Any:
        """A table as pandas.DataFrame."""
        _library("pandas")
        return self[name].to_pandas()

    def __repr__(self) -> str:
        return f"Tables({', '.join(self._files)})"


def _library(name: str) -> Any:
    """A library that only tables need."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        package = name.partition(".")[0]
        raise Error(f"tables need {package}, which is not installed here ({error}): pip install {package}") from error
