//! Tests of a gateway over databases of unusual shapes: large tables, composite types, tables that
//! inherit, policies, and literals that Postgres reads as the time.

mod place;

mod clock_literals;
mod composites;
mod expected_rows;
mod functions;
mod inheritance;
mod policies;
