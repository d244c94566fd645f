//! Generates large databases: any number of tables of 15 columns, each with a primary key and a
//! foreign key, and permission files for them with any number of roles that each have grants on
//! every table.

use std::fmt::Write;

use tokio_postgres::{Client, NoTls};

const LOAD: &str = include_str!("../benches/catalog.sql");

/// Connects, and drives the connection in a background task.
pub async fn connect(url: &str) -> Result<Client, tokio_postgres::Error> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
    tokio::spawn(connection);
    Ok(client)
}

/// Creates `tables` tables named `t1` and so on, and one before them. It does so in batches, so
/// that no transaction holds too many locks.
pub async fn load(client: &Client, tables: u32) -> Result<(), tokio_postgres::Error> {
    let (types, table) = LOAD.split_once("-- each table\n").unwrap_or((LOAD, ""));
    client.batch_execute(types).await?;
    let numbers: Vec<u32> = (1..=tables).collect();
    for part in numbers.chunks(100) {
        let statements = part.iter().map(|n| {
            table
                .replace("{n}", &n.to_string())
                .replace("{before}", &(n - 1).to_string())
        });
        client
            .batch_execute(&statements.collect::<String>())
            .await?;
    }
    Ok(())
}

/// The URL of a database with `tables` tables in the cluster of this URL, which ends with
/// `/postgres`. The database is created if it does not exist.
pub async fn database(cluster: &str, tables: u32) -> Result<String, tokio_postgres::Error> {
    let name = format!("tables_{tables}");
    let url = format!("{}/{name}", cluster.trim_end_matches("/postgres"));
    let client = connect(cluster).await?;
    if client
        .query_opt("SELECT FROM pg_database WHERE datname = $1", &[&name])
        .await?
        .is_none()
    {
        client
            .batch_execute(&format!("CREATE DATABASE {name}"))
            .await?;
        let client = connect(&url).await?;
        load(&client, tables).await?;
        client.batch_execute("VACUUM ANALYZE").await?;
    }
    Ok(url)
}

/// A permission file for them: each role reads all columns and writes some, of the rows whose
/// parent its rule admits.
pub fn permissions(tables: u32, roles: u32) -> String {
    let mut text = String::from(
        "[session]\nuser_id = \"uuid\"\n\n[rules.owned]\nargs = [\"parent\"]\n\
         sql = \"EXISTS (SELECT FROM t0 o WHERE o.id = parent AND o.id = session.user_id)\"\n",
    );
    for table in 1..=tables {
        for role in 1..=roles {
            let _ = write!(
                text,
                "\n[table.t{table}.role.role{role}]\n\
                                  select = {{ columns = \"*\", rows = \"owned(parent_id)\", \
                                  aggregates = true }}\n\
                                  insert = {{ columns = [\"parent_id\", \"name\", \"email\", \
                                  \"note\"], check = \"owned(parent_id)\" }}\n\
                                  update = {{ columns = [\"name\", \"email\", \"note\"], rows = \
                                  \"owned(parent_id) AND active\" }}\n\
                                  delete = {{ rows = \"owned(parent_id) AND NOT active\" }}\n"
            );
        }
    }
    text
}
