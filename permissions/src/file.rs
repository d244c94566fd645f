//! The permission file as parsed: one struct per table of the TOML file, with spans, before any
//! lookup in the catalog.
//!
//! [`read()`] reports unknown keys and values of the wrong type. [`crate::exposure`] and
//! [`crate::grants`] validate the rest.

mod parts;
mod read;
mod values;

use std::ops::Range;

use sql::model::DefaultExposure;
use sql::model::access::RootKinds;
use sql::model::names::{Convention, RootKind};

pub(crate) use crate::toml_reader::{SpannedValue, Text};
pub(crate) use parts::read;

/// The whole file.
#[derive(Debug, Default)]
pub(crate) struct File {
    pub(crate) convention: Option<Convention>,
    /// `[naming] enums = "graphql"`: the enums of Postgres are enums of GraphQL.
    pub(crate) graphql_enums: bool,
    /// The fields that tables have by default; set by the server's dialect, not by the file.
    pub(crate) offer: DefaultExposure,
    /// Whether each transaction that writes sets the session for event triggers; no key of the
    /// file.
    pub(crate) event_session: bool,
    pub(crate) session: Vec<(Text, Text)>,
    pub(crate) settings: SettingsEntry,
    pub(crate) rules: Vec<NamedRule>,
    pub(crate) tables: Vec<TableEntry>,
    pub(crate) roles: Vec<RoleDefinition>,
    pub(crate) functions: Vec<FunctionEntry>,
}

/// `[settings]`
#[derive(Debug, Default)]
pub(crate) struct SettingsEntry {
    /// Names with dots, and their values.
    pub(crate) values: Vec<(Text, Text)>,
    /// `reads = true`: the settings hold for queries and subscriptions, too.
    pub(crate) reads: bool,
}

/// `[function.search_articles]`
#[derive(Debug)]
pub(crate) struct FunctionEntry {
    pub(crate) key: Text,
    pub(crate) name: Option<Text>,
    pub(crate) exposure: Option<SpannedValue<Exposure>>,
    pub(crate) session: Option<Text>,
    pub(crate) aggregate: Option<Text>,
    pub(crate) roles: CallersEntry,
}

/// `as = "query"`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exposure {
    Query,
    Mutation,
}

/// The roles that may call a function.
#[derive(Debug)]
pub(crate) enum CallersEntry {
    /// `["user"]`
    These(Vec<Text>),
    /// `"select"`: every role that may read the table of the result.
    Select(Range<usize>),
}

/// `[table.users.computed.full_name]`
#[derive(Debug)]
pub(crate) struct ComputedEntry {
    pub(crate) name: Text,
    pub(crate) function: Text,
    pub(crate) row: Option<Text>,
    pub(crate) session: Option<Text>,
}

/// `[rules.member_of]`
#[derive(Debug)]
pub(crate) struct NamedRule {
    pub(crate) name: Text,
    pub(crate) args: Vec<Text>,
    pub(crate) sql: Text,
}

/// `[role.supervisor]`
#[derive(Debug)]
pub(crate) struct RoleDefinition {
    pub(crate) name: Text,
    pub(crate) inherits: Vec<Text>,
    pub(crate) introspection: bool,
    pub(crate) dry_run: bool,
    /// The role of the database under which its statements run.
    pub(crate) set_role: Option<Text>,
}

/// `[table.data_subjects]`
#[derive(Debug)]
pub(crate) struct TableEntry {
    pub(crate) key: Text,
    pub(crate) name: Option<Text>,
    pub(crate) type_name: Option<Text>,
    pub(crate) convention: Option<Convention>,
    pub(crate) exposed: bool,
    pub(crate) connection: bool,
    pub(crate) comment: Option<String>,
    pub(crate) comments: Vec<(Text, Text)>,
    /// The span of the key `enum`, if it is true.
    pub(crate) is_enum: Option<Range<usize>>,
    pub(crate) declared_key: Vec<Text>,
    pub(crate) columns: Vec<(Text, Text)>,
    pub(crate) roots: Vec<(SpannedValue<RootKind>, Text)>,
    pub(crate) aliases: Vec<(SpannedValue<RootKind>, Alias)>,
    pub(crate) relations: Vec<(Text, RelationEntry)>,
    pub(crate) computed: Vec<ComputedEntry>,
    pub(crate) roles: Vec<RoleEntry>,
}

