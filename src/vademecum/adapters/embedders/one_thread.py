"""Keep BLAS on one thread. Imports nothing, since the limit is only read while NumPy is imported for the first time.

Measured on two busy cores: two spinning threads made the 95th percentile of a query 25 times slower than one.
"""

from collections.abc import MutableMapping

VARIABLES = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


def limit(environ: MutableMapping[str, str]) -> None:
    """Ask every BLAS for one thread in `environ` (`os.environ`, before NumPy is imported); a person's own choice stays."""
    for variable in VARIABLES:
        environ.setdefault(variable, "1")
