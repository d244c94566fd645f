//! Prints changed rows as they are committed:
//! `DATABASE_URL=postgres://… cargo run --package pg --example replication`. The server's
//! `wal_level` is `logical`, and the user may create publications and replication slots.

use std::error::Error;
use std::future::pending;
use std::time::Duration;

use pg::replication::ReplicationStream;
use pg::replication::pgoutput::{LogicalMessage, TupleValue};
use pg::{Completion, Database, DatabaseError, Settings};
use tokio::time::Instant;

const TIME_LIMIT: Duration = Duration::from_secs(10);

#[tokio::main]
#[expect(clippy::print_stdout, reason = "an example shows what it does")]
async fn main() -> Result<(), Box<dyn Error>> {
    let settings = Settings {
        url: std::env::var("DATABASE_URL")?,
        pool_size: 1,
        statements: 100,
        time_limit: TIME_LIMIT,
        ..Settings::default()
    };
    let database = Database::connect(&settings).await?;
    run(&database, "DROP TABLE IF EXISTS pg_example_notes").await?;
    run(
        &database,
        "CREATE TABLE pg_example_notes (id int PRIMARY KEY, text text)",
    )
    .await?;
    run(&database, "DROP PUBLICATION IF EXISTS pg_example").await?;
    run(
        &database,
        "CREATE PUBLICATION pg_example FOR TABLE pg_example_notes",
    )
    .await?;

    let slot = ReplicationStream::new_slot_name("example");
    let mut stream = database
        .replicate("pg_example", &slot, pending::<DatabaseError>())
        .await?;
    run(
        &database,
        "INSERT INTO pg_example_notes VALUES (1, 'first'), (2, 'second')",
    )
    .await?;
    loop {
        match stream.next().await? {
            LogicalMessage::Relation(table) => {
                let names: Vec<_> = table.columns.iter().map(|column| &*column.name).collect();
                println!("a table with the columns {}", names.join(", "));
            }
            LogicalMessage::Insert { new, .. } => {
                let values: Vec<_> = new.values().map(describe).collect();
                println!("a new row: {}", values.join(", "));
            }
            LogicalMessage::Commit => break,
            _ => {}
        }
    }
    drop(stream);
    run(&database, "DROP PUBLICATION pg_example").await?;
    run(&database, "DROP TABLE pg_example_notes").await?;
    Ok(())
}

async fn run(database: &Database, statement: &str) -> Result<(), Box<dyn Error>> {
    let deadline = Instant::now() + TIME_LIMIT;
    database
        .write(&[statement], &[vec![]], Completion::Commit, deadline)
        .await?;
    Ok(())
}

fn describe(value: TupleValue<'_>) -> String {
    match value {
        TupleValue::Null => "null".into(),
        TupleValue::Unchanged => "unchanged".into(),
        TupleValue::Text(bytes) => String::from_utf8_lossy(bytes).into_owned(),
    }
}
