//! Rates: how often something may be asked for, by one gateway and by several, and what clients are told of it.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod rates {
    mod service;

    mod addresses;
    mod map;
    mod refusals;
    mod reload;
    mod rules;
    mod shared;
    mod told;
}
