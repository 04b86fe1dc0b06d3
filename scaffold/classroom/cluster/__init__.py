"""Class grading on many machines. `cluster.md`, beside this folder, tells an instructor how to set them up.

`ClusterPool` sends submissions to the workers of a Dask cluster, and takes the place of `LocalPool`. `Crew` follows the
workers as they come and go, and `Schedule` says who grades what next; it knows nothing of Dask. `on_worker` is what
runs over there, from the same course, which is installed there too.
"""
