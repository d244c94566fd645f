//! Tests rate limits: requests counted by one gateway and by several, and the responses that
//! clients get.

mod service;

mod addresses;
mod map;
mod refusals;
mod reload;
mod rules;
mod shared;
mod responses;
