//! What the statements of a map call that is not Postgres' own. Only Postgres knows what an operator, a cast or a field is in the
//! end; and it notes of a view what that depends on. So it makes a view of each statement, in a transaction that is undone.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use futures_util::{StreamExt, stream};
use tokio::time::Instant;
use tokio_postgres::Client;
use tokio_postgres::error::SqlState;

use crate::database::{Database, DatabaseError};

/// What Postgres says of each text; of one that it was not asked about nothing is known.
#[derive(Debug, Default)]
pub(super) struct CalledFunctions(HashMap<String, Result<BTreeSet<String>, String>>);

/// How long all of them may take, and how many are on their way at a time.
const PATIENCE: Duration = Duration::from_secs(60);
const IN_FLIGHT: usize = 8;

const CALLED: &str = include_str!("called.sql");

impl CalledFunctions {
    /// Has Postgres look through every text.
    pub(super) async fn of(database: &Database, texts: BTreeSet<&str>) -> Result<CalledFunctions, DatabaseError> {
        if texts.is_empty() {
            return Ok(CalledFunctions::default());
        }
        let mut client = database.admin_client(Instant::now() + PATIENCE).await?;
        let called = tokio::time::timeout(PATIENCE, ask(&mut client, &texts)).await;
        let called = called.map_err(|_| DatabaseError::Late(PATIENCE))?;
        drop(client);
        database.close_idle_admin();
        called.map(CalledFunctions).map_err(|error| DatabaseError::of(&error, PATIENCE))
    }

    /// What a text calls, or why Postgres does not say; `None` where it was not asked, because it did not say of another.
    pub(super) fn by(&self, text: &str) -> Option<Result<&BTreeSet<String>, &str>> {
        self.0.get(text).map(|called| called.as_ref().map_err(String::as_str))
    }
}

type Answers = HashMap<String, Result<BTreeSet<String>, String>>;

async fn ask(client: &mut Client, texts: &BTreeSet<&str>) -> Result<Answers, tokio_postgres::Error> {
    // What is dropped before its end is undone. A server that only reads says so here.
    let transaction = match client.build_transaction().read_only(false).start().await {
        Ok(transaction) => transaction,
        Err(error) => return texts.first().map_or_else(|| Ok(Answers::new()), |text| raised(text, error)),
    };
    let views: Vec<(String, &str)> =
        texts.iter().enumerate().map(|(number, text)| (format!("postern_statement_{number}"), *text)).collect();
    let made = views.iter().map(async |(view, text)| {
        // Within, a column may be of any type, and be called as it likes.
        let view = format!("CREATE TEMP VIEW {view} AS SELECT 1 AS one FROM ({text}) AS statement");
        (*text, transaction.batch_execute(&view).await)
    });
    let made: Vec<_> = stream::iter(made).buffered(IN_FLIGHT).collect().await;
    for (text, made) in made {
        // The first that fails is the one to tell of: after it, all do.
        if let Err(error) = made {
            return raised(text, error);
        }
    }
    let rows = transaction.query(CALLED, &[]).await?;
    transaction.rollback().await?;
    let mut called: HashMap<&str, BTreeSet<String>> = HashMap::new();
    for row in &rows {
        called.entry(row.try_get(0)?).or_default().insert(row.try_get(1)?);
    }
    let of_view =
        |(view, text): &(String, &str)| (text.to_string(), Ok(called.remove(view.as_str()).unwrap_or_default()));
    Ok(views.iter().map(of_view).collect())
}

/// A server that answers has said why not.
fn raised(text: &str, error: tokio_postgres::Error) -> Result<Answers, tokio_postgres::Error> {
    match error.as_db_error() {
        Some(told) if *told.code() != SqlState::QUERY_CANCELED => {
            Ok(Answers::from([(text.to_owned(), Err(told.message().to_owned()))]))
        }
        _ => Err(error),
    }
}
