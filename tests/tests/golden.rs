//! Runs the golden cases: every `tests/cases/**.graphql`, translated with the saved catalog and executed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use sql::TranslationKind;
use tests::case::{self, Case, Promise};
use tests::fixture::{self, Fixture};
use tests::golden;
use tests::request::{Failure, Translated};
use tokio_postgres::Client;

type Outcome = Result<(), Box<dyn std::error::Error>>;

/// The golden files that belong to some case.
type Used = BTreeSet<PathBuf>;

#[tokio::test]
async fn cases() -> Outcome {
    let database = fixture::database("golden").await?;
    let client = fixture::connect(&database).await?;
    let fixture = Fixture::saved()?;
    let files = case::files()?;
    let (mut used, mut faults) = (Used::new(), Vec::new());
    for file in files.iter().filter(|file| file.extension().is_some_and(|ending| ending == "graphql")) {
        let text = std::fs::read_to_string(case::folder().join(file))?;
        let case = Case::parse(&file.with_extension("").to_string_lossy(), &text)?;
        check(&case, file, &fixture, &client, &mut used, &mut faults).await;
    }
    let unused = files.iter().filter(|file| file.extension().is_none_or(|e| e != "graphql") && !used.contains(*file));
    faults.extend(unused.map(|file| format!("── {} belongs to no case", file.display())));
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
    Ok(())
}

/// Checks that the saved catalog is that of the fixture's schema.
#[tokio::test]
async fn catalog() -> Outcome {
    let database = fixture::database("catalog").await?;
    let catalog = fixture::catalog(&fixture::connect(&database).await?).await?;
    let found = catalog.encode()? + "\n";
    if golden::is_blessed("catalog") {
        std::fs::write(fixture::catalog_path(), &found)?;
    }
    let saved = std::fs::read_to_string(fixture::catalog_path())?;
    assert!(saved == found, "the saved catalog is an old one; rewrite it with `make bless CASE=catalog`");
    Ok(())
}

async fn check(
    case: &Case,
    file: &Path,
    fixture: &Fixture,
    client: &Client,
    used: &mut Used,
    faults: &mut Vec<String>,
) {
    let (mut sections, mut answers) = (Vec::new(), Vec::new());
    for role in &case.roles {
        let Some(access) = fixture.access(role) else {
            faults.push(format!("── {}: no role `{role}`", case.name));
            continue;
        };
        let translated = case.request.translate(access);
        if let Err(error) = client.batch_execute(fixture::RESTART).await {
            faults.push(format!("── {}: {error}", case.name));
        }
        let answer = case.request.answer(client, access).await;
        faults.extend(broken_promises(case, role, &translated, &answer));
        faults
            .extend(unprepared(client, &translated).await.map(|error| format!("── {} as {role}: {error}", case.name)));
        sections.push(golden::translation(role, &translated));
        answers.push((role, golden::answer(&answer)));
    }
    if case.promises.contains(&Promise::Same) && answers.windows(2).any(|pair| pair[0].1 != pair[1].1) {
        faults.push(format!("── {}: the answers are not the same", case.name));
    }
    let mut files = vec![(file.with_extension("sql"), sections.join("\n"))];
    files.extend(answers.into_iter().map(|(role, answer)| (file.with_extension(format!("{role}.json")), answer)));
    for (file, text) in files {
        faults.extend(golden::check(&file, &case.name, &text).err());
        used.insert(file);
    }
}

fn broken_promises(
    case: &Case,
    role: &str,
    translated: &Result<Translated, Failure>,
    answer: &Result<String, Failure>,
) -> Option<String> {
    let statements = match translated.as_ref().map(|translated| &translated.translation.answer) {
        Ok(TranslationKind::Statement(_)) => 1,
        Ok(TranslationKind::Mutation(mutation)) => mutation.steps.len(),
        _ => 0,
    };
    let kept = |promise: &Promise| match promise {
        Promise::Statements(promised) => *promised == statements && answer.is_ok(),
        Promise::Error => answer.is_err(),
        Promise::Same => true,
    };
    // A case without promises has to succeed.
    let fails = answer.is_err() && !case.promises.contains(&Promise::Error);
    match case.promises.iter().find(|promise| !kept(promise)) {
        Some(promise) => Some(format!("── {} as {role} does not keep `{promise:?}`: {answer:?}", case.name)),
        None => fails.then(|| format!("── {} as {role} fails without `## error`: {answer:?}", case.name)),
    }
}

/// The error of Postgres when it prepares a statement, whether or not the parameters could be bound.
async fn unprepared(client: &Client, translated: &Result<Translated, Failure>) -> Option<String> {
    let statement = translated.as_ref().ok()?.translation.answer.statement()?;
    client.prepare(&statement.text).await.err().map(|error| format!("{error:?}"))
}
