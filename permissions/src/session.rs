//! The section `[session]`: the session values that rules use, and their types.

use std::collections::BTreeMap;

use sql::postgres::catalog::{Catalog, Oid, Type, TypeKind};

use crate::fault::Fault;
use crate::file::Text;
use crate::report::Report;
use crate::similar_names::closest;

/// The declared session values by name; the type is `None` if its declaration has a fault.
#[derive(Debug, Default)]
pub(crate) struct Session(BTreeMap<String, Option<Oid>>);

/// Names that headers cannot set as session values, in any spelling, because the gateway has
/// another meaning for them.
pub const RESERVED_SESSION_VALUES: [&str; 6] = [
    "",
    "role",
    "admin_secret",
    "use_backend_only_permissions",
    "dry_run",
    "claims",
];

/// SQL's names of types, and Postgres' internal names.
const SPELLINGS: [(&str, &str); 17] = [
    ("int", "int4"),
    ("integer", "int4"),
    ("smallint", "int2"),
    ("bigint", "int8"),
    ("real", "float4"),
    ("float", "float8"),
    ("double precision", "float8"),
    ("boolean", "bool"),
    ("decimal", "numeric"),
    ("string", "text"),
    ("character varying", "varchar"),
    ("character", "bpchar"),
    ("char", "bpchar"),
    ("timestamp with time zone", "timestamptz"),
    ("timestamp without time zone", "timestamp"),
    ("time with time zone", "timetz"),
    ("time without time zone", "time"),
];

impl Session {
    /// The values that the file declares; reports faults of names and types.
    pub(crate) fn declared(
        catalog: &Catalog,
        entries: &[(Text, Text)],
        report: &mut Report<'_>,
    ) -> Session {
        let mut session = Session::default();
        for (name, written) in entries {
            if !is_session_name(&name.value) {
                let reason = "session values have lower-case letters, digits and underscores";
                report.add(
                    Fault::Reserved {
                        name: name.value.clone(),
                        reason,
                    },
                    &name.span,
                );
            }
            let found = find_type(catalog, &written.value);
            if found.is_none() {
                let help = suggestion(catalog, &written.value);
                report.add_with(
                    Fault::UnknownType {
                        name: written.value.clone(),
                    },
                    &written.span,
                    help,
                );
            }
            // A value with a fault in its type counts as declared, so that the rules that use it
            // are not reported, too.
            session.0.insert(name.value.clone(), found);
        }
        session
    }

    /// The type of a value: `None` if it is not declared, `Some(None)` if its declaration has a
    /// fault.
    pub(crate) fn find(&self, name: &str) -> Option<Option<Oid>> {
        self.0.get(name).copied()
    }

    /// The declared names.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}

fn is_session_name(name: &str) -> bool {
    name.bytes()
        .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
        && !name.is_empty()
}

/// Resolves a type name: SQL's or Postgres' spelling, `schema.name`, or a name along the search
/// path; `[]` for arrays.
pub(crate) fn find_type(catalog: &Catalog, written: &str) -> Option<Oid> {
    let words = written.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some(element) = words.strip_suffix("[]") {
        let element = find_type(catalog, element.trim_end())?;
        return catalog
            .types
            .iter()
            .find(|t| t.kind == TypeKind::Array(element))
            .map(|t| t.oid);
    }
    let folded = words.to_lowercase();
    let name = SPELLINGS
        .iter()
        .find(|(sql, _)| *sql == folded)
        .map_or(words.as_str(), |(_, name)| name);
    let in_schema = |schema: &str, name: &str| {
        let same = |t: &&Type| t.schema == schema && t.name == name;
        catalog.types.iter().find(same).map(|t| t.oid)
    };
    let builtin =
        in_schema("pg_catalog", name).or_else(|| in_schema("pg_catalog", &name.to_lowercase()));
    let along_path = || {
        catalog
            .search_path
            .iter()
            .find_map(|schema| in_schema(schema, name))
    };
    let qualified = || {
        words
            .split_once('.')
            .and_then(|(schema, name)| in_schema(schema, name))
    };
    builtin.or_else(along_path).or_else(qualified)
}

fn suggestion(catalog: &Catalog, written: &str) -> Option<String> {
    let (name, brackets) = written
        .strip_suffix("[]")
        .map_or((written, ""), |name| (name, "[]"));
    let declared = catalog
        .types
        .iter()
        .filter(|t| !t.name.starts_with('_'))
        .map(|t| t.name.as_str());
    let known = declared.chain(SPELLINGS.iter().map(|(sql, _)| *sql));
    closest(name, known).map(|close| format!("did you mean `{close}{brackets}`?"))
}
