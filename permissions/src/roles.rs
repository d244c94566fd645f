//! The roles of a permission file, compiled.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use indexmap::IndexMap;
use sql::model::access::Access;

use crate::fault::Fault;
use crate::file::{CallersEntry, File};
use crate::report::Report;
use crate::similar_names::closest;
use crate::toml_reader::Text;

/// The roles by name, in file order. Each request looks up one.
pub(crate) type Roles = IndexMap<String, Role, foldhash::fast::RandomState>;

/// The compiled access of a role.
#[derive(Debug)]
pub(crate) struct Role {
    /// For callers who are not backends.
    pub(crate) plain: Arc<Access>,
    /// For backends; the same `Arc` as `plain` if no grant is `backend_only`.
    pub(crate) backend: Arc<Access>,
}

/// A role exists by its grants, so a misspelt name makes a new one. Roles that few tables name, and
/// that are called nearly like a role that more tables name, are noted.
#[derive(Debug)]
pub(crate) struct SimilarRoles(Vec<SimilarRole>);

#[derive(Debug)]
struct SimilarRole {
    name: String,
    like: String,
    /// How many tables and functions name the role, and the other one.
    count: usize,
    others: usize,
    /// The first place that names it.
    span: Range<usize>,
}

/// How many tables and functions may name a role that is taken for a misspelt one.
const MAX_MISSPELT: usize = 2;

impl SimilarRoles {
    /// The roles of a file that no `[role.…]` defines.
    pub(crate) fn of_file(file: &File) -> SimilarRoles {
        let of_tables = file.tables.iter().flat_map(|table| &table.roles);
        let of_functions = file
            .functions
            .iter()
            .filter_map(|function| match &function.roles {
                CallersEntry::These(roles) => Some(roles),
                CallersEntry::Select(_) => None,
            });
        let named: Vec<&Text> = of_tables
            .map(|entry| &entry.role)
            .chain(of_functions.flatten())
            .collect();
        let mut counts: BTreeMap<&str, (usize, &Range<usize>)> = BTreeMap::new();
        for role in named {
            counts
                .entry(role.value.as_str())
                .or_insert((0, &role.span))
                .0 += 1;
        }
        let defined: Vec<&str> = file
            .roles
            .iter()
            .map(|role| role.name.value.as_str())
            .collect();
        let count_of = |name: &str| counts.get(name).map_or(0, |(count, _)| *count);
        let is_only_defined = |name: &str| defined.contains(&name) && count_of(name) == 0;
        let is_misspelt = |name: &str| count_of(name) <= MAX_MISSPELT && !defined.contains(&name);
        let similar = counts.iter().filter_map(|(name, (count, span))| {
            let known = counts.keys().chain(&defined).copied();
            let known = known.filter(|other| {
                other != name && (count_of(other) > *count || is_only_defined(other))
            });
            let like = closest(name, known).filter(|_| is_misspelt(name))?;
            Some(SimilarRole {
                name: (*name).to_owned(),
                like: like.to_owned(),
                count: *count,
                others: count_of(like),
                span: (*span).clone(),
            })
        });
        SimilarRoles(similar.collect())
    }

    /// Notes the roles.
    pub(crate) fn note(&self, report: &mut Report<'_>) {
        for role in &self.0 {
            let fault = Fault::NewRole {
                role: role.name.clone(),
                times: times(role.count),
            };
            let help = format!(
                "did you mean `{}`, which is named {}? If not, define it: `[role.{}]`",
                role.like,
                times(role.others),
                role.name
            );
            report.record(fault, &role.span, &help);
        }
    }
}

fn times(count: usize) -> String {
    match count {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        count => format!("{count} times"),
    }
}
