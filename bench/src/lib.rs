//! Benchmarks, in `benches`: what translation costs, and reading the catalog. Documents and permissions are the demo's.
