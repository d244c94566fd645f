//! Tests `postern init --from rls`: the file that it writes is served, and Postgres is the judge.
//! What a caller reads and writes through GraphQL has to be what the role of the database may read
//! and write under its policies.

mod judge;
mod random_database;

mod cases;
mod file;
mod random;
