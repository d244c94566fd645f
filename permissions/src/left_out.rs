//! What a reload leaves out of a permission file, because it no longer fits the database. A change
//! of the database must not take more out of service than what it concerns, and nobody may change
//! the file in time, so the smallest parts that contain the faults are left out until the file is
//! reloaded by a person.
//!
//! | Fault in | Left out |
//! |---|---|
//! | a column of a grant | the column |
//! | another part of a grant, such as its rule | the grant |
//! | a name, a relation, a computed field | this |
//! | a named rule, a session value, a function | this, and then the grants that use it |
//! | a table's name | all about the table |
//! | a role's definition | the key, and all that the role is granted and inherits |
//!
//! No role gains anything: a rule, a mask or a check is never left out without the grant that it
//! limits. A grant of a role that inherits, or is inherited from, is replaced by one that allows
//! nothing, because without it the role would inherit the grants of others.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::diagnostic::{Diagnostic, SourceFile};

/// The parts of a permission file that are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Where the keys and items of lists begin that are removed.
    removed: BTreeSet<usize>,
    /// Where the keys of grants begin that are replaced by grants that allow nothing.
    denied: BTreeSet<usize>,
}

/// A key or an item of a list on the way from the outermost table to a place of the file.
#[derive(Clone, Copy, Debug)]
struct Step<'t> {
    /// The key; empty for an item.
    key: &'t str,
    /// Where the key or the item begins.
    start: usize,
}

/// The way to a place of the file.
#[derive(Debug, Default)]
struct Way<'t> {
    steps: Vec<Step<'t>>,
    /// Whether the place is in the last key, not in its value.
    is_in_key: bool,
}

/// The commands that a role may be granted.
const COMMANDS: [&str; 4] = ["select", "insert", "update", "delete"];

impl LeftOut {
    /// Whether nothing is left out.
    pub fn is_empty(&self) -> bool {
        self.removed.is_empty() && self.denied.is_empty()
    }

    /// Adds the parts that contain these problems. Returns false if one of them is in no part that
    /// can be left out, or if all these parts were left out already.
    pub fn add(&mut self, source: &SourceFile, problems: &[Diagnostic]) -> bool {
        let Ok(table) = DeTable::parse(&source.text) else {
            return false;
        };
        let before = self.clone();
        let table = table.into_inner();
        let places = problems.iter().flat_map(|problem| {
            problem
                .concerned()
                .iter()
                .map(|span| (span, problem.code()))
        });
        let mut are_found = true;
        for (span, code) in places {
            let mut way = Way::default();
            are_found &= way.find(&table, span.span().start) && self.add_one(&table, &way, code);
        }
        are_found && *self != before
    }

    fn add_one(&mut self, table: &DeTable<'_>, way: &Way<'_>, code: &str) -> bool {
        let keys: Vec<&str> = way.steps.iter().map(|step| step.key).collect();
        match keys[..] {
            ["table", name, "role", role, command, ..] if COMMANDS.contains(&command) => {
                return self.add_in_grant(table, way, [name, role, command], code);
            }
            ["table", name, "role", role, ..] => self.deny_role(table, name, role),
            ["table", _, "exposed" | "role", ..] => return false,
            [
                "table",
                _,
                "column" | "relation" | "computed" | "root" | "aliases" | "comments",
                _,
                ..,
            ] => {
                self.remove(way, 3);
            }
            ["table", _, _, ..] => self.remove(way, 2),
            ["function", _, "roles", ""] => self.remove(way, 3),
            ["role", _, "inherits", ""] => self.remove(way, 3),
            ["role", role, _, ..] => {
                self.remove(way, 2);
                let inherits = pairs(get(table, "role").and_then(|roles| get_in(roles, role)));
                let inherits = inherits.filter(|(key, _)| key.get_ref() == "inherits");
                self.removed
                    .extend(inherits.map(|(key, _)| key.span().start));
                pairs(get(table, "table"))
                    .for_each(|(name, _)| self.deny_role(table, name.get_ref(), role));
            }
            ["table" | "function" | "rules" | "session", _, ..] => self.remove(way, 1),
            _ => return false,
        }
        true
    }

