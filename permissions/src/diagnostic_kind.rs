//! Everything that can be wrong with a permission file: one variant a cause, its code and its words.
//!
//! Where a fault lies and what would help is the business of [`crate::diagnostic`].

/// Declares the faults of a kind of file: fields, code and message of each in one place.
#[macro_export]
macro_rules! faults {
    ($($(#[$doc:meta])* $name:ident { $($field:ident: $type:ty),* } $code:literal $message:literal;)*) => {
        /// What is wrong.
        #[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
        #[allow(missing_docs, reason = "the message says what a field is")]
        pub enum Fault {
            $($(#[$doc])* #[error($message)] $name { $($field: $type),* },)*
        }

        impl $crate::DiagnosticKind for Fault {
            fn code(&self) -> &'static str {
                match self {
                    $(Fault::$name { .. } => $code,)*
                }
            }
        }
    };
}

faults! {
    /// The text is not TOML.
    Syntax { message: String } "syntax" "the file is not valid TOML: {message}";
    /// A key that means nothing here.
    UnknownKey { key: String, within: &'static str } "unknown-key" "`{key}` is not a key of {within}";
    /// A key that a later version will know.
    NotYet { what: String } "not-supported" "{what} is not supported yet";
    /// A value of the wrong type.
    WrongType { key: String, expected: &'static str, found: &'static str } "wrong-type" "`{key}` must be {expected}, not {found}";
    /// A required key is absent.
    Missing { key: &'static str, within: String } "missing-key" "{within} has no `{key}`";
    /// A number that is out of range.
    NotCount { key: String } "wrong-type" "`{key}` must be a whole number from 0 to 4294967295";
    /// Two keys that exclude each other.
    Together { one: &'static str, other: &'static str, within: String } "contradiction" "`{one}` and `{other}` exclude each other in {within}";
    /// A list that names something twice.
    Twice { name: String } "duplicate" "`{name}` is named twice";
    /// A word that is not among the allowed ones.
    UnknownWord { word: String, what: &'static str } "unknown-word" "`{word}` is not a {what}";

    /// A table that the database has not.
    UnknownTable { table: String } "unknown-table" "table `{table}` is not in the database";
    /// A table written in two ways.
    SameTable { table: String, other: String } "duplicate" "`{table}` and `{other}` are the same table";
    /// A column that its table has not.
    UnknownColumn { column: String, table: String } "unknown-column" "column `{column}` is not in `{table}`";
    /// A relation that its table has not.
    UnknownRelation { relation: String, table: String } "unknown-relation" "`{table}` has no relation `{relation}`";
    /// No foreign key for a relation.
    NoForeignKey { columns: String, table: String } "no-foreign-key" "no foreign key lies over `{columns}` of `{table}`";
    /// No foreign key over there for a relation.
    NoForeignKeyTo { columns: String, table: String, to: String } "no-foreign-key" "no foreign key leads from `{columns}` of `{table}` to `{to}`";
    /// More than one foreign key for a relation.
    ManyForeignKeys { columns: String, table: String } "many-foreign-keys" "several foreign keys lie over `{columns}` of `{table}`";
    /// A table that is in no schema.
    NotExposed { table: String } "not-exposed" "table `{table}` is not exposed";
    /// A column that has no name in GraphQL.
    ColumnNotExposed { column: String } "not-exposed" "column `{column}` cannot be said in GraphQL";
    /// A root field that the table cannot have.
    NoRoot { root: &'static str, table: String, reason: &'static str } "no-root-field" "`{table}` has no root field `{root}`: {reason}";
    /// A function that the database has not.
    UnknownFunction { function: String } "unknown-function" "function `{function}` is not in the database";
    /// A name that several functions have.
    AmbiguousFunction { function: String, count: usize } "ambiguous-function" "there are {count} functions `{function}`";
    /// A function written in two ways.
    SameFunction { function: String, other: String } "duplicate" "`{function}` and `{other}` are the same function";
    /// An argument that its function has not.
    UnknownArgument { argument: String, function: String } "unknown-argument" "function `{function}` has no argument `{argument}`";
    /// An argument of the wrong type for what it should take.
    ArgumentType { argument: String, function: String, expected: String } "argument-type" "argument `{argument}` of `{function}` is not of type {expected}";
    /// A function that cannot be a field.
    NotCallable { function: String, reason: &'static str } "not-callable" "function `{function}` cannot be a field: {reason}";
    /// A grant to call what returns no rows of a table.
    NoResultTable { function: String } "no-result-table" "`{function}` does not return rows of a table that roles may read";
    /// What only goes with functions that are queries.
    OnlyQueries { function: String, what: &'static str } "only-queries" "function `{function}` is a mutation, which {what}";
    /// A computed field that its table has not.
    UnknownComputed { computed: String, table: String } "unknown-computed-field" "`{table}` has no computed field `{computed}`";
    /// A computed field that is not granted by listing it.
    ComputedRows { computed: String } "computed-rows" "computed field `{computed}` returns rows, so the grant on their table decides who sees it";

    /// Not a name in GraphQL.
    NotAName { name: String } "not-a-name" "`{name}` is not a name in GraphQL";
    /// Two things of one name.
    Clash { name: String, one: String, other: String } "name-clash" "{one} and {other} are both called `{name}`";

    /// A table that cannot be an enum.
    EnumTable { table: String, reason: &'static str } "enum-table" "`{table}` cannot be an enum: {reason}";
    /// A row of an enum table that GraphQL cannot say.
    EnumValue { value: String, table: String } "enum-value" "row `{value}` of `{table}` cannot be a value of an enum in GraphQL";
    /// A table whose key is known.
    HasKey { table: String } "contradiction" "`{table}` has a primary key, so none can be declared";
    /// The role that needs no grants.
    AdminGrants {} "admin" "the role `admin` may do everything and has no grants";
    /// A role that no grant and no table of roles names.
    UnknownRole { role: String } "unknown-role" "role `{role}` is not in the file";
    /// The admin as a parent.
    AdminParent {} "admin" "nothing can be inherited from the role `admin`, which may do everything";
    /// Roles that inherit from each other in a circle.
    RoleCycle { path: String } "role-cycle" "roles inherit from each other in a circle: {path}";
    /// A grant of what the user of the database has no privilege for.
    NoPrivilege { role: String, privilege: &'static str, table: String } "no-privilege" "role `{role}` is granted what the database user may not do: {privilege} on `{table}`";
    /// A rule over a table that the user of the database may not read.
    RulePrivilege { table: String } "no-privilege" "this rule reads `{table}`, and the database user may not: it has no SELECT on it";
    /// A mask of another type than its column's.
    MaskType { column: String, expected: String, found: String } "mask-type" "the mask of `{column}` is of type {found}, and not every such value is a {expected}";
    /// Columns of a relation that cannot be compared.
    RelationTypes { one: String, other: String } "relation-types" "{one} and {other} have no operator `=` between them, so no relation can join by them";
    /// A mask over a column that is not granted.
    MaskNotGranted { column: String } "mask-without-grant" "column `{column}` has a mask, but is not granted";
    /// A column that cannot be written.
    NotWritable { column: String, reason: &'static str } "not-writable" "column `{column}` cannot be given: {reason}";
    /// A table that cannot be written.
    NotUpdatable { table: String, action: &'static str } "not-writable" "`{table}` does not allow {action}";
    /// A column of `aggregates` that cannot be read.
    NotReadable { column: String } "contradiction" "column `{column}` is not among the columns of the grant, so it cannot be aggregated";
    /// A column that is preset and granted.
    PresetGranted { column: String } "contradiction" "column `{column}` is preset, so it cannot be granted";

    /// A type that does not exist.
    UnknownType { name: String } "unknown-type" "type `{name}` is not in the database";
    /// A session value that is not declared.
    UnknownSession { name: String } "unknown-session-value" "session value `{name}` is not declared in `[session]`";
    /// A name that Postgres takes for no setting of an application, or that is not for the file.
    SettingName { setting: String, reason: &'static str } "setting-name" "`{setting}` cannot be set: {reason}";
    /// A setting that is not made of the session.
    SettingValue { value: String } "setting-value" "`{value}` is no session value";
    /// Grants of parents that differ, so that an inheriting role has none of them.
    NotInherited { role: String, action: &'static str, table: String } "not-inherited" "role `{role}` inherits no grant to {action} `{table}`: those of its parents differ";
    /// A name that is taken by the rule language.
    Reserved { name: String, reason: &'static str } "reserved-name" "`{name}` cannot be used here: {reason}";

    /// A rule that is not SQL.
    RuleSyntax { message: String } "rule-syntax" "the rule is not an SQL expression: {message}";
    /// Something SQL has but a rule may not.
    RuleUnsupported { what: String } "rule-unsupported" "{what} cannot be used in a rule";
    /// A statement that is not SQL.
    StatementSyntax { message: String } "statement-syntax" "the statement is not SQL: {message}";
    /// A statement that an endpoint cannot be.
    StatementUnsupported { what: String } "statement-unsupported" "{what} cannot be used in an endpoint";
    /// A function or operator that nobody knows to read nothing.
    StatementCalls { name: String } "statement-calls" "`{name}` is not known to be Postgres' own and to read nothing";
    /// A preset that reads a column.
    PresetColumn { column: String } "preset-column" "a preset sees no row, so it cannot read column `{column}`";
    /// A column that is in no table of the scope.
    RuleColumn { column: String } "unknown-column" "column `{column}` is in none of the tables that are seen here";
    /// A column that several tables have.
    RuleAmbiguous { column: String, one: String, other: String } "ambiguous-column" "column `{column}` may be that of `{one}` or of `{other}`";
    /// A column next to a function whose columns nobody knows.
    RuleUnsure { column: String, item: String } "ambiguous-column" "`{column}` may be a column of `{item}`, whose columns are not known";
    /// A qualifier that names no table of the scope.
    RuleQualifier { qualifier: String } "unknown-table" "`{qualifier}` is none of the tables that are seen here";
    /// Two tables of a subquery under one name.
    RuleTableTwice { name: String } "duplicate" "table name `{name}` is used twice in one FROM";
    /// A named rule called with the wrong number of arguments.
    RuleArguments { rule: String, expected: usize, found: usize } "rule-arguments" "named rule `{rule}` takes {expected} argument(s), not {found}";
    /// Named rules that call each other in a circle.
    RuleCycle { path: String } "rule-cycle" "named rules call each other in a circle: {path}";
    /// An argument that a table in the rule's own scope has as a column.
    RuleArgumentColumn { argument: String, table: String } "argument-is-column" "argument `{argument}` is also a column of `{table}`";
    /// A comparison of a column with itself.
    RuleSelfComparison { what: String } "self-comparison" "`{what}` is compared with itself, which says nothing about the row";
    /// A comparison of a column with itself under another name.
    RuleSameColumn { one: String, other: String } "self-comparison" "`{one}` and `{other}` are the same column, so comparing them says nothing about the row";
    /// A subquery that depends on nothing outside of it.
    RuleConstant {} "constant-subquery" "this subquery reads neither a column of the row nor a session value, so it holds for all rows or for none";
    /// A name that keeps a subquery from depending on the row.
    RuleShadow { column: String, inner: String, outer: String } "shadowed-column" "`{column}` is the column of `{inner}` here, so this subquery does not depend on the row of `{outer}`";
    /// A statement that writes, though nobody has said that it may.
    StatementWrites { what: &'static str } "statement-writes" "`{what}` needs `unchecked = true`";
    /// A statement that has grown beyond all bounds.
    StatementTooLong {} "statement-too-long" "the statement is longer than 128 KiB";
    /// A rule that has grown beyond all bounds.
    RuleTooLong {} "rule-too-long" "the rule becomes longer than 128 KiB when its named rules are put in";

    /// Postgres does not take it.
    Refused { message: String } "postgres" "Postgres refuses this rule: {message}";
}
