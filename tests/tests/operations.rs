//! Which operations may be asked, over HTTP: digests in place of documents, documents that are known beforehand, allow lists and
//! how they are learned, and what `postern check` says of them.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod operations {
    mod place;

    mod automatic;
    mod check;
    mod learned;
    mod lists;
    mod persisted;
}