    /// Leaves out a part of a grant that only grants, or the whole grant.
    fn add_in_grant(
        &mut self,
        table: &DeTable<'_>,
        way: &Way<'_>,
        [name, role, command]: [&str; 3],
        code: &str,
    ) -> bool {
        let keys: Vec<&str> = way.steps.iter().skip(5).map(|step| step.key).collect();
        match keys[..] {
            ["columns" | "computed" | "roots", ""] => self.remove(way, 6),
            ["aggregates", ..] => self.remove(
                way,
                if keys.len() > 1 {
                    way.steps.len() - 1
                } else {
                    5
                },
            ),
            // The column is gone, so there is nothing to mask or to set.
            ["mask" | "preset", _] if way.is_in_key && code == "unknown-column" => {
                self.remove(way, 6);
            }
            _ => {
                let Some((key, _)) =
                    grant(table, name, role).find(|(key, _)| key.get_ref() == command)
                else {
                    return false;
                };
                self.deny(table, role, key.span().start);
            }
        }
        true
    }

    /// Leaves out all grants of a role for a table.
    fn deny_role(&mut self, table: &DeTable<'_>, name: &str, role: &str) {
        let keys: Vec<usize> = grant(table, name, role)
            .map(|(key, _)| key.span().start)
            .collect();
        for key in keys {
            self.deny(table, role, key);
        }
    }

    /// Leaves out a grant. Several problems may be in it.
    fn deny(&mut self, table: &DeTable<'_>, role: &str, start: usize) {
        let starts = if takes_part_in_inheritance(table, role) {
            &mut self.denied
        } else {
            &mut self.removed
        };
        starts.insert(start);
    }

    fn remove(&mut self, way: &Way<'_>, index: usize) {
        self.removed
            .extend(way.steps.get(index).map(|step| step.start));
    }

    /// Takes the parts out of the parsed file.
    pub(crate) fn apply(&self, table: &mut DeTable<'_>) {
        if !self.is_empty() {
            self.prune(table);
        }
    }

    fn prune(&self, table: &mut DeTable<'_>) {
        let pairs = std::mem::take(table).into_iter();
        let kept = pairs.filter(|(key, _)| !self.removed.contains(&key.span().start));
        *table = kept
            .map(|(key, mut value)| {
                if self.denied.contains(&key.span().start) {
                    *value.get_mut() = DeValue::Table(nothing(key.get_ref(), &key.span()));
                } else {
                    self.prune_value(&mut value);
                }
                (key, value)
            })
            .collect();
    }

    fn prune_value(&self, value: &mut Spanned<DeValue<'_>>) {
        match value.get_mut() {
            DeValue::Table(table) => self.prune(table),
            DeValue::Array(items) => {
                let items_before = std::mem::replace(items, std::iter::empty().collect());
                let kept = items_before
                    .into_iter()
                    .filter(|item| !self.removed.contains(&item.span().start));
                *items = kept
                    .map(|mut item| {
                        self.prune_value(&mut item);
                        item
                    })
                    .collect();
            }
            _ => {}
        }
    }
}

impl<'t> Way<'t> {
    /// Goes to the key, or to the value that is no table, at a place of the file. A key is found
    /// before the headers of the tables in it, which contain it as well.
    fn find(&mut self, table: &'t DeTable<'_>, index: usize) -> bool {
        table.iter().any(|(key, value)| {
            self.steps.push(Step {
                key: key.get_ref(),
                start: key.span().start,
            });
            self.is_in_key = key.span().contains(&index);
            let is_found = self.is_in_key || self.find_in(value, index);
            if !is_found {
                self.steps.pop();
            }
            is_found
        })
    }

    fn find_in(&mut self, value: &'t Spanned<DeValue<'_>>, index: usize) -> bool {
        match value.get_ref() {
            DeValue::Table(table) if self.find(table, index) => return true,
            DeValue::Array(items) => {
                for item in items.iter() {
                    self.steps.push(Step {
                        key: "",
                        start: item.span().start,
                    });
                    if self.find_in(item, index) {
                        return true;
                    }
                    self.steps.pop();
                }
            }
            _ => {}
        }
        self.is_in_key = false;
        value.span().contains(&index)
    }
}

