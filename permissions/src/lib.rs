//! Compiles the permission file: the access of each role to tables, columns and rows, and the
//! GraphQL names of everything.
//!
//! [`mod@compile`] turns a file and a catalog into [`Permissions`], or reports every problem of the
//! file at once. `file` is the file as parsed, `exposure` assigns names, `grants` and `rule`
//! compile what roles may do.

#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

mod clock_literals;
mod compile;
mod statement;
mod init;
mod roles;
mod grants;
mod inherit;
mod rule;
mod session;
mod settings;
mod policies;
mod database_rights;
mod settings_read;
mod state_check;
mod exposure;
mod enums;
mod keys;
mod file;
mod toml_reader;
mod left_out;
mod variables;
mod table_names;
mod report;
mod refusals;
mod rule_check;
mod diagnostic;
mod fault;
mod diagnostic_kind;
mod toml_fault;
mod toml_syntax;
mod similar_names;

pub use clock_literals::{ClockLiteral, clock_literals};
pub use compile::{
    CompileOutcome, Defaults, FileCounts, ParsedFile, Permissions, allow_all, allow_all_with,
    compile, compile_partial, compile_with, sort,
};
pub use database_rights::{DatabaseRights, POLICIES_QUERY};
pub use diagnostic::{Diagnostic, FaultText, SourceFile, Span, render};
pub use diagnostic_kind::DiagnosticKind;
pub use fault::Fault;
pub use init::init;
pub use left_out::LeftOut;
pub use policies::PolicyDraft;
pub use refusals::RefusedRule;
pub use rule::{CallPolicy, Statement};
pub use rule_check::{RuleCheck, RuleError};
pub use session::RESERVED_SESSION_VALUES;
pub use settings::EVENT_SESSION;
pub use similar_names::{closest, did_you_mean, is_typo, listed};
pub use state_check::StateCheck;
pub use statement::statement;
pub use toml_fault::TomlFault;
pub use toml_reader::{SpannedValue, Text, TomlFields, TomlReader, TomlValue};
pub use toml_syntax::{SyntaxFault, syntax_faults};
pub use variables::Variables;

/// Stands for the database user in suggestions, where its name is not known yet.
pub const DATABASE_USER: &str = "the user that the gateway signs in as";

/// The role that is always there and may do everything. The admin secret alone opens it.
pub const ADMIN: &str = "admin";
