//! Compiles a permission file against a catalog into [`Permissions`]: the model, and the [`Access`]
//! of every role.
//!
//! The gateway compiles at start and on each reload; `postern check` compiles to report problems.
//! The stages are called in order in `permissions`, at the end of this file.
//!
//! A role with grants for back ends only (`backend_only`) is compiled twice, with these grants and
//! without, so a request without the header never finds a plan or a schema that was cached for one
//! with it.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use sql::model::access::{Access, Setting};
use sql::model::names::Convention;
use sql::model::{DefaultExposure, Model};
use sql::postgres::catalog::{Catalog, TableId};

use crate::diagnostic::{Diagnostic, SourceFile, Span};
use crate::fault::Fault;
use crate::file::{File, RoleEntry, TableEntry};
use crate::grants::{GrantCompiler, compile_row_rules};
use crate::left_out::LeftOut;
use crate::report::Report;
use crate::roles::Roles;
use crate::rule::Rules;
use crate::rule_check::RuleCheck;
use crate::session::Session;
use crate::settings::RoleSettings;
use crate::state_check::StateCheck;
use crate::{enums, exposure, file, keys, roles, session, settings};

/// A compiled permission file.
#[derive(Debug)]
pub struct Permissions {
    /// The GraphQL names of the database.
    pub model: Arc<Model>,
    /// The naming convention for names that the file does not set.
    pub convention: Convention,
    roles: Roles,
    /// Statements that Postgres prepares once, which checks the types in rules.
    pub rules: Vec<RuleCheck>,
    /// Questions about privileges and settings, which `postern check` asks; a start asks those that
    /// are faults.
    pub states: Vec<StateCheck>,
    /// Notes, which are no faults, in file order.
    pub notes: Vec<Diagnostic>,
    /// The session values that the file declares.
    pub(crate) session: Session,
}

impl Permissions {
    /// The access of a role; `admin` always exists.
    pub fn role(&self, name: &str) -> Option<&Arc<Access>> {
        self.role_as(name, false)
    }

    /// The access of a role for a caller who is or is not a backend. A backend also has the grants
    /// that are `backend_only`. For a role without such grants both are one [`Access`], whose
    /// `is_backend` is false.
    pub fn role_as(&self, name: &str, backend: bool) -> Option<&Arc<Access>> {
        self.roles
            .get(name)
            .map(|role| if backend { &role.backend } else { &role.plain })
    }

    /// All roles: `admin` first, then in file order.
    pub fn roles(&self) -> impl Iterator<Item = &Arc<Access>> {
        self.roles.values().map(|role| &role.plain)
    }

    /// Whether settings of transactions have the claims of tokens.
    pub fn reads_token_claims(&self) -> bool {
        let is_token =
            |(_, setting): &(String, Setting)| matches!(setting, Setting::TokenClaims { .. });
        self.roles()
            .any(|access| access.settings().iter().any(is_token))
    }
}

/// Compiles a permission file against a database. The error contains every problem, in file order.
pub fn compile(source: &SourceFile, catalog: Arc<Catalog>) -> Result<Permissions, Vec<Diagnostic>> {
    compile_with(source, catalog, Convention::default())
}

/// Defaults for what a file does not set.
#[derive(Clone, Copy, Debug, Default)]
pub struct Defaults {
    /// The naming convention: Hasura's dialect has `snake`.
    pub convention: Convention,
    /// The fields that tables have by default.
    pub offer: DefaultExposure,
    /// Whether each transaction that writes sets [`EVENT_SESSION`](crate::EVENT_SESSION) to the
    /// caller's session, for event triggers.
    pub event_session: bool,
}

impl From<Convention> for Defaults {
    fn from(convention: Convention) -> Defaults {
        Defaults {
            convention,
            ..Defaults::default()
        }
    }
}

/// [`compile`] with other defaults.
pub fn compile_with(
    source: &SourceFile,
    catalog: Arc<Catalog>,
    defaults: impl Into<Defaults>,
) -> Result<Permissions, Vec<Diagnostic>> {
    match compile_partial(source, catalog, defaults) {
        CompileOutcome {
            permissions: Some(permissions),
            problems,
        } if problems.is_empty() => Ok(permissions),
        CompileOutcome { problems, .. } => Err(problems),
    }
}