/// A grant that allows nothing.
fn nothing<'t>(command: &str, span: &Range<usize>) -> DeTable<'t> {
    let key = |key: &'static str| Spanned::new(span.clone(), Cow::Borrowed(key));
    let text =
        |text: &'static str| Spanned::new(span.clone(), DeValue::String(Cow::Borrowed(text)));
    let none = || Spanned::new(span.clone(), DeValue::Array(std::iter::empty().collect()));
    let rule = if command == "insert" { "check" } else { "rows" };
    let mut pairs = vec![(key(rule), text("false")), (key("roots"), none())];
    if command != "delete" {
        pairs.push((key("columns"), none()));
    }
    pairs.into_iter().collect()
}

/// Whether a role inherits, or another one inherits from it.
fn takes_part_in_inheritance(table: &DeTable<'_>, role: &str) -> bool {
    pairs(get(table, "role")).any(|(key, definition)| {
        let parents =
            get_in(definition, "inherits").and_then(|parents| parents.get_ref().as_array());
        let mut parents = parents
            .into_iter()
            .flat_map(|parents| parents.iter())
            .peekable();
        key.get_ref() == role && parents.peek().is_some()
            || parents.any(|parent| parent.get_ref().as_str() == Some(role))
    })
}

/// The grants of a role for a table.
fn grant<'t>(table: &'t DeTable<'t>, name: &str, role: &str) -> impl Iterator<Item = Pair<'t>> {
    let roles = get(table, "table")
        .and_then(|tables| get_in(tables, name))
        .and_then(|table| get_in(table, "role"));
    pairs(roles.and_then(|roles| get_in(roles, role)))
}

type Pair<'t> = (&'t Spanned<Cow<'t, str>>, &'t Spanned<DeValue<'t>>);

fn get<'t>(table: &'t DeTable<'t>, key: &str) -> Option<&'t Spanned<DeValue<'t>>> {
    table
        .iter()
        .find(|(known, _)| known.get_ref() == key)
        .map(|(_, value)| value)
}

fn get_in<'t>(value: &'t Spanned<DeValue<'t>>, key: &str) -> Option<&'t Spanned<DeValue<'t>>> {
    get(value.get_ref().as_table()?, key)
}

