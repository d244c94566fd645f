//! Collects the session values that rules use, and infers one declared type for each. Also numbers
//! the constant conditions, which become named rules.

use std::collections::{BTreeMap, BTreeSet};

use sql::postgres::catalog::{Catalog, Oid, Type, TypeKind};

use crate::names;

/// The type that a rule needs a session value to have: a type of the catalog, or an array of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct SessionType {
    pub(crate) of: Oid,
    pub(crate) array: bool,
}

/// The OID of `text`, equal in every database.
pub(crate) const TEXT: Oid = 25;

/// `int2`, `int4`, `int8`, from narrow to wide.
const INTEGERS: [Oid; 3] = [21, 23, 20];

impl SessionType {
    /// `text`.
    pub(crate) const TEXT: SessionType = SessionType {
        of: TEXT,
        array: false,
    };
    /// `text[]`.
    pub(crate) const TEXTS: SessionType = SessionType {
        of: TEXT,
        array: true,
    };

    /// The type of a session value that is compared with a value of this type: a domain's base
    /// type, and `text` for `varchar`.
    pub(crate) fn beside(catalog: &Catalog, oid: Oid) -> SessionType {
        match catalog.base_type(oid) {
            Some(Type {
                kind: TypeKind::Array(element),
                ..
            }) => SessionType {
                of: catalog
                    .base_type(*element)
                    .map_or(*element, |element| element.oid),
                array: true,
            },
            Some(found) if found.schema == "pg_catalog" && found.name == "varchar" => {
                SessionType::TEXT
            }
            Some(found) => SessionType {
                of: found.oid,
                array: false,
            },
            None => SessionType::TEXT,
        }
    }
}

/// The session values and constant conditions of all rules.
#[derive(Debug, Default)]
pub(crate) struct Session {
    wanted: BTreeMap<String, BTreeSet<SessionType>>,
    settled: BTreeMap<String, ChosenType>,
    /// Conditions that hold for all rows or for none, as SQL.
    constants: BTreeSet<String>,
}

#[derive(Debug)]
struct ChosenType {
    declared: String,
    /// The casts for rules that need another type.
    casts: BTreeMap<SessionType, String>,
}

/// Converts the name of a session variable: `X-Hasura-User-Id` is `user_id`.
pub(crate) fn name(text: &str) -> Option<String> {
    let lower = text.to_ascii_lowercase();
    let name = lower.strip_prefix("x-hasura-")?.replace('-', "_");
    let plain = name
        .bytes()
        .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
    (plain && !name.is_empty()).then_some(name)
}

impl Session {
    /// Records that a rule needs a session value of a type.
    pub(crate) fn want(&mut self, name: &str, wanted: SessionType) {
        self.wanted
            .entry(name.to_owned())
            .or_default()
            .insert(wanted);
    }

    /// Records a constant condition, and those nested in it.
    pub(crate) fn constant(&mut self, sql: &str) {
        for (inner, marked) in parts(sql) {
            if marked {
                self.constant(inner);
            }
        }
        self.constants.insert(sql.to_owned());
    }

    /// The named rules of the constant conditions: names and SQL, in which nested conditions are
    /// calls.
    pub(crate) fn constants(&self) -> impl Iterator<Item = (String, String)> {
        let written = |sql: &str| -> String {
            parts(sql)
                .map(|(part, marked)| {
                    if marked {
                        self.call(part)
                    } else {
                        part.to_owned()
                    }
                })
                .collect()
        };
        self.constants
            .iter()
            .zip(1..)
            .map(move |(sql, number)| (constant_name(number), written(sql)))
    }

    /// Writes the call of a constant condition's named rule.
    pub(crate) fn call(&self, sql: &str) -> String {
        let number = self
            .constants
            .iter()
            .position(|constant| constant == sql)
            .map_or(0, |index| index + 1);
        format!("{}()", constant_name(number))
    }

