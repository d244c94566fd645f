//! The seven works that peers are compared by, and some hundred requests of each, as the bytes that
//! a peer receives. Tables, rows, permissions, documents and the hand-written statements are in
//! `bench/work`.

mod asked;
mod data;
mod tokens;

use loadgen::PreparedRequest;

pub use asked::{Asked, asked};
pub use data::Data;
pub(crate) use data::subject;
pub use tokens::{SECRET, Tokens};

use crate::peers::{Error, Peer};

/// The tables, without rows.
pub const SCHEMA: &str = include_str!("../work/schema.sql");

/// The rows. [`Data::script`] determines their number.
pub(crate) const ROWS: &str = include_str!("../work/data.sql");

/// The path of the permissions, from the root of the repository.
pub const PERMISSIONS: &str = "bench/work/permissions.toml";

/// The path of the permissions with which a policy limits the role `user`.
pub const POLICIES: &str = "bench/work/policies.toml";

/// A request that all peers are compared by.
#[derive(Clone, Copy, Debug)]
pub struct Work {
    /// Its name in files, tables and JSON.
    pub name: &'static str,
    /// Its title for people.
    pub title: &'static str,
    /// The response key of its only root field.
    pub field: &'static str,
    /// Postern's document.
    pub document: &'static str,
    /// The hand-written statement: it returns one row with one column of JSON, or no row for null.
    pub statement: &'static str,
    /// The names of `$1`, `$2` … of the statement, which are also the names of the document's
    /// variables.
    pub parameters: &'static [&'static str],
    /// PostGraphile's document.
    pub postgraphile: &'static str,
}

macro_rules! work {
    ($name:literal, $title:literal, $field:literal, $parameters:expr) => {
        Work {
            name: $name,
            title: $title,
            field: $field,
            document: include_str!(concat!("../work/", $name, ".graphql")),
            statement: include_str!(concat!("../work/", $name, ".sql")),
            parameters: $parameters,
            postgraphile: include_str!(concat!("../postgraphile/", $name, ".graphql")),
        }
    };
}

static ALL: [Work; 7] = [
    work!(
        "by_key",
        "by primary key, 5 columns",
        "subjects_by_pk",
        &["id"]
    ),
    work!(
        "page",
        "20 rows: filter, order, limit",
        "subjects",
        &["controller", "without"]
    ),
    work!(
        "three_levels",
        "three levels",
        "subjects",
        &["controller", "before"]
    ),
    work!(
        "relation_filter",
        "relation filter and nested count",
        "subjects",
        &["controller", "kind", "status"]
    ),
    work!(
        "row_rule",
        "row rule, 50 rows with parent",
        "subjects",
        &["user"]
    ),
    work!("ten_thousand", "10,000 flat rows", "subjects", &["before"]),
    work!(
        "insert_one",
        "insert one row",
        "insert_notes_one",
        &["subject_id", "title", "body"]
    ),
];

/// The works, from the smallest response to the largest, then the one that writes.
pub fn all() -> &'static [Work] {
    &ALL
}

/// The work with this name.
pub fn named(name: &str) -> Option<&'static Work> {
    ALL.iter().find(|work| work.name == name)
}

/// The work that stands for reports: the longest answers.
pub fn report() -> &'static Work {
    let [.., ten_thousand, _insert] = &ALL;
    ten_thousand
}

impl Work {
    /// Whether it writes rows, so that the response to a repeated request differs.
    pub fn writes(&self) -> bool {
        self.name == "insert_one"
    }
}

/// How many distinct requests each work has.
pub const REQUESTS_PER_WORK: usize = 500;

/// The requests of a work as a peer receives them; equal seeds give equal requests, in an equal
/// order for every peer. pgbench has none: [`crate::peers::pgbench`] passes the values to it.
pub fn calls(
    work: &Work,
    peer: Peer,
    data: Data,
    tokens: &Tokens,
    seed: u64,
) -> Result<Vec<PreparedRequest>, Error> {
    let asked = asked(work, data, seed, REQUESTS_PER_WORK);
    asked
        .iter()
        .filter_map(|asked| peer.call(work, asked, tokens).transpose())
        .collect()
}