fn pairs<'t>(value: Option<&'t Spanned<DeValue<'t>>>) -> impl Iterator<Item = Pair<'t>> {
    value
        .and_then(|value| value.get_ref().as_table())
        .into_iter()
        .flat_map(|table| table.iter())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Fault;

    const TEXT: &str = r#"
[session]
user_id = "uuid"
[rules.own]
sql = "owner = session.user_id"
[table.a]
name = "as"
column.gone = "other"
relation.b = { column = "b_id" }
[table.a.role.user]
select = { columns = ["id", "gone"], rows = "own()", mask = { gone = "NULL", id = "gone" } }
update = { columns = ["id"], rows = "true" }
[table.a.role.heir]
select = { columns = ["id"], rows = "gone = 1" }
[table.b.role.user]
delete = { rows = "true" }
[function.f]
roles = ["user", "gone"]
[role.user]
set_role = "gone"
[role.heir]
inherits = ["user", "gone"]
"#;

    /// The file as it is read after a problem at the first place of this text after `after`.
    fn read_without(after: &str, at: &str, fault: Fault) -> Option<String> {
        let source = SourceFile::new("permissions.toml", TEXT);
        let from = TEXT.find(after).unwrap();
        let start = from + TEXT[from..].find(at).unwrap();
        let problem = Diagnostic::new(fault, source.span_of(start..start + at.len()));
        let mut left_out = LeftOut::default();
        if !left_out.add(&source, std::slice::from_ref(&problem)) {
            return None;
        }
        assert!(
            !left_out.clone().add(&source, &[problem]),
            "it is left out already"
        );
        let mut table = DeTable::parse(TEXT).unwrap().into_inner();
        left_out.apply(&mut table);
        Some(shown(&DeValue::Table(table)))
    }

    fn shown(value: &DeValue<'_>) -> String {
        match value {
            DeValue::Table(table) => {
                let pairs = table
                    .iter()
                    .map(|(key, value)| format!("{}={}", key.get_ref(), shown(value.get_ref())));
                format!("{{{}}}", pairs.collect::<Vec<_>>().join(" "))
            }
            DeValue::Array(items) => {
                format!(
                    "[{}]",
                    items
                        .iter()
                        .map(|item| shown(item.get_ref()))
                        .collect::<Vec<_>>()
                        .join(" ")
                )
            }
            other => other.as_str().unwrap_or_default().to_owned(),
        }
    }

    fn other() -> Fault {
        Fault::NothingGranted {}
    }

    #[test]
    fn the_smallest_part_that_can_be_left_out_is_left_out() {
        let whole = shown(&DeValue::Table(DeTable::parse(TEXT).unwrap().into_inner()));
        let gone = || Fault::UnknownColumn {
            column: "gone".into(),
            table: "a".into(),
        };
        let cases = [
            (
                "columns = [\"id\"",
                "\"gone\"",
                gone(),
                "columns=[id gone]",
                "columns=[id]",
            ),
            (
                "mask",
                "gone =",
                gone(),
                "mask={gone=NULL id=gone}",
                "mask={id=gone}",
            ),
            (
                "column.gone",
                "gone",
                gone(),
                "column={gone=other} ",
                "column={} ",
            ),
            (
                "relation",
                "b_id",
                other(),
                "relation={b={column=b_id}} ",
                "relation={} ",
            ),
            (
                "function",
                "\"gone\"",
                other(),
                "roles=[user gone]",
                "roles=[user]",
            ),
            (
                "function",
                "f]",
                other(),
                "function={f={roles=[user gone]}} ",
                "function={} ",
            ),
            (
                "inherits",
                "\"gone\"",
                other(),
                "inherits=[user gone]",
                "inherits=[user]",
            ),
            (
                "[rules",
                "owner",
                other(),
                "rules={own={sql=owner = session.user_id}}",
                "rules={}",
            ),
            (
                "[session",
                "\"uuid\"",
                other(),
                "session={user_id=uuid}",
                "session={}",
            ),
            ("name", "\"as\"", other(), "name=as ", ""),
            // Inheriting roles keep a grant, so that they do not inherit another.
            (
                "gone = 1",
                "gone",
                other(),
                "{columns=[id] rows=gone = 1}",
                "{columns=[] roots=[] rows=false}",
            ),
            (
                "[table.b.role",
                "true",
                other(),
                "delete={rows=true}",
                "delete={roots=[] rows=false}",
            ),
        ];
        for (after, at, fault, before, now) in cases {
            let found = read_without(after, at, fault).unwrap_or_else(|| panic!("{after} {at}"));
            assert_eq!(found, whole.replace(before, now), "{after} {at}");
        }
        // A mask that cannot be evaluated is never left out alone.
        let without = read_without("id = \"gone\" }", "\"gone\"", other()).unwrap();
        assert!(
            without.contains("select={columns=[] roots=[] rows=false}")
                && !without.contains("mask"),
            "{without}"
        );
        let without = read_without("[table.a]", "a]", other()).unwrap();
        assert!(
            !without.contains("name=as") && without.contains("table={b={"),
            "{without}"
        );
        let without = read_without("[role.user]", "\"gone\"", other()).unwrap();
        assert_eq!(without.matches("rows=false").count(), 3, "{without}");
        assert!(
            without.contains("user={}") && without.contains("heir={select={columns=[id] "),
            "{without}"
        );
    }

    #[test]
    fn several_problems_in_a_grant_leave_it_out_once() {
        let source = SourceFile::new("permissions.toml", TEXT);
        let problem = |text: &str| {
            let start = TEXT.find(text).unwrap();
            Diagnostic::new(other(), source.span_of(start..start + text.len()))
        };
        let mut left_out = LeftOut::default();
        assert!(left_out.add(&source, &[problem("own()"), problem("\"gone\" }")]));
        assert_eq!((left_out.removed.len(), left_out.denied.len()), (0, 1));
    }

    #[test]
    fn faults_outside_of_all_parts_are_not_left_out() {
        let source = SourceFile::new("permissions.toml", "[naming]\nconvention = \"x\"\n");
        let problem = |at: usize| Diagnostic::new(other(), source.span_of(at..at + 1));
        for at in [0, 1, 12, 25] {
            assert!(!LeftOut::default().add(&source, &[problem(at)]), "{at}");
        }
    }
}