/// An alias: another name for a root field.
#[derive(Debug)]
pub(crate) struct Alias {
    pub(crate) name: Text,
    pub(crate) input: Option<Text>,
}

/// The file's entry for a relation.
#[derive(Debug)]
pub(crate) enum RelationEntry {
    /// `false`
    Hidden,
    /// `{ column = "c" }`: over a foreign key of this table.
    Here { columns: Vec<Text> },
    /// `{ table = "t", column = "c" }`: over a foreign key of the other table.
    There { table: Text, columns: Vec<Text> },
    /// `{ table = "t", on = { id = "t_id" }, one = true }`: without a foreign key.
    ByHand {
        table: Text,
        on: Vec<(Text, Text)>,
        one: bool,
    },
}

/// `[table.data_subjects.role.user]`
#[derive(Debug)]
pub(crate) struct RoleEntry {
    pub(crate) role: Text,
    pub(crate) select: Option<SelectEntry>,
    pub(crate) insert: Option<InsertEntry>,
    pub(crate) update: Option<UpdateEntry>,
    pub(crate) delete: Option<DeleteEntry>,
}

impl RoleEntry {
    /// How many commands the role may run.
    pub(crate) fn grants(&self) -> usize {
        let RoleEntry {
            role: _,
            select,
            insert,
            update,
            delete,
        } = self;
        [
            select.is_some(),
            insert.is_some(),
            update.is_some(),
            delete.is_some(),
        ]
        .into_iter()
        .filter(|is_granted| *is_granted)
        .count()
    }
}

/// The columns of a grant.
#[derive(Debug)]
pub(crate) enum ColumnsEntry {
    /// `"*"`
    Every,
    /// `["a", "b"]`
    These(Vec<Text>),
}

/// `select = { … }`
#[derive(Debug)]
pub(crate) struct SelectEntry {
    pub(crate) columns: Option<ColumnsEntry>,
    pub(crate) rows: Option<Text>,
    pub(crate) limit: Option<u32>,
    pub(crate) aggregates: Option<AggregatesEntry>,
    pub(crate) masks: Vec<(Text, Text)>,
    pub(crate) roots: RootKinds,
    pub(crate) computed: Vec<Text>,
}

/// `aggregates = true`, or a table that restricts them.
#[derive(Debug, Default)]
pub(crate) struct AggregatesEntry {
    pub(crate) functions: Option<Vec<Text>>,
    pub(crate) columns: Option<ColumnsEntry>,
    pub(crate) min_group: u32,
}

/// `insert = { … }`
#[derive(Debug)]
pub(crate) struct InsertEntry {
    pub(crate) span: Range<usize>,
    pub(crate) columns: Option<ColumnsEntry>,
    pub(crate) check: Option<Text>,
    pub(crate) preset: Vec<(Text, Text)>,
    pub(crate) max_rows: Option<u32>,
    pub(crate) lengths: LengthsEntry,
    pub(crate) backend_only: bool,
    pub(crate) roots: RootKinds,
}

/// `update = { … }`
#[derive(Debug)]
pub(crate) struct UpdateEntry {
    pub(crate) span: Range<usize>,
    pub(crate) columns: Option<ColumnsEntry>,
    pub(crate) rows: Option<Text>,
    pub(crate) check: Option<Text>,
    pub(crate) preset: Vec<(Text, Text)>,
    pub(crate) max_affected: Option<u32>,
    pub(crate) lengths: LengthsEntry,
    pub(crate) backend_only: bool,
    pub(crate) roots: RootKinds,
}

/// The limits on the lengths of values in a grant to write.
#[derive(Debug, Default)]
pub(crate) struct LengthsEntry {
    /// `max_length = …`, in characters.
    pub(crate) characters: PerColumn,
    /// `max_items = …`, in elements of arrays.
    pub(crate) elements: PerColumn,
}

/// A number for all columns, `4000`, or numbers by column, `{ title = 100, "*" = 4000 }`.
#[derive(Debug, Default)]
pub(crate) struct PerColumn {
    /// The number for the columns that have none of their own.
    pub(crate) others: Option<u32>,
    pub(crate) columns: Vec<(Text, u32)>,
}

/// `delete = { … }`
#[derive(Debug)]
pub(crate) struct DeleteEntry {
    pub(crate) span: Range<usize>,
    pub(crate) rows: Option<Text>,
    pub(crate) max_affected: Option<u32>,
    pub(crate) backend_only: bool,
    pub(crate) roots: RootKinds,
}
