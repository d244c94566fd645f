//! The parts of the memory budget that may be exhausted.

/// A part of the memory that may be exhausted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryLimit {
    /// The whole budget.
    All,
    /// The part of WebSockets and event streams.
    Open,
    /// The share of the caller's role.
    Role,
    /// The share of the caller.
    User,
    /// The share of the caller's address.
    Address,
}

impl MemoryLimit {
    /// Its name in one word, such as for the label of a metric.
    pub fn label(self) -> &'static str {
        match self {
            MemoryLimit::All => "memory",
            MemoryLimit::Open => "open",
            MemoryLimit::Role => "role",
            MemoryLimit::User => "user",
            MemoryLimit::Address => "address",
        }
    }

    /// What the log says of a request that was refused because of it.
    pub fn reason(self) -> &'static str {
        match self {
            MemoryLimit::All => "memory limit",
            MemoryLimit::Open => "memory of open WebSockets and event streams",
            MemoryLimit::Role => "the role's share of the memory",
            MemoryLimit::User => "the user's share of the memory",
            MemoryLimit::Address => "the address's share of the memory",
        }
    }
}

impl std::fmt::Display for MemoryLimit {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            MemoryLimit::All => "the memory of requests",
            other => other.reason(),
        })
    }
}
