//! Tests of `[settings] reads = true` and `set_role` over every transport: policies of row-level
//! security see the caller in every kind of statement, and nothing of one caller reaches the next
//! request on the same connection. Tests of `[errors]` as well, because the same functions raise
//! them.

mod service;

mod policies;
mod raised_errors;
mod refusals;
mod set_role;
mod settings;
mod token_claims;
mod transports;