    /// Chooses the declared type of each value: the only type that rules need, the widest of
    /// several integers, else text, which rules cast.
    pub(crate) fn settle(&mut self, catalog: &Catalog) {
        for (name, wanted) in &self.wanted {
            let found = common(wanted).filter(|wanted| declarable(catalog, *wanted));
            let array = wanted.iter().all(|wanted| wanted.array);
            let r#type = found.unwrap_or(SessionType { of: TEXT, array });
            let differs = |other: &&SessionType| !fits(**other, r#type);
            let cast = |other: &SessionType| (*other, format!("::{}", written(catalog, *other)));
            let casts = wanted.iter().filter(differs).map(cast).collect();
            self.settled.insert(
                name.clone(),
                ChosenType {
                    declared: declared(catalog, r#type),
                    casts,
                },
            );
        }
    }

    /// The names and declared types, for `[session]`.
    pub(crate) fn declarations(&self) -> impl Iterator<Item = (&str, &str)> {
        self.settled
            .iter()
            .map(|(name, settled)| (name.as_str(), settled.declared.as_str()))
    }

    /// Writes `session.user_id`, with a cast where the declared type differs.
    pub(crate) fn written(&self, name: &str, wanted: SessionType) -> String {
        let cast = self
            .settled
            .get(name)
            .and_then(|settled| settled.casts.get(&wanted));
        format!(
            "session.{}{}",
            names::ident(name),
            cast.map_or("", String::as_str)
        )
    }
}

/// Markers around a constant condition that is nested in another one.
const MARKS: [char; 2] = ['\u{1}', '\u{2}'];

/// Marks a constant condition as a part of another one.
pub(crate) fn marked(sql: &str) -> String {
    format!("{}{sql}{}", MARKS[0], MARKS[1])
}

/// Splits a condition into parts, each with whether it is a marked condition.
fn parts(sql: &str) -> impl Iterator<Item = (&str, bool)> {
    let mut rest = sql;
    std::iter::from_fn(move || {
        let Some(inner) = rest.strip_prefix(MARKS[0]) else {
            let (part, after) = rest.split_at(rest.find(MARKS[0]).unwrap_or(rest.len()));
            rest = after;
            return (!part.is_empty()).then_some((part, false));
        };
        let mut depth = 1;
        let end = inner.char_indices().find(|(_, c)| {
            depth += i32::from(*c == MARKS[0]) - i32::from(*c == MARKS[1]);
            depth == 0
        });
        let (part, after) = inner.split_at(end.map_or(inner.len(), |(at, _)| at));
        rest = after.strip_prefix(MARKS[1]).unwrap_or(after);
        Some((part, true))
    })
}

fn constant_name(number: usize) -> String {
    format!("exists_{number}")
}

/// The type that all rules can use without a cast.
fn common(wanted: &BTreeSet<SessionType>) -> Option<SessionType> {
    let first = *wanted.first()?;
    if wanted.len() == 1 {
        return Some(first);
    }
    let integer = |wanted: &SessionType| INTEGERS.iter().position(|oid| *oid == wanted.of);
    let alike = wanted
        .iter()
        .all(|other| other.array == first.array && integer(other).is_some());
    alike
        .then(|| wanted.iter().max_by_key(|wanted| integer(wanted)).copied())
        .flatten()
}

/// Whether a value of the declared type can be used where another is needed. An array of other
/// integers cannot.
fn fits(wanted: SessionType, declared: SessionType) -> bool {
    let integer = |wanted: SessionType| !wanted.array && INTEGERS.contains(&wanted.of);
    wanted == declared || (integer(wanted) && integer(declared))
}

/// Whether the catalog has the type. The catalog contains array types only where columns use them.
fn declarable(catalog: &Catalog, wanted: SessionType) -> bool {
    let element = catalog.type_of(wanted.of).is_some();
    element
        && (!wanted.array
            || catalog
                .types
                .iter()
                .any(|t| t.kind == TypeKind::Array(wanted.of)))
}

fn declared(catalog: &Catalog, wanted: SessionType) -> String {
    named(catalog, wanted, str::to_owned)
}

/// Writes the type's name in a cast.
pub(crate) fn written(catalog: &Catalog, wanted: SessionType) -> String {
    named(catalog, wanted, names::ident)
}

fn named(catalog: &Catalog, wanted: SessionType, part: impl Fn(&str) -> String) -> String {
    let brackets = if wanted.array { "[]" } else { "" };
    let name = match catalog.type_of(wanted.of) {
        None => "text".to_owned(),
        Some(Type {
            kind: TypeKind::Array(of),
            ..
        }) => {
            return named(
                catalog,
                SessionType {
                    of: *of,
                    array: true,
                },
                part,
            );
        }
        Some(found) if found.schema == "pg_catalog" => found.name.clone(),
        Some(found) if is_visible(catalog, found) => part(&found.name),
        Some(found) => format!("{}.{}", part(&found.schema), part(&found.name)),
    };
    name + brackets
}

/// Whether the search path finds this type by its name alone.
fn is_visible(catalog: &Catalog, found: &Type) -> bool {
    let named = |schema: &str| {
        catalog
            .types
            .iter()
            .any(|t| t.schema == schema && t.name == found.name)
    };
    let first = catalog.search_path.iter().find(|schema| named(schema));
    !named("pg_catalog") && first.is_some_and(|schema| *schema == found.schema)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variable_names_are_case_insensitive() {
        assert_eq!(name("X-HASURA-User-Id").as_deref(), Some("user_id"));
        assert_eq!(name("x-hasura-"), None);
        assert_eq!(name("X-Hasura-É"), None);
        assert_eq!(name("user"), None);
    }

    #[test]
    fn widest_integer_type_is_chosen() {
        let of = |oid| SessionType {
            of: oid,
            array: false,
        };
        assert_eq!(common(&BTreeSet::from([of(23), of(20)])), Some(of(20)));
        assert_eq!(common(&BTreeSet::from([of(23), of(25)])), None);
        assert!(fits(of(23), of(20)));
        assert!(!fits(
            SessionType {
                of: 23,
                array: true
            },
            of(20)
        ));
    }
}
