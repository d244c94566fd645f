//! The rules that Postgres has prepared for the running version. A reload prepares only the others.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

use permissions::RuleCheck;
use sql::postgres::catalog::{Catalog, TableId};

/// Digests of rules that Postgres has prepared without an error, each together with what its
/// statement refers to.
#[derive(Debug, Default)]
pub struct PreparedRules(Mutex<Arc<HashSet<u64>>>);

impl PreparedRules {
    /// The digests of the rules that Postgres has accepted.
    pub(super) fn digests(&self) -> Arc<HashSet<u64>> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Remembers the rules of a version, which Postgres has accepted, instead of those of the
    /// version before.
    pub(super) fn replace(&self, accepted: HashSet<u64>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = accepted.into();
    }
}

/// Computes the digests of rules over one catalog.
#[derive(Debug)]
pub(super) struct RuleDigests<'c> {
    catalog: &'c Catalog,
    common: DefaultHasher,
    /// The digests of the tables so far. Many rules refer to one table.
    tables: HashMap<TableId, u64>,
}

impl<'c> RuleDigests<'c> {
    pub(super) fn new(catalog: &'c Catalog) -> RuleDigests<'c> {
        let mut common = DefaultHasher::new();
        let Catalog {
            server_version,
            database,
            search_path,
            ..
        } = catalog;
        (server_version, database, search_path).hash(&mut common);
        // A rule may have a label of an enum, which can be renamed, so that a type's kind counts as
        // well.
        for of in &catalog.types {
            (of.oid, &of.schema, &of.name, format!("{:?}", of.kind)).hash(&mut common);
        }
        RuleDigests {
            catalog,
            common,
            tables: HashMap::new(),
        }
    }

    /// The digest of a rule and of what it refers to; `None` if that is not fully known. Such a
    /// rule is prepared each time.
    pub(super) fn rule_digest(&mut self, rule: &RuleCheck) -> Option<u64> {
        let tables = rule.tables.as_ref()?;
        let mut digest = self.common.clone();
        (&rule.sql, &rule.parameters).hash(&mut digest);
        for table in tables {
            self.table_digest(*table).hash(&mut digest);
        }
        Some(digest.finish())
    }

    fn table_digest(&mut self, id: TableId) -> u64 {
        *self.tables.entry(id).or_insert_with(|| {
            let table = self.catalog.table(id);
            let mut digest = DefaultHasher::new();
            (&table.schema, &table.name).hash(&mut digest);
            table
                .columns
                .iter()
                .for_each(|of| (&of.name, of.r#type, of.modifier).hash(&mut digest));
            digest.finish()
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use permissions::{Permissions, SourceFile};
    use sql::postgres::catalog::TypeKind;

    use super::*;

    /// A file of another package, which this one must not embed.
    const CATALOG: &str = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../permissions/tests/catalog.json"
    );

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

    fn digests(version: &Permissions) -> Vec<Option<u64>> {
        let mut digests = RuleDigests::new(version.model.catalog());
        version
            .rules
            .iter()
            .map(|rule| digests.rule_digest(rule))
            .collect()
    }

    /// The lines of the rules of a version that are not known to be accepted.
    fn unknown(version: &Permissions, prepared: &PreparedRules) -> Vec<u32> {
        let known = prepared.digests();
        let digests = digests(version);
        let is_known = |digest: &Option<u64>| digest.is_some_and(|digest| known.contains(&digest));
        let unknown = version
            .rules
            .iter()
            .zip(&digests)
            .filter(|(_, digest)| !is_known(digest));
        let mut lines: Vec<u32> = unknown.map(|(rule, _)| rule.span.line()).collect();
        lines.sort_unstable();
        lines
    }

    /// The lines of the rules that a reload prepares after a start with the unchanged catalog.
    fn prepared_again(change: impl Fn(&mut Catalog)) -> Vec<u32> {
        let prepared = PreparedRules::default();
        let start = compiled(|_| ());
        assert_eq!(unknown(&start, &prepared), [3, 4, 7, 10]);
        prepared.replace(digests(&start).into_iter().flatten().collect());
        unknown(&compiled(change), &prepared)
    }

    fn set_type(catalog: &mut Catalog, table: &str, column: &str, oid: u32) {
        let table = catalog
            .tables
            .iter_mut()
            .find(|of| of.name == table)
            .unwrap();
        table
            .columns
            .iter_mut()
            .find(|of| of.name == column)
            .unwrap()
            .r#type = oid;
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
        assert_eq!(
            prepared_again(|catalog| set_type(catalog, "users", "name", 1043)),
            [3, 4, always]
        );
        assert_eq!(
            prepared_again(|catalog| set_type(catalog, "profiles", "user_id", 25)),
            [4, 7, always]
        );
        assert_eq!(
            prepared_again(|catalog| catalog.search_path.push("other".to_owned())),
            [3, 4, 7, always]
        );
        assert_eq!(prepared_again(rename_a_label), [3, 4, 7, always]);
    }
}
