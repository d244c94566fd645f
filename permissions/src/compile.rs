//! One version of the permission file, ready to use.

use std::collections::HashMap;
use std::sync::Arc;

use indexmap::IndexMap;
use sql::model::access::Access;
use sql::model::names::Convention;
use sql::model::{DefaultExposure, Model};
use sql::postgres::catalog::{Catalog, TableId};

use crate::diagnostic::{Diagnostic, SourceFile};
use crate::file::{File, TableEntry};
use crate::grants::{GrantCompiler, Role};
use crate::report::Report;
use crate::rule::Rules;
use crate::rule_check::RuleCheck;
use crate::session::Session;
use crate::{enums, exposure, file, keys, settings};

/// The roles by name, in the order of the file. Each request looks one up.
pub(crate) type Roles = IndexMap<String, Role, foldhash::fast::RandomState>;

/// One compiled version of a permission file.
#[derive(Debug)]
pub struct Permissions {
    /// What the database is called in GraphQL.
    pub model: Arc<Model>,
    /// How names are made that the file does not give.
    pub convention: Convention,
    roles: Roles,
    /// What Postgres is asked to prepare once, so that the types of rules are checked.
    pub rules: Vec<RuleCheck>,
    /// What is worth knowing of the file and no fault, in its order.
    pub notes: Vec<Diagnostic>,
    /// The session values that it declares.
    pub(crate) session: Session,
}

impl Permissions {
    /// What a role may do; `admin` is always there.
    pub fn role(&self, name: &str) -> Option<&Arc<Access>> {
        self.role_as(name, false)
    }

    /// The same for a caller who is a back end, and has the grants that are for them alone. Where there are none it is
    /// the same [`Access`], which says that it is no back end's.
    pub fn role_as(&self, name: &str, backend: bool) -> Option<&Arc<Access>> {
        self.roles.get(name).map(|role| if backend { &role.backend } else { &role.plain })
    }

    /// All roles, `admin` first, then in the order of the file.
    pub fn roles(&self) -> impl Iterator<Item = &Arc<Access>> {
        self.roles.values().map(|role| &role.plain)
    }
}

/// Compiles a permission file against a database; every problem is told at once, in the order of the file.
pub fn compile(source: &SourceFile, catalog: Arc<Catalog>) -> Result<Permissions, Vec<Diagnostic>> {
    compile_with(source, catalog, Convention::default())
}

/// What holds where a file does not say.
#[derive(Clone, Copy, Debug, Default)]
pub struct Defaults {
    /// How names are made: Hasura's profile has `snake`.
    pub convention: Convention,
    /// What is offered of every table.
    pub offer: DefaultExposure,
}

impl From<Convention> for Defaults {
    fn from(convention: Convention) -> Defaults {
        Defaults { convention, ..Defaults::default() }
    }
}

/// The same under other defaults.
pub fn compile_with(
    source: &SourceFile,
    catalog: Arc<Catalog>,
    defaults: impl Into<Defaults>,
) -> Result<Permissions, Vec<Diagnostic>> {
    match compile_partial(source, catalog, defaults) {
        CompileOutcome { permissions: Some(permissions), problems } if problems.is_empty() => Ok(permissions),
        CompileOutcome { problems, .. } => Err(problems),
    }
}

/// What became of a file that may have problems.
#[derive(Debug)]
pub struct CompileOutcome {
    /// What could be made of it; none when it is not TOML. Not to be used while there are problems, but its
    /// [`Permissions::rules`] can be prepared all the same, so that what Postgres finds is told beside the rest.
    pub permissions: Option<Permissions>,
    /// Its problems, in the order of the file.
    pub problems: Vec<Diagnostic>,
}

/// Compiles a permission file as far as it goes.
pub fn compile_partial(source: &SourceFile, catalog: Arc<Catalog>, defaults: impl Into<Defaults>) -> CompileOutcome {
    let Defaults { convention, offer } = defaults.into();
    let mut report = Report::new(source);
    let Some(mut file) = file::read(&mut report) else {
        return CompileOutcome { permissions: None, problems: report.problems };
    };
    file.convention = file.convention.or(Some(convention));
    file.offer = offer;
    let permissions = Some(permissions(&file, catalog, &mut report));
    let mut problems = report.problems;
    sort(&mut problems);
    CompileOutcome { permissions, problems }
}

/// Brings problems into the order of the file.
pub fn sort(problems: &mut [Diagnostic]) {
    problems.sort_by_key(|problem| problem.place().span().start);
}

/// Without a file: everything exposed under camel names, for the role `admin` alone. Of two things of one name the
/// first has it, the other is left out.
pub fn allow_all(catalog: Arc<Catalog>) -> Permissions {
    allow_all_with(catalog, Convention::default())
}

/// The same under other defaults.
pub fn allow_all_with(catalog: Arc<Catalog>, defaults: impl Into<Defaults>) -> Permissions {
    let Defaults { convention, offer } = defaults.into();
    let nothing = SourceFile::new("", "");
    let file = File { convention: Some(convention), offer, ..File::default() };
    permissions(&file, catalog, &mut Report::unread(&nothing))
}

fn permissions(file: &File, catalog: Arc<Catalog>, report: &mut Report<'_>) -> Permissions {
    let entries = exposure::entries(&catalog, file, report);
    let catalog = keys::declared(catalog, &entries, report);
    let enums = enums::checked(&catalog, &entries, report);
    let (model, functions) = exposure::model(catalog, file, &entries, report);
    let model = Arc::new(model.with_enums(&enums).offering(file.offer));
    let catalog = model.catalog();
    let session = Session::declared(catalog, &file.session, report);
    let settings = settings::settings(&session, &file.settings, report);
    let rules = Rules::new(catalog, &session, &file.rules, report);
    let mut granting = GrantCompiler::new(&model, &rules, report);
    let tables: HashMap<*const TableEntry, TableId> =
        entries.iter().map(|(table, entry)| (std::ptr::from_ref(*entry), *table)).collect();
    for entry in &file.tables {
        if let Some(table) = tables.get(&std::ptr::from_ref(entry)) {
            granting.table(*table, entry);
        }
    }
    functions.iter().for_each(|(call, entry)| granting.function(*call, entry));
    granting.roles(&file.roles);
    let (roles, mut prepared) = granting.finish(&settings);
    prepared.append(&mut report.prepared);
    let mut notes = std::mem::take(&mut report.notes);
    sort(&mut notes);
    let convention = file.convention.unwrap_or_default();
    Permissions { roles, rules: prepared, notes, convention, model: model.clone(), session }
}
