//! Inherited roles. Select grants and functions are inherited by the permission file; grants to write are written out
//! here, since Postern does not inherit those: a role has the one that its parents have, if they do not differ.

use serde_json::Value;

use crate::grants::{Grant, Grants};
use crate::node::Node;
use crate::report::Report;
use crate::tables::{Action, Tables};

/// An inherited role and its parents.
#[derive(Clone, Debug)]
pub(crate) struct Inherited {
    pub(crate) role: String,
    pub(crate) parents: Vec<String>,
}

/// Reads the inherited roles, parents before those that inherit from them.
pub(crate) fn read(roles: &[Value], report: &mut Report) -> Vec<Inherited> {
    let mut read: Vec<Inherited> = vec![];
    for value in roles {
        let Some(mut node) = Node::new(value, "inherited role", report) else { continue };
        let role = node.text("role_name").unwrap_or_default().to_owned();
        let mut parents: Vec<String> = vec![];
        for parent in node.list("role_set").iter().filter_map(Value::as_str) {
            match parent {
                "admin" => {
                    report.refused(format!("inherited role {role}, parent admin"), "only the admin secret gives it");
                }
                _ if parents.iter().any(|other| other == parent) => {}
                _ => parents.push(parent.to_owned()),
            }
        }
        node.finish(report);
        report.carried(format!("inherited role {role}"));
        read.push(Inherited { role, parents });
    }
    in_order(read)
}

/// Roles whose parents are settled come first; what is left goes in a circle, which the permission file refuses.
fn in_order(mut left: Vec<Inherited>) -> Vec<Inherited> {
    let mut settled: Vec<Inherited> = vec![];
    loop {
        let waits = |role: &Inherited| role.parents.iter().any(|parent| left.iter().any(|other| other.role == *parent));
        let Some(place) = left.iter().position(|role| !waits(role)) else { break };
        settled.push(left.remove(place));
    }
    settled.extend(left);
    settled
}

/// Writes out the grants to write that roles inherit.
pub(crate) fn write_out(roles: &[Inherited], tables: &Tables<'_>, grants: &mut [Grants], report: &mut Report) {
    for role in roles {
        for (table, grants) in tables.tracked.iter().zip(grants.iter_mut()) {
            for action in [Action::Insert, Action::Update, Action::Delete] {
                let construct = format!("table {}, role {}, {}", table.key, role.role, action.key());
                inherit(role, action, grants, &construct, report);
            }
        }
    }
}

fn inherit(role: &Inherited, action: Action, grants: &mut Grants, construct: &str, report: &mut Report) {
    let of = |role: &str| grants.get(role).and_then(|grants| grants.iter().find(|grant| grant.action == action));
    let found: Vec<(&String, &Grant)> =
        role.parents.iter().filter_map(|parent| of(parent).map(|grant| (parent, grant))).collect();
    let Some((first, grant)) = found.first().copied().filter(|_| of(&role.role).is_none()) else { return };
    if found.iter().any(|(_, other)| other.item != grant.item) {
        return report.approximated(construct, "the permissions that it inherits differ: it has none, as with Hasura");
    }
    if grant.item.is_err() {
        return;
    }
    let notes = vec![format!("as for `{first}`: grants to write are not inherited")];
    let grant = Grant { notes, ..grant.clone() };
    report.carried(construct);
    let own = grants.entry(role.role.clone()).or_default();
    own.push(grant);
    own.sort_by_key(|grant| grant.action);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parents_come_first() {
        let role = |role: &str, parents: &[&str]| Inherited {
            role: role.to_owned(),
            parents: parents.iter().map(|parent| (*parent).to_owned()).collect(),
        };
        let order = |roles| in_order(roles).into_iter().map(|role| role.role).collect::<Vec<_>>();
        assert_eq!(order(vec![role("a", &["b"]), role("b", &["c"]), role("d", &["c"])]), ["b", "a", "d"]);
        assert_eq!(order(vec![role("a", &["b"]), role("b", &["a"])]), ["a", "b"]);
    }
}