/// The result of compiling a file that may have problems.
#[derive(Debug)]
pub struct CompileOutcome {
    /// The compiled file; `None` if it is not TOML. It must not be used while there are problems,
    /// except that its [`Permissions::rules`] can be prepared, so that Postgres' errors are
    /// reported along with the other problems.
    pub permissions: Option<Permissions>,
    /// The problems, in file order.
    pub problems: Vec<Diagnostic>,
}

/// What a permission file has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileCounts {
    /// The tables that it names.
    pub tables: usize,
    /// The roles that it defines or grants something.
    pub roles: usize,
    /// The grants to select, insert, update or delete.
    pub grants: usize,
}

/// A permission file that was read, which takes no catalog, and is not compiled yet.
#[derive(Debug)]
pub struct ParsedFile {
    source: SourceFile,
    /// `None` if the file is not TOML.
    file: Option<File>,
    problems: Vec<Diagnostic>,
}

impl ParsedFile {
    /// Reads a file. Its problems are reported when it is compiled.
    pub fn read(source: SourceFile) -> ParsedFile {
        ParsedFile::read_without(source, &LeftOut::default())
    }

    /// [`ParsedFile::read`] without some parts of the file.
    pub fn read_without(source: SourceFile, left_out: &LeftOut) -> ParsedFile {
        let mut report = Report::new(&source);
        let file = file::read(&mut report, left_out);
        let problems = report.problems;
        ParsedFile {
            source,
            file,
            problems,
        }
    }

    /// The file as text.
    pub fn source(&self) -> &SourceFile {
        &self.source
    }

    /// How many tables, roles and grants the file has.
    pub fn counts(&self) -> FileCounts {
        let tables = self
            .file
            .as_ref()
            .map_or(&[][..], |file| file.tables.as_slice());
        let definitions = self.file.iter().flat_map(|file| &file.roles);
        let entries = || tables.iter().flat_map(|table| &table.roles);
        let roles: HashSet<&str> = entries()
            .map(|entry| entry.role.value.as_str())
            .chain(definitions.map(|role| role.name.value.as_str()))
            .collect();
        FileCounts {
            tables: tables.len(),
            roles: roles.len(),
            grants: entries().map(RoleEntry::grants).sum(),
        }
    }

    /// The statement that reads the values of the file's enum tables, for
    /// [`Catalog::take_enum_values`]: one row, one column. `None` if the file has no such tables.
    pub fn enum_query(&self, catalog: &Catalog) -> Option<String> {
        enums::query(self.file.as_ref()?, catalog)
    }

    /// Compiles the file as far as possible, collecting problems.
    pub fn compile(self, catalog: Arc<Catalog>, defaults: impl Into<Defaults>) -> CompileOutcome {
        self.compile_with_checks(catalog, defaults, &mut |_| ())
    }

    /// [`ParsedFile::compile`], which passes on each check of [`Permissions::rules`], most of them
    /// long before it ends, so that Postgres can prepare them meanwhile. If the file has problems,
    /// others may be passed on, too.
    pub fn compile_with_checks(
        self,
        catalog: Arc<Catalog>,
        defaults: impl Into<Defaults>,
        on_check: &mut (dyn FnMut(&RuleCheck) + Send),
    ) -> CompileOutcome {
        let Defaults {
            convention,
            offer,
            event_session,
        } = defaults.into();
        let ParsedFile {
            source,
            file,
            problems,
        } = self;
        let Some(mut file) = file else {
            return CompileOutcome {
                permissions: None,
                problems,
            };
        };
        let mut report = Report {
            problems,
            ..Report::new(&source)
        };
        file.convention = file.convention.or(Some(convention));
        file.offer = offer;
        file.event_session = event_session;
        let permissions = permissions(file, catalog, &mut report, on_check);
        let mut problems = report.problems;
        sort(&mut problems);
        let problems = session::one_per_name(problems, &permissions.session, &source);
        let mut problems = one_per_table(problems);
        sort(&mut problems);
        CompileOutcome {
            permissions: Some(permissions),
            problems,
        }
    }
}

/// Reports a table that rules read without the privilege once, at the first of the rules.
fn one_per_table(problems: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut places: HashMap<String, Vec<Span>> = HashMap::new();
    for problem in &problems {
        if let Fault::RulePrivilege { table } = problem.fault() {
            let span = problem.span().clone();
            places.entry(table.clone()).or_default().push(span);
        }
    }
    let reported = problems.into_iter().filter_map(|problem| {
        let Fault::RulePrivilege { table } = problem.fault() else {
            return Some(problem);
        };
        let places = places.remove(table)?;
        Some(problem.concerning(places))
    });
    reported.collect()
}

