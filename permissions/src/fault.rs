//! The faults of a permission file: one variant per cause, with its code and message.
//!
//! Locations and suggestions are in [`crate::diagnostic`].

use crate::toml_fault::TomlFault;

/// Declares the faults of a kind of file: fields, code and message of each.
#[macro_export]
macro_rules! faults {
    ($($(#[$doc:meta])* $name:ident { $($field:ident: $type:ty),* } $code:literal $message:literal;)*) => {
        /// A fault; the fields are the names in its message.
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
    /// An unknown key.
    UnknownKey { key: String, within: &'static str } "unknown-key"
        "`{key}` is not a key of {within}";
    /// An environment variable that is not set.
    UnsetVariable { name: String } "unset-variable" "the environment variable `{name}` is not set";
    /// A key reserved for a later version.
    NotYet { what: String } "not-supported" "{what} is not supported yet";
    /// A value of the wrong type.
    WrongType { key: String, expected: &'static str, found: &'static str } "wrong-type"
        "`{key}` must be {expected}, not {found}";
    /// A required key is absent.
    Missing { key: &'static str, within: String } "missing-key" "{within} has no `{key}`";
    /// A number that is out of range.
    NotCount { key: String } "wrong-type" "`{key}` must be a whole number from 0 to 4294967295";
    /// Two keys that exclude each other.
    Together { one: &'static str, other: &'static str, within: String } "contradiction"
        "`{one}` and `{other}` exclude each other in {within}";
    /// A list with a duplicate item.
    Twice { name: String } "duplicate" "`{name}` is named twice";
    /// A word other than the allowed ones.
    UnknownWord { word: String, what: &'static str } "unknown-word" "`{word}` is not a {what}";

    /// A table that is not in the database.
    UnknownTable { table: String } "unknown-table" "table `{table}` is not in the database";
    /// A table with two entries under different names.
    SameTable { table: String, other: String } "duplicate"
        "`{table}` and `{other}` are the same table";
    /// A column that is not in its table.
    UnknownColumn { column: String, table: String } "unknown-column"
        "column `{column}` is not in `{table}`";
    /// A relation that its table does not have.
    UnknownRelation { relation: String, table: String } "unknown-relation"
        "`{table}` has no relation `{relation}`";
    /// No foreign key for a relation of the table that should have the key.
    NoForeignKey { columns: String, table: String } "no-foreign-key"
        "no foreign key is defined on `{columns}` of `{table}`";
    /// No foreign key of the other table for a relation.
    NoForeignKeyTo { columns: String, table: String, to: String } "no-foreign-key"
        "no foreign key on `{columns}` of `{table}` references `{to}`";
    /// More than one foreign key for a relation.
    ManyForeignKeys { columns: String, table: String } "many-foreign-keys"
        "several foreign keys are defined on `{columns}` of `{table}`";
    /// A table that no schema contains.
    NotExposed { table: String } "not-exposed" "table `{table}` is not exposed";
    /// A column whose name is not valid in GraphQL.
    ColumnNotExposed { column: String } "not-exposed"
        "the name of column `{column}` is not valid in GraphQL";
    /// A root field that the table cannot have.
    NoRoot { root: &'static str, table: String, reason: &'static str } "no-root-field"
        "`{table}` has no root field `{root}`: {reason}";
    /// A function that is not in the database.
    UnknownFunction { function: String } "unknown-function"
        "function `{function}` is not in the database";
    /// A name of several functions.
    AmbiguousFunction { function: String, count: usize } "ambiguous-function"
        "there are {count} functions `{function}`";
    /// A function with two entries under different names.
    SameFunction { function: String, other: String } "duplicate"
        "`{function}` and `{other}` are the same function";
    /// An argument that its function does not have.
    UnknownArgument { argument: String, function: String } "unknown-argument"
        "function `{function}` has no argument `{argument}`";
    /// An argument whose type does not fit what it receives.
    ArgumentType { argument: String, function: String, expected: String } "argument-type"
        "argument `{argument}` of `{function}` is not of type {expected}";
    /// A function that cannot be a field.
    NotCallable { function: String, reason: &'static str } "not-callable"
        "function `{function}` cannot be a field: {reason}";
    /// A key that requires a function that returns rows of a table.
    NoResultTable { function: String } "no-result-table"
        "`{function}` does not return rows of a table that roles may read";
    /// A key that only functions exposed as queries may have.
    OnlyQueries { function: String, what: &'static str } "only-queries"
        "function `{function}` is a mutation, which {what}";
    /// A computed field that its table does not have.
    UnknownComputed { computed: String, table: String } "unknown-computed-field"
        "`{table}` has no computed field `{computed}`";
    /// A computed field that returns rows, which cannot be granted by listing it.
    ComputedRows { computed: String } "computed-rows"
        "computed field `{computed}` returns rows, so the grant on their table decides which \
         roles can select it";

    /// A name that is not valid in GraphQL.
    NotAName { name: String } "not-a-name" "`{name}` is not a valid GraphQL name";
    /// Two items with one name.
    Clash { name: String, one: String, other: String } "name-clash"
        "{one} and {other} are both called `{name}`";
    /// An item whose name has a number, because another has the name that follows from the
    /// database.
    Numbered { item: String, name: String, first: String, other: String }
        "numbered-name" "{item} is called `{name}`: `{first}` is the name of {other}";

    /// A table that cannot be an enum.
    EnumTable { table: String, reason: &'static str } "enum-table"
        "`{table}` cannot be an enum: {reason}";
    /// A row of an enum table whose value is not valid in GraphQL.
    EnumValue { value: String, table: String } "enum-value"
        "row `{value}` of `{table}` cannot be a value of an enum in GraphQL";
    /// A declared key of a table that has a primary key.
    HasKey { table: String } "contradiction" "`{table}` has a primary key, so none can be declared";
    /// Grants to the role `admin`, which needs none.
    AdminGrants {} "admin" "the role `admin` may do everything and has no grants";
    /// A role that neither a grant nor `[role]` defines.
    UnknownRole { role: String } "unknown-role" "role `{role}` is not in the file";
    /// The role `admin` as a parent.
    AdminParent {} "admin"
        "nothing can be inherited from the role `admin`, which may do everything";
    /// Roles that inherit from each other in a cycle.
    RoleCycle { path: String } "role-cycle" "roles inherit from each other in a cycle: {path}";
    /// A role of few grants that is called nearly like another one.
    NewRole { role: String, times: String } "new-role"
        "role `{role}` is new, and named {times} in this file";
    /// A grant for which the database user lacks the privilege.
    NoPrivilege { role: String, privilege: &'static str, table: String } "no-privilege"
        "role `{role}` has a grant for which the database user lacks a privilege: {privilege} on \
         `{table}`";
    /// A grant, a function or a default for which a role of the database lacks a privilege, as far
    /// as that is no fault.
    MissingPrivilege { role: String, privilege: &'static str, name: String } "missing-privilege"
        "grants of role `{role}` need a privilege that is missing: {privilege} on {name}";
    /// Settings that policies or triggers of a table read and the file does not set.
    SettingUnset { table: String, settings: String } "unset-setting"
        "policies or triggers of `{table}` read settings that the file does not set: {settings}";
    /// Settings that a rule of the file reads and the file does not set.
    RuleSettingUnset { settings: String } "unset-setting"
        "this rule reads settings that the file does not set: {settings}";
    /// Settings that policies need for reads, although the file sets them for writes alone.
    SettingOfWrites { table: String, settings: String } "unset-setting"
        "policies of `{table}` read settings that only transactions that write have: {settings}";
    /// A rule that reads a table that the database user may not read.
    RulePrivilege { table: String } "no-privilege"
        "this rule reads `{table}`, but the database user has no SELECT privilege on it";
    /// A mask whose type differs from that of its column.
    MaskType { column: String, expected: String, found: String } "mask-type"
        "the mask of `{column}` is of type {found}, but the column is of type {expected}";
    /// A mask that is a literal and no value of the column's type.
    MaskValue { column: String, expected: String } "mask-type"
        "the mask of `{column}` is no value of its type, {expected}";
    /// Columns of a relation that cannot be compared.
    RelationTypes { one: String, other: String } "relation-types"
        "{one} and {other} have no operator `=` between them, so no relation can join by them";
    /// A mask of a column that is not granted.
    MaskNotGranted { column: String } "mask-without-grant"
        "column `{column}` has a mask, but is not granted";
    /// A limit on the length of a column that is not granted.
    LimitNotGranted { key: &'static str, column: String } "limit-without-grant"
        "column `{column}` has a `{key}`, but the grant does not list it in `columns`";
    /// A limit on the length of a column whose values have no length.
    NoLength { key: &'static str, column: String, reason: &'static str } "no-length"
        "column `{column}` cannot have a `{key}`: {reason}";
    /// A column that cannot be written.
    NotWritable { column: String, reason: &'static str } "not-writable"
        "column `{column}` cannot be written: {reason}";
    /// A table that cannot be written.
    NotUpdatable { table: String, action: &'static str } "not-writable"
        "`{table}` does not allow {action}";
    /// A column of `aggregates` that is not readable.
    NotReadable { column: String } "contradiction"
        "column `{column}` is not among the columns of the grant, so it cannot be aggregated";
    /// A column that is both preset and granted.
    PresetGranted { column: String } "contradiction"
        "column `{column}` is preset, so it cannot be granted";

    /// A type that does not exist.
    UnknownType { name: String } "unknown-type" "type `{name}` is not in the database";
    /// A declared session value that no rule reads, while rules read one that is not declared.
    MisnamedSession { declared: String, name: String, by: String } "unknown-session-value"
        "`[session]` declares `{declared}`, but {by} `session.{name}`";
    /// A session value that is not declared.
    UnknownSession { name: String } "unknown-session-value"
        "session value `{name}` is not declared in `[session]`";
    /// A name that is not a Postgres setting with a prefix, or whose prefix is reserved.
    SettingName { setting: String, reason: &'static str } "setting-name"
        "`{setting}` cannot be set: {reason}";
    /// The value of a setting that is no session value.
    SettingValue { value: String } "setting-value" "`{value}` is not a session value";
    /// A name that no role of the database can have.
    DatabaseRoleName { name: String } "database-role" "`{name}` cannot be a role of the database";
    /// A role that the database does not have, or to which the gateway cannot switch.
    DatabaseRole { role: String, name: String } "database-role"
        "statements of role `{role}` are to run as the database role `{name}`, but the database \
         user cannot switch to it";
    /// Grants of parents that differ, so that the role inherits none of them.
    NotInherited { role: String, action: &'static str, table: String } "not-inherited"
        "role `{role}` inherits no grant to {action} `{table}`: those of its parents differ";
    /// A grant to insert rows that leaves a column without a value.
    InsertIncomplete { role: String, table: String, columns: String } "no-value"
        "role `{role}` may insert into `{table}`, but gives no value to {columns}: NULL is not \
         allowed, and there is no default";
    /// A named rule that nothing calls.
    UnusedRule { rule: String } "unused-rule" "no rule calls `{rule}`";
    /// A file without grants.
    NothingGranted {} "nothing-granted"
        "this file grants nothing, so only the admin secret gives access";
    /// A granted table whose policies limit the gateway's own user.
    RowSecurity { table: String } "row-security"
        "row-level security of `{table}` holds for the database user, too: its policies limit the \
         rows of every role";
    /// A name that is reserved in rules.
    Reserved { name: String, reason: &'static str } "reserved-name"
        "`{name}` cannot be used here: {reason}";

    /// A rule that is not valid SQL.
    RuleSyntax { message: String } "rule-syntax" "the rule is not an SQL expression: {message}";
    /// SQL that rules do not support.
    RuleUnsupported { what: String } "rule-unsupported" "{what} cannot be used in a rule";
    /// A statement that is not valid SQL.
    StatementSyntax { message: String } "statement-syntax" "the statement is not SQL: {message}";
    /// A statement that endpoints do not support.
    StatementUnsupported { what: String } "statement-unsupported"
        "{what} cannot be used in an endpoint";
    /// A function or operator that is not known to be built in and to read nothing.
    StatementCalls { name: String } "statement-calls"
        "`{name}` is not known to be Postgres' own and to read nothing";
    /// A preset that reads a column.
    PresetColumn { column: String } "preset-column"
        "a preset is evaluated without a row, so it cannot read column `{column}`";
    /// A session variable as Hasura's permissions name it.
    RuleHeader { header: String } "header-in-rule"
        "`{header}` is the name of a header; a rule reads it as a session value";
    /// A column that no visible table has.
    RuleColumn { column: String } "unknown-column" "no table in scope has a column `{column}`";
    /// A column that several tables have.
    RuleAmbiguous { column: String, one: String, other: String } "ambiguous-column"
        "column `{column}` is ambiguous: it is in `{one}` and in `{other}`";
    /// A column that may belong to a function whose columns are unknown.
    RuleUnsure { column: String, item: String } "ambiguous-column"
        "`{column}` may be a column of `{item}`, whose columns are not known";
    /// A qualifier that is no visible table.
    RuleQualifier { qualifier: String } "unknown-table" "`{qualifier}` is not a table in scope";
    /// Two tables with one name in one FROM clause.
    RuleTableTwice { name: String } "duplicate" "table name `{name}` is used twice in one FROM";
    /// A call of a named rule with the wrong number of arguments.
    RuleArguments { rule: String, expected: usize, found: usize } "rule-arguments"
        "named rule `{rule}` takes {expected} argument(s), not {found}";
    /// Named rules that call each other in a cycle.
    RuleCycle { path: String } "rule-cycle" "named rules call each other in a cycle: {path}";
    /// An argument of a named rule that is also a column of a table in the rule.
    RuleArgumentColumn { argument: String, table: String } "argument-is-column"
        "argument `{argument}` is also a column of `{table}`";
    /// A comparison of a column with itself.
    RuleSelfComparison { what: String } "self-comparison"
        "`{what}` is compared with itself, which does not restrict the rows";
    /// A comparison of a column with itself under another name.
    RuleSameColumn { one: String, other: String } "self-comparison"
        "`{one}` and `{other}` are the same column, so comparing them does not restrict the rows";
    /// A subquery that depends on nothing outside of it.
    RuleConstant {} "constant-subquery"
        "this subquery reads neither a column of the row nor a session value, so it holds for all \
         rows or for none";
    /// A rule that reads tables and no column of the row.
    ConstantRule {} "constant-rule"
        "this rule reads no column of the row, so it says the same for every row";
    /// A name that resolves to the subquery's own table, so that the subquery does not depend on
    /// the row.
    RuleShadow { column: String, inner: String, outer: String } "shadowed-column"
        "`{column}` is the column of `{inner}` here, so this subquery does not depend on the row \
         of `{outer}`";
    /// A statement that writes, without `unchecked`.
    StatementWrites { what: &'static str } "statement-writes" "`{what}` needs `unchecked = true`";
    /// A statement that is too long.
    StatementTooLong {} "statement-too-long" "the statement is longer than 128 KiB";
    /// A rule that is too long with its named rules expanded.
    RuleTooLong {} "rule-too-long" "the rule is longer than 128 KiB with its named rules expanded";

    /// A literal of a date or time whose value is the moment of parsing.
    ClockLiteral { literal: String, of: String } "clock-literal"
        "`{literal}` is a {of}: its value is the moment at which Postgres prepares the statement, \
         not that of the request";
    /// Postgres rejects the rule.
    Refused { what: &'static str, message: String } "postgres"
        "Postgres rejects this {what}: {message}";
    /// A session value whose type does not fit the rules that read it.
    SessionType { name: String, declared: String, needed: String, by: String } "session-type"
        "session value `{name}` is declared as `{declared}`, but {by} `{needed}`";
}

impl From<TomlFault> for Fault {
    fn from(fault: TomlFault) -> Fault {
        match fault {
            TomlFault::Syntax(message) => Fault::Syntax { message },
            TomlFault::UnknownKey { key, within } => Fault::UnknownKey { key, within },
            TomlFault::UnsetVariable(name) => Fault::UnsetVariable { name },
            TomlFault::WrongType {
                key,
                expected,
                found,
            } => Fault::WrongType {
                key,
                expected,
                found,
            },
        }
    }
}
