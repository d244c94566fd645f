//! The section `[session]`: the session values that rules use, and their types.

use std::collections::BTreeMap;
use std::ops::Range;

use sql::postgres::catalog::{Catalog, Oid, Type, TypeKind};

use crate::diagnostic::{Diagnostic, SourceFile, Span};
use crate::fault::Fault;
use crate::file::Text;
use crate::report::Report;
use crate::similar_names::closest;

/// The declared session values by name.
#[derive(Debug, Default)]
pub(crate) struct Session(BTreeMap<String, Declared>);

/// The declaration of a session value.
#[derive(Debug)]
pub(crate) struct Declared {
    /// The type; `None` if the declaration has a fault.
    r#type: Option<Oid>,
    /// The type as the file has it, and where.
    pub(crate) written: Text,
    /// Where the name is.
    pub(crate) name: Range<usize>,
}

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
            let valid = valid_name(&name.value);
            if valid != name.value {
                let reason = "session values have lower-case letters, digits and underscores";
                let help = (!valid.is_empty()).then(|| {
                    format!("write `{valid}`; headers and claims have it in their own spelling")
                });
                report.add_with(
                    Fault::Reserved {
                        name: name.value.clone(),
                        reason,
                    },
                    &name.span,
                    help,
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
            // A value with a fault in its name or type counts as declared, so that the rules that
            // use it are not reported, too.
            let declared = |r#type| Declared {
                r#type,
                written: written.clone(),
                name: name.span.clone(),
            };
            if valid != name.value {
                session.0.insert(name.value.clone(), declared(None));
                session.0.entry(valid).or_insert_with(|| declared(None));
            } else {
                session.0.insert(valid, declared(found));
            }
        }
        session
    }

    /// The type of a value: `None` if it is not declared, `Some(None)` if its declaration has a
    /// fault.
    pub(crate) fn find(&self, name: &str) -> Option<Option<Oid>> {
        self.0.get(name).map(|declared| declared.r#type)
    }

    /// The declaration of a value.
    pub(crate) fn declaration(&self, name: &str) -> Option<&Declared> {
        self.0.get(name)
    }

    /// The declared names.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}

/// The name in the letters that session values have: `user-id` becomes `user_id`, and so do
/// `userId` and `X-Hasura-User-Id`.
fn valid_name(name: &str) -> String {
    let mut valid = String::new();
    let mut follows_lower_case = false;
    for c in name.chars() {
        if c.is_ascii_uppercase() && follows_lower_case {
            valid.push('_');
        }
        follows_lower_case = c.is_ascii_lowercase() || c.is_ascii_digit();
        match c {
            '-' | ' ' | '.' => valid.push('_'),
            c if c.is_ascii_alphanumeric() || c == '_' => valid.push(c.to_ascii_lowercase()),
            _ => {}
        }
    }
    match valid.strip_prefix("x_hasura_") {
        Some(rest) if name != valid => rest.to_owned(),
        _ => valid,
    }
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

/// Reports each session value that is not declared once, with the number of places that read it;
/// at its declaration, if that has a similar name and nothing reads it.
pub(crate) fn one_per_name(
    problems: Vec<Diagnostic>,
    session: &Session,
    source: &SourceFile,
) -> Vec<Diagnostic> {
    let name_of = |problem: &Diagnostic| match problem.fault() {
        Fault::UnknownSession { name } => Some(name.clone()),
        _ => None,
    };
    let mut places: BTreeMap<String, Vec<Span>> = BTreeMap::new();
    for problem in &problems {
        if let Some(name) = name_of(problem) {
            places.entry(name).or_default().push(problem.span().clone());
        }
    }
    let mut reported = vec![];
    for problem in problems {
        let Some(name) = name_of(&problem) else {
            reported.push(problem);
            continue;
        };
        // The first place reports all of them.
        let Some(places) = places.remove(&name) else {
            continue;
        };
        let unread = session
            .0
            .iter()
            .filter(|(declared, _)| !source.text.contains(&format!("session.{declared}")));
        let unread: Vec<&str> = unread.map(|(declared, _)| declared.as_str()).collect();
        let misnamed = closest(&name, unread.iter().copied())
            .and_then(|declared| Some((declared, session.declaration(declared)?)));
        let by = match places.len() {
            1 => "a rule reads".to_owned(),
            count => format!("{count} rules read"),
        };
        reported.push(match (misnamed, places.len()) {
            (Some((declared, declaration)), _) => {
                let fault = Fault::MisnamedSession {
                    declared: declared.to_owned(),
                    name: name.clone(),
                    by,
                };
                Diagnostic::new(fault, source.span_of(declaration.name.clone()))
                    .help(format!(
                        "write `{name}`; line {} reads it",
                        places[0].line()
                    ))
                    .concerning(places)
            }
            (None, 1) => problem,
            (None, _) => {
                let help = problem.suggestion().unwrap_or_default();
                let help = format!("{help}; {by} it, the first in this line");
                problem.help(help).concerning(places)
            }
        });
    }
    reported
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
