//! Finds the functions, operators and domain checks that a statement calls beside Postgres' own.
//! Only Postgres can resolve an operator or a cast to a function; for a view it records those
//! dependencies in `pg_depend`. So each statement becomes a temporary view in a transaction that is
//! rolled back. On a standby, where that is impossible, everything counts as called that the
//! statement's words may name.
//!
//! There, a name counts that occurs as it would have to for a call; casts and canonical functions
//! of ranges, which need no name, always count. Too many calls ask for `unchecked = true` where a
//! primary needs none; too few would let a statement pass that reads hidden rows.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use futures_util::{StreamExt, stream};
use pg::{Database, DatabaseError};
use tokio::time::Instant;
use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, Row};

/// The result for each text. Texts that were not examined have none.
#[derive(Debug, Default)]
pub(super) struct CalledFunctions(HashMap<String, Result<BTreeSet<String>, String>>);

/// The time limit for all statements together, and the number of statements in flight.
const TIME_LIMIT: Duration = Duration::from_secs(60);
const IN_FLIGHT: usize = 8;

/// What the temporary views of the session call.
const CALLED: &str = concat!(
    include_str!("used_by_views.sql"),
    include_str!("called.sql")
);

/// What statements may call, by their texts.
const NAMED: &str = concat!(
    include_str!("used_by_names.sql"),
    include_str!("called.sql")
);

impl CalledFunctions {
    /// Examines every text.
    pub(super) async fn read(
        database: &Database,
        texts: BTreeSet<&str>,
    ) -> Result<CalledFunctions, DatabaseError> {
        if texts.is_empty() {
            return Ok(CalledFunctions::default());
        }
        let mut client = database.admin_client(Instant::now() + TIME_LIMIT).await?;
        let called = tokio::time::timeout(TIME_LIMIT, ask(&mut client, &texts)).await;
        let called = called.map_err(|_| DatabaseError::Timeout(TIME_LIMIT))?;
        drop(client);
        database.close_idle_admin();
        called
            .map(CalledFunctions)
            .map_err(|error| DatabaseError::from_driver(&error, TIME_LIMIT))
    }

    /// The functions that a text calls, or the error of Postgres; `None` if it was not examined
    /// because another text failed.
    pub(super) fn by(&self, text: &str) -> Option<Result<&BTreeSet<String>, &str>> {
        self.0
            .get(text)
            .map(|called| called.as_ref().map_err(String::as_str))
    }
}

type Answers = HashMap<String, Result<BTreeSet<String>, String>>;

async fn ask(
    client: &mut Client,
    texts: &BTreeSet<&str>,
) -> Result<Answers, tokio_postgres::Error> {
    if client
        .query_one("SELECT pg_catalog.pg_is_in_recovery()", &[])
        .await?
        .try_get(0)?
    {
        return ask_by_names(client, texts).await;
    }
    // A transaction that is dropped before its end is rolled back. A read-only server fails here.
    let transaction = match client.build_transaction().read_only(false).start().await {
        Ok(transaction) => transaction,
        Err(error) => {
            return texts
                .first()
                .map_or_else(|| Ok(Answers::new()), |text| raised(text, error));
        }
    };
    let views: Vec<(String, &str)> = texts
        .iter()
        .enumerate()
        .map(|(number, text)| (format!("postern_statement_{number}"), *text))
        .collect();
    let made = views.iter().map(async |(view, text)| {
        // In a subquery, columns of any type and with any name are allowed.
        let view = format!("CREATE TEMP VIEW {view} AS SELECT 1 AS one FROM ({text}) AS statement");
        (*text, transaction.batch_execute(&view).await)
    });
    let made: Vec<_> = stream::iter(made).buffered(IN_FLIGHT).collect().await;
    for (text, made) in made {
        // Only the first error is reported: after it, all later statements fail.
        if let Err(error) = made {
            return raised(text, error);
        }
    }
    let rows = transaction.query(CALLED, &[]).await?;
    transaction.rollback().await?;
    read_rows(&rows, &views)
}

/// Finds by their names what the statements may call.
async fn ask_by_names(
    client: &Client,
    texts: &BTreeSet<&str>,
) -> Result<Answers, tokio_postgres::Error> {
    // An identifier with Unicode escapes hides its name. The text is that of the parser, which
    // writes no comments.
    let is_readable = |text: &&&str| !text.to_ascii_lowercase().contains("u&\"");
    let (readable, hidden): (Vec<&str>, Vec<&str>) = texts.iter().partition(is_readable);
    let rows = client.query(NAMED, &[&readable]).await?;
    let views: Vec<(String, &str)> = readable
        .iter()
        .enumerate()
        .map(|(number, text)| (format!("postern_statement_{number}"), *text))
        .collect();
    let message = "on a standby, names with Unicode escapes cannot be looked up";
    let mut responses = read_rows(&rows, &views)?;
    responses.extend(
        hidden
            .into_iter()
            .map(|text| (text.to_owned(), Err(message.to_owned()))),
    );
    Ok(responses)
}

/// The calls of each statement, from rows with its name and a call.
fn read_rows(rows: &[Row], views: &[(String, &str)]) -> Result<Answers, tokio_postgres::Error> {
    let mut called: HashMap<&str, BTreeSet<String>> = HashMap::new();
    for row in rows {
        called
            .entry(row.try_get(0)?)
            .or_default()
            .insert(row.try_get(1)?);
    }
    let of_view = |(view, text): &(String, &str)| {
        (
            text.to_string(),
            Ok(called.remove(view.as_str()).unwrap_or_default()),
        )
    };
    Ok(views.iter().map(of_view).collect())
}

/// Reports an error of the server for this text. A timeout or a lost connection is returned as an
/// error.
fn raised(text: &str, error: tokio_postgres::Error) -> Result<Answers, tokio_postgres::Error> {
    match error.as_db_error() {
        Some(database_error) if *database_error.code() != SqlState::QUERY_CANCELED => Ok(
            Answers::from([(text.to_owned(), Err(database_error.message().to_owned()))]),
        ),
        _ => Err(error),
    }
}