/// Reads a permission file and compiles it as far as possible, collecting problems.
pub fn compile_partial(
    source: &SourceFile,
    catalog: Arc<Catalog>,
    defaults: impl Into<Defaults>,
) -> CompileOutcome {
    ParsedFile::read(source.clone()).compile(catalog, defaults)
}

/// Sorts problems into file order.
pub fn sort(problems: &mut [Diagnostic]) {
    problems.sort_by_key(|problem| problem.span().span().start);
}

/// The permissions without a file: everything is exposed under camel-case names, only to the role
/// `admin`.
pub fn allow_all(catalog: Arc<Catalog>) -> Permissions {
    allow_all_with(catalog, Convention::default())
}

/// [`allow_all`] with other defaults.
pub fn allow_all_with(catalog: Arc<Catalog>, defaults: impl Into<Defaults>) -> Permissions {
    let Defaults {
        convention,
        offer,
        event_session,
    } = defaults.into();
    let nothing = SourceFile::new("", "");
    let file = File {
        convention: Some(convention),
        offer,
        event_session,
        ..File::default()
    };
    permissions(file, catalog, &mut Report::new(&nothing), &mut |_| ())
}

fn permissions(
    mut file: File,
    catalog: Arc<Catalog>,
    report: &mut Report<'_>,
    on_check: &mut (dyn FnMut(&RuleCheck) + Send),
) -> Permissions {
    let source = report.file;
    let entries = exposure::entries(&catalog, &file, report);
    let catalog = keys::declared(catalog, &entries, report);
    let enums = enums::checked(&catalog, &entries, report);
    let entry_tables: HashMap<*const TableEntry, TableId> = entries
        .iter()
        .map(|(table, entry)| (std::ptr::from_ref(*entry), *table))
        .collect();
    let table_of = |entry: &TableEntry| entry_tables.get(&std::ptr::from_ref(entry)).copied();
    let tables: Vec<Option<TableId>> = file.tables.iter().map(table_of).collect();
    let mut of_rules = Report::new(source);
    let session = Session::declared(&catalog, &file.session, &mut of_rules);
    let settings = RoleSettings {
        values: settings::settings(&session, &file.settings.values, &mut of_rules),
        reads: file.settings.reads,
        event_session: file.event_session,
    };
    let rules =
        Rules::new(&catalog, &session, &file.rules, &mut of_rules).with_settings(&settings.values);
    // Rules need no names, and names no rules.
    let (exposed, (rules, known)) = std::thread::scope(|scope| {
        let rules = scope.spawn(|| {
            let tables = file
                .tables
                .iter()
                .zip(&tables)
                .filter_map(|(entry, table)| Some(((*table)?, entry)));
            let known = compile_row_rules(&rules, tables, source, on_check);
            (rules, known)
        });
        let model = exposure::model(catalog.clone(), &file, &entries, report);
        (
            model,
            rules
                .join()
                .unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
        )
    });
    report.append(of_rules);
    let model = exposed
        .model
        .with_enums(&enums)
        .with_default_exposure(file.offer)
        .with_graphql_enums(file.graphql_enums);
    let model = Arc::new(model);
    let similar_roles = roles::SimilarRoles::of_file(&file);
    let mut granting = GrantCompiler::new(&model, &rules, known, &settings, report, on_check);
    granting.database_roles(&file.roles);
    // An entry is dropped once its grants are compiled.
    for (table, entry) in tables.into_iter().zip(std::mem::take(&mut file.tables)) {
        if let Some(table) = table {
            granting.table(table, &entry);
        }
    }
    for (call, entry) in &exposed.routines {
        granting.function(*call, &file.functions[*entry]);
    }
    granting.roles(&file.roles);
    let (roles, mut prepared, states) = granting.finish();
    exposed.checks.iter().for_each(&mut *on_check);
    prepared.extend(exposed.checks);
    rules.note_unused(report);
    similar_roles.note(report);
    if roles.len() == 1 && !report.file.text.is_empty() {
        report.record(
            Fault::NothingGranted {},
            &(0..0),
            "grant something: [table.….role.…]",
        );
    }
    let mut notes = std::mem::take(&mut report.notes);
    sort(&mut notes);
    let convention = file.convention.unwrap_or_default();
    Permissions {
        roles,
        rules: prepared,
        states,
        notes,
        convention,
        model: model.clone(),
        session,
    }
}
