//! Converts inherited roles. The permission file has Hasura's rules of inheritance: select
//! permissions of the parents are combined, and write permissions are inherited where the parents'
//! do not differ.

use serde_json::Value;

use crate::grants::{Grant, Grants};
use crate::json_object::JsonObject;
use crate::report::Report;
use crate::tables::{Action, Tables};

/// An inherited role and its parents.
#[derive(Clone, Debug)]
pub(crate) struct Inherited {
    pub(crate) role: String,
    pub(crate) parents: Vec<String>,
}

/// Reads the inherited roles, parents before the roles that inherit from them.
pub(crate) fn read(roles: &[Value], report: &mut Report) -> Vec<Inherited> {
    let mut read: Vec<Inherited> = vec![];
    for value in roles {
        let Some(mut node) = JsonObject::new(value, "inherited role", report) else {
            continue;
        };
        let role = node.text("role_name").unwrap_or_default().to_owned();
        let mut parents: Vec<String> = vec![];
        for parent in node.list("role_set").iter().filter_map(Value::as_str) {
            match parent {
                "admin" => {
                    report.refused(
                        format!("inherited role {role}, parent admin"),
                        "only the admin secret grants this role",
                    );
                }
                _ if parents.iter().any(|other| other == parent) => {}
                _ => parents.push(parent.to_owned()),
            }
        }
        node.finish(report);
        report.carried(format!("inherited role {role}"));
        read.push(Inherited { role, parents });
    }
    sort_parents_first(read)
}

/// Sorts roles after their parents. Roles in a cycle come last; the permission compiler refuses
/// them.
fn sort_parents_first(mut left: Vec<Inherited>) -> Vec<Inherited> {
    let mut sorted: Vec<Inherited> = vec![];
    loop {
        let waits = |role: &Inherited| {
            role.parents
                .iter()
                .any(|parent| left.iter().any(|other| other.role == *parent))
        };
        let Some(index) = left.iter().position(|role| !waits(role)) else {
            break;
        };
        sorted.push(left.remove(index));
    }
    sorted.extend(left);
    sorted
}

/// Reports the write permissions that roles inherit: the permission file inherits those that do not
/// differ.
pub(crate) fn tell(
    roles: &[Inherited],
    tables: &Tables<'_>,
    grants: &[Grants],
    report: &mut Report,
) {
    for role in roles {
        for (table, grants) in tables.tracked.iter().zip(grants) {
            for action in [Action::Insert, Action::Update, Action::Delete] {
                let construct =
                    format!("table {}, role {}, {}", table.key, role.role, action.key());
                inherit(role, action, grants, construct, report);
            }
        }
    }
}

fn inherit(
    role: &Inherited,
    action: Action,
    grants: &Grants,
    construct: String,
    report: &mut Report,
) {
    let of = |role: &str| {
        grants
            .get(role)
            .and_then(|grants| grants.iter().find(|grant| grant.action == action))
    };
    let found: Vec<&Grant> = role
        .parents
        .iter()
        .filter_map(|parent| of(parent))
        .collect();
    let Some(first) = found.first().filter(|_| of(&role.role).is_none()) else {
        return;
    };
    let differ = found.iter().any(|other| other.item != first.item);
    match found.iter().filter(|grant| grant.item.is_ok()).count() {
        0 => {}
        1 if differ => {
            report.approximated(
                construct,
                "it is inherited from the one parent whose permission was carried over",
            );
        }
        _ if differ => report
            .carried(construct + ", which it does not inherit, since those of its parents differ"),
        _ => report.carried(construct),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parents_are_sorted_first() {
        let role = |role: &str, parents: &[&str]| Inherited {
            role: role.to_owned(),
            parents: parents.iter().map(|parent| (*parent).to_owned()).collect(),
        };
        let order = |roles| {
            sort_parents_first(roles)
                .into_iter()
                .map(|role| role.role)
                .collect::<Vec<_>>()
        };
        assert_eq!(
            order(vec![
                role("a", &["b"]),
                role("b", &["c"]),
                role("d", &["c"])
            ]),
            ["b", "a", "d"]
        );
        assert_eq!(
            order(vec![role("a", &["b"]), role("b", &["a"])]),
            ["a", "b"]
        );
    }
}
