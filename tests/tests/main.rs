//! All tests but the golden cases, in one binary, so that a change is linked once. cargo-nextest
//! runs each test in a process of its own.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod absent_values;
mod accounts;
mod actions;
mod altered;
mod any_schema;
mod arbiters;
mod bank;
mod batches;
mod bench;
mod budget;
mod catalog;
mod changes;
mod cluster;
mod codegen;
mod commands;
mod concurrency;
mod console;
mod counts;
mod dashboard;
mod database_shapes;
mod database;
mod demo;
mod dependencies;
mod deploy;
mod docs;
mod encode;
mod enums;
mod evaluator;
mod events;
mod exchange;
mod federation;
mod granted;
mod hidden_rows;
mod hidden_writes;
mod http;
mod import;
mod imported_policies;
mod imports;
mod incidents;
mod inherited;
mod introspection;
mod judge;
mod levels;
mod mcp;
mod memberships;
mod mutation_judge;
mod mutation_rules;
mod named;
mod names;
mod operations;
mod packages;
mod pages;
mod passed_on;
mod pg_examples;
mod plan_cache;
mod plan_modes;
mod plans;
mod poolers;
mod profile;
mod purposes;
mod rates;
mod regular;
mod reload;
mod replicas;
mod required;
mod rest;
mod rolling;
mod row_by_row;
mod row_security;
mod rules;
mod sharding;
mod slow_clients;
mod spatial;
mod stream;
mod telemetry;
mod terminal;
mod timing;
mod tls;
mod transactions;
mod types;
mod unknown_outcomes;
mod updates;
mod upserts;
mod violations;
mod webhooks;
mod widgets;
mod wire;
mod words;
mod write_limits;
mod writing;
