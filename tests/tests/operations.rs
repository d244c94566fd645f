//! Tests trusted documents over HTTP: digests in place of documents, persisted documents, allow
//! lists and recording them, and `postern check` of them.

mod place;

mod automatic;
mod check;
mod learned;
mod lists;
mod persisted;
