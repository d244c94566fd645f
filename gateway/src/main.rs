//! The binary `postern`.

fn main() {}
