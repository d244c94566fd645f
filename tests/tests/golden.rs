//! Runs the golden cases. Every `tests/cases/**.graphql` is a test with the name of its path,
//! `where/patterns`: the case is translated with the saved catalog and run in a database of the
//! fixture.
//!
//! Cases roll back what they write, so that a database serves one case after another; cases that
//! run at the same time use different ones, also in different processes.
//!
//! Under cargo-nextest, which runs each test in a process of its own, the cases of a folder are one
//! test, `where/`: to load the permissions takes a process longer than to run a case. 820 processes
//! take a minute on two cores, 46 take seconds.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use libtest_mimic::{Arguments, Trial};
use sql::TranslationKind;
use tests::case::{self, Case, Promise};
use tests::database::ReusedDatabase;
use tests::fixture::{self, Fixture};
use tests::golden;
use tests::request::{Failure, Translated};
use tests::server_features::ServerFeatures;
use tokio::runtime::Runtime;
use tokio_postgres::Client;

type Outcome = Result<(), Box<dyn Error + Send + Sync>>;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let files = match case::files() {
        Ok(files) => files,
        Err(error) => {
            eprintln!("{}: {error}", case::folder().display());
            return ExitCode::FAILURE;
        }
    };
    let cases = files.iter().filter(|file| is_case(file)).cloned();
    // <https://nexte.st/docs/configuration/env-vars/>
    let mut tests: Vec<Trial> = match std::env::var_os("NEXTEST") {
        None => cases
            .map(|file| test(name(&file), move || check_case(&file)))
            .collect(),
        Some(_) => by_folder(cases)
            .map(|(folder, cases)| test(folder, move || check_all(&cases)))
            .collect(),
    };
    tests.push(test("catalog".into(), check_catalog));
    tests.push(test("every_file_belongs_to_a_case".into(), move || {
        check_files(&files)
    }));
    libtest_mimic::run(&arguments, tests).exit_code()
}

fn test(name: String, run: impl FnOnce() -> Outcome + Send + 'static) -> Trial {
    Trial::test(name, || run().map_err(|error| error.to_string().into()))
}

fn is_case(file: &Path) -> bool {
    file.extension().is_some_and(|ending| ending == "graphql")
}

/// The name of a case: its path without the extension.
fn name(file: &Path) -> String {
    file.with_extension("").to_string_lossy().into_owned()
}

/// The cases of each folder, with its name.
fn by_folder(cases: impl Iterator<Item = PathBuf>) -> impl Iterator<Item = (String, Vec<PathBuf>)> {
    let mut folders: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for file in cases {
        let folder = file
            .parent()
            .unwrap_or(Path::new(""))
            .to_string_lossy()
            .into_owned()
            + "/";
        folders.entry(folder).or_default().push(file);
    }
    folders.into_iter()
}

fn read(file: &Path) -> Result<Case, Box<dyn Error + Send + Sync>> {
    let text = std::fs::read_to_string(case::folder().join(file))?;
    Ok(Case::parse(&name(file), &text)?)
}

/// What the cases of a process share. It is made by the first of them.
struct Shared {
    runtime: Runtime,
    fixture: Arc<Fixture>,
    /// The fixture with other permission files, by name, each made by the first case that has it.
    variants: Mutex<BTreeMap<String, Arc<Fixture>>>,
    /// The databases that no case uses at the moment.
    idle: Mutex<Vec<CaseDatabase>>,
}

struct CaseDatabase {
    client: Client,
    _database: ReusedDatabase,
}

static SHARED: LazyLock<Result<Shared, String>> = LazyLock::new(|| {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    let fixture = Fixture::saved().map_err(|error| error.to_string())?;
    Ok(Shared {
        runtime,
        fixture: Arc::new(fixture),
        variants: Mutex::default(),
        idle: Mutex::default(),
    })
});

impl Shared {
    /// The fixture with the permission file of a case.
    fn fixture(&self, case: &Case) -> Result<Arc<Fixture>, fixture::Error> {
        let Some(name) = &case.permissions else {
            return Ok(self.fixture.clone());
        };
        let mut variants = self.variants.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = variants.get(name) {
            return Ok(known.clone());
        }
        let made = Arc::new(Fixture::variant(name)?);
        variants.insert(name.clone(), made.clone());
        Ok(made)
    }

    /// Lends a database to one case.
    async fn with_database<T>(
        &self,
        run: impl AsyncFnOnce(&Client) -> T,
    ) -> Result<T, fixture::Error> {
        let idle = self
            .idle
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop();
        let lent = match idle {
            Some(lent) => lent,
            None => {
                let database = fixture::reused_database().await?;
                CaseDatabase {
                    client: fixture::connect_to(database.url()).await?,
                    _database: database,
                }
            }
        };
        let result = run(&lent.client).await;
        self.idle
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(lent);
        Ok(result)
    }
}

/// Checks all of these cases, and reports all that fail.
fn check_all(cases: &[PathBuf]) -> Outcome {
    let faults: Vec<String> = cases
        .iter()
        .filter_map(|file| {
            check_case(file)
                .err()
                .map(|error| format!("{} fails\n{error}", name(file)))
        })
        .collect();
    outcome(&faults)
}

/// An error with all of these faults; `Ok` if there are none.
fn outcome(faults: &[String]) -> Outcome {
    if faults.is_empty() {
        Ok(())
    } else {
        Err(faults.join("\n").into())
    }
}

