//! Many callers share two connections: `DATABASE_URL=postgres://… cargo run --package pg --example pool`.

use std::error::Error;
use std::time::Duration;

use futures_util::future::try_join_all;
use pg::sharing::{ShareKey, share_key};
use pg::{
    Completion, Database, DatabaseError, Query, QueueSettings, Requester, RowColumns, Settings,
};
use tokio::time::Instant;

const TIME_LIMIT: Duration = Duration::from_secs(10);

#[tokio::main]
#[expect(clippy::print_stdout, reason = "an example shows what it does")]
async fn main() -> Result<(), Box<dyn Error>> {
    let settings = Settings {
        url: std::env::var("DATABASE_URL")?,
        pool_size: 2,
        statements: 100,
        time_limit: TIME_LIMIT,
        // Each user may hold one of the two connections.
        queue: QueueSettings {
            client_limit: 1,
            ..QueueSettings::default()
        },
        ..Settings::default()
    };
    let database = Database::connect(&settings).await?;

    let callers = (0..10).map(|number| greet(&database, if number < 9 { "ann" } else { "bob" }));
    for greeting in try_join_all(callers).await? {
        println!("{greeting}");
    }

    // Both statements are one packet and one transaction.
    let statements = ["SELECT pg_advisory_xact_lock($1)", "SELECT $1 || ' locked'"];
    let parameters = [vec![Some("7".into())], vec![Some("seven".into())]];
    let deadline = Instant::now() + TIME_LIMIT;
    let results = database
        .write(&statements, &parameters, Completion::Commit, deadline)
        .await?;
    for row in results.iter().skip(1).flatten() {
        println!("{}", RowColumns::new(row).text().unwrap_or_default());
    }

    let pool = database.pool();
    println!("{} of {} connections were opened", pool.open, pool.limit);
    Ok(())
}

/// One of the statements of a user, who waits in a line with the others.
async fn greet(database: &Database, user: &str) -> Result<String, DatabaseError> {
    let key = ShareKey {
        user: Some(share_key(user)),
        ..ShareKey::default()
    };
    let deadline = Instant::now() + TIME_LIMIT;
    let connection = database.acquire(&Requester::new(key, 2), deadline).await?;
    let query = Query {
        text: "SELECT 'hello, ' || $1",
        parameters: &[Some(user.to_owned())],
        ..Query::default()
    };
    let mut rows = connection.query(query, deadline)?;
    let mut greeting = None;
    while let Some(mut columns) = rows.next().await? {
        greeting = columns.text();
    }
    Ok(greeting.unwrap_or_default())
}
