//! The rules that Postgres has prepared for the running version. A reload prepares only the others.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Mutex, PoisonError};

use permissions::RuleCheck;
use sql::postgres::catalog::Catalog;

/// Digests of rules that Postgres has prepared without an error, each together with what its statement refers to.
#[derive(Debug, Default)]
pub struct PreparedRules(Mutex<HashSet<u64>>);

/// A rule, and its digest.
pub(super) struct DigestedRule<'r> {
    pub(super) rule: &'r RuleCheck,
    /// `None` if what the rule refers to is not fully known. Such a rule is prepared each time.
    digest: Option<u64>,
}

impl PreparedRules {
    /// The rules with their digests.
    pub(super) fn digested<'r>(catalog: &Catalog, rules: &'r [RuleCheck]) -> Vec<DigestedRule<'r>> {
        let mut common = DefaultHasher::new();
        let Catalog { server_version, database, search_path, .. } = catalog;
        (server_version, database, search_path).hash(&mut common);
        // A rule may have a label of an enum, which can be renamed, so that a type's kind counts as well.
        for of in &catalog.types {
            (of.oid, &of.schema, &of.name, format!("{:?}", of.kind)).hash(&mut common);
        }
        let digest = |rule: &RuleCheck| {
            let tables = rule.tables.as_ref()?;
            let mut digest = common.clone();
            (&rule.sql, &rule.parameters).hash(&mut digest);
            for table in tables.iter().map(|table| catalog.table(*table)) {
                (&table.schema, &table.name).hash(&mut digest);
                table.columns.iter().for_each(|of| (&of.name, of.r#type, of.modifier).hash(&mut digest));
            }
            Some(digest.finish())
        };
        rules.iter().map(|rule| DigestedRule { rule, digest: digest(rule) }).collect()
    }

    /// The rules that are not known to be accepted by Postgres.
    pub(super) fn unknown<'r>(&self, rules: &[DigestedRule<'r>]) -> Vec<&'r RuleCheck> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_known = |rule: &DigestedRule| rule.digest.is_some_and(|digest| known.contains(&digest));
        rules.iter().filter(|rule| !is_known(rule)).map(|rule| rule.rule).collect()
    }

    /// Remembers the rules of a version, which Postgres has accepted, instead of those of the version before.
    pub(super) fn replace(&self, rules: &[DigestedRule<'_>]) {
        let accepted = rules.iter().filter_map(|rule| rule.digest).collect();
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = accepted;
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use permissions::{Permissions, SourceFile};
    use sql::postgres::catalog::TypeKind;

    use super::*;

    /// A file of another package, which this one must not embed.
    const CATALOG: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../permissions/tests/catalog.json");

    const FILE: &str = r#"
[table.users.role.user]
select = { columns = ["id"], rows = "name = 'x'" }
delete = { rows = "EXISTS (SELECT FROM profiles p WHERE p.user_id = id)" }

[table.profiles.role.user]
select = { columns = ["bio"], rows = "bio = 'x'" }

[table.data_subjects.role.user]
select = { columns = ["id"], rows = "EXISTS (SELECT FROM latest_activity a WHERE a.data_subject_id = created_by)" }
"#;

    fn compiled(change: impl Fn(&mut Catalog)) -> Permissions {
        let mut catalog = Catalog::decode(&std::fs::read_to_string(CATALOG).unwrap()).unwrap();
        change(&mut catalog);
        permissions::compile(&SourceFile::new("permissions.toml", FILE), catalog.into()).unwrap()
    }

    fn lines(rules: &[&RuleCheck]) -> Vec<u32> {
        let mut lines: Vec<u32> = rules.iter().map(|rule| rule.place.line()).collect();
        lines.sort_unstable();
        lines
    }

    /// The lines of the rules that a reload prepares after a start with the unchanged catalog.
    fn prepared_again(change: impl Fn(&mut Catalog)) -> Vec<u32> {
        let (prepared, start) = (PreparedRules::default(), compiled(|_| ()));
        let rules = PreparedRules::digested(start.model.catalog(), &start.rules);
        assert_eq!(lines(&prepared.unknown(&rules)), [3, 4, 7, 10]);
        prepared.replace(&rules);
        let next = compiled(change);
        let rules = PreparedRules::digested(next.model.catalog(), &next.rules);
        lines(&prepared.unknown(&rules))
    }

    fn set_type(catalog: &mut Catalog, table: &str, column: &str, oid: u32) {
        let table = catalog.tables.iter_mut().find(|of| of.name == table).unwrap();
        table.columns.iter_mut().find(|of| of.name == column).unwrap().r#type = oid;
    }

    fn rename_a_label(catalog: &mut Catalog) {
        let labels = catalog.types.iter_mut().find_map(|of| match &mut of.kind {
            TypeKind::Enum(labels) => labels.first_mut(),
            _ => None,
        });
        labels.unwrap().push('s');
    }

    #[test]
    fn a_reload_prepares_the_rules_over_what_has_changed() {
        // A view may show another table than before.
        let always = 10;
        assert_eq!(prepared_again(|_| ()), [always]);
        assert_eq!(prepared_again(|catalog| set_type(catalog, "users", "name", 1043)), [3, 4, always]);
        assert_eq!(prepared_again(|catalog| set_type(catalog, "profiles", "user_id", 25)), [4, 7, always]);
        assert_eq!(prepared_again(|catalog| catalog.search_path.push("other".to_owned())), [3, 4, 7, always]);
        assert_eq!(prepared_again(rename_a_label), [3, 4, 7, always]);
    }
}
