//! Naming conventions: the GraphQL names of tables, columns, root fields and helper types.
//!
//! The crate `permissions` uses them to build the [`crate::model::Model`]. `docs/names.md` lists
//! them under "Names".

use serde::{Deserialize, Serialize};

use crate::model::named_enum::named_enum;

mod spelling;

pub use spelling::{Spelling, camel, pascal};
use spelling::{capital, lower};

/// A convention that derives GraphQL names from the database's names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Convention {
    /// Snake case, unchanged from the database; Hasura's default: `insert_t_one`.
    Snake,
    /// Camel case: `insertTOne`. Arguments and operators stay in snake case.
    #[default]
    Camel,
    /// Hasura's naming convention `graphql-default`: `insertTOne`, and fixed words, too: `orderBy`,
    /// `TBoolExp`, `ASC`. <https://hasura.io/docs/2.0/schema/postgres/naming-convention/>
    #[serde(rename = "graphql-default")]
    GraphqlDefault,
}

named_enum! {
    /// The kinds of root fields, by their keys in the permission file.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum RootKind by key {
        /// Rows of a table.
        List = "list",
        /// One row by its primary key.
        One = "one",
        /// Aggregates over the rows of a table.
        Aggregate = "aggregate",
        /// Groups of rows.
        Group = "group",
        /// A Relay connection.
        Connection = "connection",
        /// A streaming subscription.
        Stream = "stream",
        /// Inserts rows.
        Insert = "insert",
        /// Inserts one row.
        InsertOne = "insert_one",
        /// Updates rows by a condition.
        Update = "update",
        /// Updates one row by its primary key.
        UpdateOne = "update_one",
        /// Several updates, each with its own condition.
        UpdateMany = "update_many",
        /// Deletes rows by a condition.
        Delete = "delete",
        /// Deletes one row by its primary key.
        DeleteOne = "delete_one",
    }
}

impl Convention {
    /// The key in the permission file.
    pub fn key(self) -> &'static str {
        match self {
            Convention::Snake => "snake",
            Convention::Camel => "camel",
            Convention::GraphqlDefault => "graphql-default",
        }
    }

    /// Every convention.
    pub const ALL: [Convention; 3] = [
        Convention::Snake,
        Convention::Camel,
        Convention::GraphqlDefault,
    ];

    /// How fixed words are spelled.
    pub fn spelling(self) -> Spelling {
        match self {
            Convention::Snake | Convention::Camel => Spelling::Snake,
            Convention::GraphqlDefault => Spelling::Graphql,
        }
    }

    /// The GraphQL name of a table. Outside of `public` the schema is part of it: `s_t`.
    pub fn table(self, schema: &str, table: &str) -> String {
        match schema {
            "public" => self.column(table),
            _ => self.column(&format!("{schema}_{table}")),
        }
    }

    /// The GraphQL name of a column or relation with that name in the database.
    pub fn column(self, name: &str) -> String {
        match self {
            Convention::Snake => name.to_owned(),
            Convention::Camel => camel(name),
            Convention::GraphqlDefault => lower(&camel(name)),
        }
    }

    /// The base for the names of a table's helper types, where the permission file sets none;
    /// `name` is the table's GraphQL name. The caller keeps a name from the file unchanged, also
    /// under `graphql-default`.
    pub fn types(self, name: &str) -> String {
        self.spelling().type_name(name)
    }

    /// The name of a table's root field; `name` is the table's GraphQL name.
    pub fn root(self, kind: RootKind, name: &str) -> String {
        let (verb, suffix) = match kind {
            RootKind::List => ("", ""),
            RootKind::One => ("", "by_pk"),
            RootKind::Aggregate => ("", "aggregate"),
            RootKind::Group => ("", "group"),
            RootKind::Connection => ("", "connection"),
            RootKind::Stream => ("", "stream"),
            RootKind::Insert => ("insert", ""),
            RootKind::InsertOne => ("insert", "one"),
            RootKind::Update => ("update", ""),
            RootKind::UpdateOne => ("update", "by_pk"),
            RootKind::UpdateMany => ("update", "many"),
            RootKind::Delete => ("delete", ""),
            RootKind::DeleteOne => ("delete", "by_pk"),
        };
        let words = [verb, name, suffix]
            .into_iter()
            .filter(|word| !word.is_empty());
        match self {
            Convention::Snake => words.collect::<Vec<_>>().join("_"),
            Convention::Camel => words
                .enumerate()
                .map(|(i, w)| if i == 0 { w.into() } else { capital(&camel(w)) })
                .collect(),
            // A name from the permission file keeps its underscores: `insertTable_oneOne`.
            Convention::GraphqlDefault => match verb {
                "" => name.to_owned() + &pascal(suffix),
                verb => verb.to_owned() + &capital(name) + &pascal(suffix),
            },
        }
    }

    /// The name of an array relation's aggregate field: `r_aggregate`, `rAggregate`.
    pub fn aggregate(self, relation: &str) -> String {
        self.root(RootKind::Aggregate, relation)
    }
}

/// Whether the text is a GraphQL name that is not reserved for introspection.
/// <https://spec.graphql.org/October2021/#Name>
pub fn is_graphql(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes
        .next()
        .is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
        && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_')
        && !name.starts_with("__")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn root_names_follow_the_convention() {
        let of = |kind| Convention::Camel.root(kind, "dataSubjects");
        assert_eq!(of(RootKind::One), "dataSubjectsByPk");
        assert_eq!(of(RootKind::InsertOne), "insertDataSubjectsOne");
        assert_eq!(of(RootKind::UpdateMany), "updateDataSubjectsMany");
        let snake = |kind| Convention::Snake.root(kind, "authors");
        assert_eq!(snake(RootKind::One), "authors_by_pk");
        assert_eq!(snake(RootKind::InsertOne), "insert_authors_one");
        assert_eq!(snake(RootKind::Delete), "delete_authors");
    }

    #[test]
    fn camel_keeps_leading_underscores_and_capitals() {
        assert_eq!(camel("__a_bc__d"), "__aBcD");
        assert_eq!(camel("userID"), "userID");
    }

    #[test]
    fn names_outside_public_are_prefixed_with_the_schema() {
        assert_eq!(Convention::Snake.table("s", "t_u"), "s_t_u");
        assert_eq!(Convention::Camel.table("s", "t_u"), "sTU");
        assert_eq!(Convention::GraphqlDefault.table("s", "t_u"), "sTU");
    }

    #[test]
    fn graphql_default_follows_hasuras_rules() {
        let of = |kind| Convention::GraphqlDefault.root(kind, "authorLocal");
        assert_eq!(of(RootKind::List), "authorLocal");
        assert_eq!(of(RootKind::One), "authorLocalByPk");
        assert_eq!(of(RootKind::Aggregate), "authorLocalAggregate");
        assert_eq!(of(RootKind::Insert), "insertAuthorLocal");
        assert_eq!(of(RootKind::InsertOne), "insertAuthorLocalOne");
        assert_eq!(of(RootKind::UpdateOne), "updateAuthorLocalByPk");
        assert_eq!(of(RootKind::DeleteOne), "deleteAuthorLocalByPk");
        // Names from the permission file.
        assert_eq!(
            Convention::GraphqlDefault.root(RootKind::One, "table_one"),
            "table_oneByPk"
        );
        assert_eq!(
            Convention::GraphqlDefault.root(RootKind::InsertOne, "table_one"),
            "insertTable_oneOne"
        );
        assert_eq!(Convention::GraphqlDefault.column("User_ID"), "userID");
        assert_eq!(Convention::GraphqlDefault.types("sTU"), "STU");
    }
}
