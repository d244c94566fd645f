//! Tests of a gateway over databases of unusual shapes: large tables, composite types, tables that inherit, policies,
//! and literals that Postgres reads as the time.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod database_shapes {
    mod place;

    mod clock_literals;
    mod composites;
    mod expected_rows;
    mod inheritance;
    mod policies;
}