fn check_case(file: &Path) -> Outcome {
    let case = read(file)?;
    let shared = SHARED.as_ref().map_err(String::as_str)?;
    let fixture = shared.fixture(&case)?;
    let faults =
        shared
            .runtime
            .block_on(shared.with_database(async |client: &Client| {
                check(&case, file, &fixture, client).await
            }))?;
    outcome(&faults)
}

/// Checks that the saved catalog is that of the fixture's schema.
fn check_catalog() -> Outcome {
    let shared = SHARED.as_ref().map_err(String::as_str)?;
    let features = shared.with_database(async |client: &Client| ServerFeatures::of(client).await);
    let features = shared.runtime.block_on(features)??;
    if !features.has_postgis || features.version < 14 {
        eprintln!("skipped: the saved catalog needs PostGIS, and Postgres 14 for multiranges");
        return Ok(());
    }
    let catalog = shared.with_database(async |client: &Client| fixture::catalog(client).await);
    let found = shared.runtime.block_on(catalog)??.encode()? + "\n";
    if golden::is_blessed("catalog") {
        std::fs::write(fixture::catalog_path(), &found)?;
    }
    if std::fs::read_to_string(fixture::catalog_path())? == found {
        Ok(())
    } else {
        Err("the saved catalog is an old one; rewrite it with `make bless CASE=catalog`".into())
    }
}

/// Checks that every `.sql` and `.json` file belongs to a case, the latter to one of its roles.
fn check_files(files: &[PathBuf]) -> Outcome {
    let mut used = BTreeSet::new();
    for file in files.iter().filter(|file| is_case(file)) {
        used.insert(file.with_extension("sql"));
        used.extend(
            read(file)?
                .roles
                .iter()
                .map(|role| file.with_extension(format!("{role}.json"))),
        );
    }
    let unused = files
        .iter()
        .filter(|file| !is_case(file) && !used.contains(*file));
    let faults: Vec<String> = unused
        .map(|file| format!("── {} belongs to no case", file.display()))
        .collect();
    outcome(&faults)
}

/// Translates and runs a case for each of its roles and compares the results with its files.
/// Returns all faults.
async fn check(case: &Case, file: &Path, fixture: &Fixture, client: &Client) -> Vec<String> {
    let mut faults = Vec::new();
    if !case.has_promise() {
        faults.push(format!(
            "── {}: no promise: add `## statements: 1` or `## error`",
            case.name
        ));
    }
    let mut sections = Vec::new();
    let mut responses = Vec::new();
    let known = std::fs::read_to_string(case::folder().join(file.with_extension("sql")))
        .unwrap_or_default();
    match ServerFeatures::of(client).await {
        Ok(features) => {
            if let Some(missing) = features.missing_for(&known) {
                eprintln!("skipped: {} needs {missing}", case.name);
                return vec![];
            }
        }
        Err(error) => return vec![format!("── {}: {error}", case.name)],
    }
    for role in &case.roles {
        let Some(access) = fixture.access(role) else {
            faults.push(format!("── {}: no role `{role}`", case.name));
            continue;
        };
        let translated = case.request.translate(access);
        if let Err(error) = client.batch_execute(fixture::RESTART).await {
            faults.push(format!("── {}: {error}", case.name));
        }
        let response = case.request.answer(client, access).await;
        faults.extend(broken_promise(case, role, &translated, &response));
        faults.extend(
            unprepared(client, &translated)
                .await
                .map(|error| format!("── {} as {role}: {error}", case.name)),
        );
        sections.push(golden::translation(role, &translated));
        responses.push((role, golden::answer(&response)));
    }
    if case.promises.contains(&Promise::Same)
        && responses.windows(2).any(|pair| pair[0].1 != pair[1].1)
    {
        faults.push(format!("── {}: the answers are not the same", case.name));
    }
    let mut files = vec![(file.with_extension("sql"), sections.join("\n"))];
    files.extend(responses.into_iter().map(|(role, response_value)| {
        (file.with_extension(format!("{role}.json")), response_value)
    }));
    faults.extend(
        files
            .iter()
            .filter_map(|(file, text)| golden::check(file, &case.name, text).err()),
    );
    faults
}

fn broken_promise(
    case: &Case,
    role: &str,
    translated: &Result<Translated, Failure>,
    response: &Result<String, Failure>,
) -> Option<String> {
    let statements = match translated
        .as_ref()
        .map(|translated| &translated.translation.kind)
    {
        Ok(TranslationKind::Statement(_)) => 1,
        Ok(TranslationKind::Mutation(mutation)) => mutation.steps.len(),
        _ => 0,
    };
    let kept = |promise: &Promise| match promise {
        Promise::Statements(promised) => *promised == statements && response.is_ok(),
        Promise::Error => response.is_err(),
        Promise::Same => true,
    };
    let broken = case.promises.iter().find(|promise| !kept(promise))?;
    Some(format!(
        "── {} as {role} does not keep `{broken:?}` with {statements} statements: {response:?}",
        case.name
    ))
}

/// The error of Postgres when it prepares a statement, whether or not the parameters could be
/// bound.
async fn unprepared(client: &Client, translated: &Result<Translated, Failure>) -> Option<String> {
    let statement = translated.as_ref().ok()?.translation.kind.statement()?;
    client
        .prepare(&statement.text)
        .await
        .err()
        .map(|error| format!("{error:?}"))
}
