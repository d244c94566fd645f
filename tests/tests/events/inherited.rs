//! What installers do to tables that inherit from a table, and to partitions: `postern migrate
//! --replication`, `--notify-writes` and event triggers. Each child is judged by itself, and no
//! installer makes a write fail.

use gateway::migrations::{NOTIFY_WRITES, REPLICATION};
use gateway::server::GatewayHandle;
use plugins::migration_script;
use serde_json::{Value, json};
use tests::TestDatabase;
use tokio_postgres::Client;

use super::receiver::Receiver;

/// Tables of all kinds that have their rows from others, or give them. `OTHER` owns two of them.
const TREES: &str = r#"
CREATE TABLE animals (id int PRIMARY KEY, name text);
CREATE TABLE dogs (breed text) INHERITS (animals);
CREATE TABLE cats (PRIMARY KEY (id)) INHERITS (animals);
CREATE TABLE puppies (age int) INHERITS (dogs);
CREATE TABLE "wild ""an.imals" (home text, PRIMARY KEY (id)) INHERITS (animals);
CREATE TABLE pets (owner text, id int PRIMARY KEY);
CREATE TABLE lodgers (room int) INHERITS (pets, animals);
CREATE TABLE strays () INHERITS (animals);
CREATE TABLE waifs (PRIMARY KEY (id)) INHERITS (animals);
CREATE TABLE full_rows () INHERITS (animals);
ALTER TABLE full_rows REPLICA IDENTITY FULL;
CREATE TABLE parts (id int PRIMARY KEY, name text) PARTITION BY RANGE (id);
CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM (1) TO (100);
CREATE TABLE parts_2 PARTITION OF parts FOR VALUES FROM (100) TO (1000) PARTITION BY RANGE (id);
CREATE TABLE parts_3 PARTITION OF parts_2 FOR VALUES FROM (100) TO (200);
CREATE TABLE keyless_parts (id int, name text) PARTITION BY RANGE (id);
CREATE TABLE keyless_parts_1 PARTITION OF keyless_parts FOR VALUES FROM (1) TO (100);
"#;

/// The tables that inherit from `animals` and have rows of their own.
const CHILDREN: [&str; 8] = [
    "dogs",
    "cats",
    "puppies",
    "\"wild \"\"an.imals\"",
    "lodgers",
    "strays",
    "waifs",
    "full_rows",
];

/// The tables whose owner is another role.
const OF_OTHERS: [&str; 2] = ["strays", "waifs"];

/// A database whose tables the installer owns, except for some.
struct Trees {
    database: TestDatabase,
    /// As the installer.
    sql: Client,
    url: String,
    superuser: Client,
}

impl Trees {
    async fn create() -> Trees {
        let database = tests::create("trees", &[TREES]).await.unwrap();
        let superuser = database.connect().await.unwrap();
        let [owner, other] =
            ["owner", "other"].map(|kind| format!("{kind}_of_{}", database.name()));
        let of_others = OF_OTHERS.map(|table| {
            format!("ALTER TABLE {table} OWNER TO {other}; GRANT ALL ON {table} TO {owner};")
        });
        superuser
            .batch_execute(&format!(
                "CREATE ROLE {owner} LOGIN PASSWORD 'pw'; CREATE ROLE {other}; \
                 GRANT ALL ON SCHEMA public TO {owner}, {other}; GRANT CREATE ON DATABASE {name} \
                 TO {owner}; \
                 DO $$ DECLARE t regclass; BEGIN FOR t IN SELECT oid FROM pg_class WHERE \
                 relnamespace = 'public'::regnamespace \
                 AND relkind IN ('r', 'p') LOOP EXECUTE format('ALTER TABLE %s OWNER TO \
                 {owner}', t); END LOOP; END $$; {}",
                of_others.concat(),
                name = database.name(),
            ))
            .await
            .unwrap();
        let (_, location) = database.url().split_once('@').unwrap();
        let url = format!("postgres://{owner}:pw@{location}");
        let sql = tests::database::connect(&url).await.unwrap();
        sql.batch_execute(&migration_script()).await.unwrap();
        Trees {
            database,
            sql,
            url,
            superuser,
        }
    }

    /// Writes to every table, directly and through the tables above.
    async fn write(&self) {
        for (number, table) in (10..).zip(CHILDREN) {
            self.superuser
                .batch_execute(&format!(
                    "DELETE FROM {table}; INSERT INTO {table} (id, name) \
                                         VALUES ({number}, 'a'), ({number} + 100, 'b'); \
                                         UPDATE {table} SET name = 'c' WHERE id = {number}"
                ))
                .await
                .unwrap_or_else(|error| panic!("{table}: {error:?}"));
        }
        self.superuser
            .batch_execute(
                "UPDATE animals SET name = 'd' WHERE id > 0; DELETE FROM animals \
                            WHERE id > 100; \
                            DELETE FROM parts; INSERT INTO parts VALUES (1, 'a'), (150, 'b'); \
                            UPDATE parts SET name = 'c'; DELETE FROM parts; \
                            DELETE FROM keyless_parts; INSERT INTO keyless_parts VALUES (1, \
                            'a'); UPDATE keyless_parts SET name = 'c'",
            )
            .await
            .unwrap();
    }

    async fn texts(&self, sql: &str) -> Vec<String> {
        self.superuser
            .query(sql, &[])
            .await
            .unwrap()
            .iter()
            .map(|row| row.get(0))
            .collect()
    }

    async fn published(&self) -> Vec<String> {
        let published =
            "SELECT format('%I', tablename) FROM pg_publication_tables WHERE pubname = 'postern'";
        let mut published = self.texts(published).await;
        published.sort();
        published
    }

    async fn check(&self, arguments: &[&str]) -> tests::binary::Finished {
        let all: Vec<String> = ["check", "--database-url", &self.url]
            .iter()
            .chain(arguments)
            .map(|text| (*text).to_owned())
            .collect();
        let run = move || tests::binary::run(&all.iter().map(String::as_str).collect::<Vec<_>>());
        tokio::task::spawn_blocking(run).await.unwrap().unwrap()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn publication_makes_no_write_fail() {
    let trees = Trees::create().await;
    let expected = [
        "\"wild \"\"an.imals\"",
        "animals",
        "cats",
        "full_rows",
        "parts_1",
        "parts_3",
        "pets",
    ];
    for _ in 0..2 {
        trees.sql.batch_execute(REPLICATION).await.unwrap();
        assert_eq!(trees.published().await, expected);
        trees.write().await;
    }
    // Tables that are made later stay out until the next run.
    trees
        .sql
        .batch_execute(
            "CREATE TABLE late () INHERITS (cats); CREATE TABLE late_key (PRIMARY KEY \
                        (id)) INHERITS (cats)",
        )
        .await
        .unwrap();
    trees.write().await;
    trees.sql.batch_execute(REPLICATION).await.unwrap();
    let mut expected: Vec<_> = expected.into_iter().chain(["late_key"]).collect();
    expected.sort_unstable();
    assert_eq!(trees.published().await, expected);
    trees.write().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn table_that_refuses_updates_is_an_outage_which_a_second_run_ends() {
    let trees = Trees::create().await;
    trees.sql.batch_execute(REPLICATION).await.unwrap();
    assert_eq!(trees.check(&[]).await.code, Some(0));
    // As earlier versions did.
    let add = "ALTER PUBLICATION postern ADD TABLE ONLY dogs, ONLY puppies, keyless_parts";
    trees.sql.batch_execute(add).await.unwrap();
    let update = "UPDATE animals SET name = 'x' WHERE id = 1";
    assert!(trees.sql.batch_execute(update).await.is_err());
    let found = trees.check(&["--json"]).await;
    let report: Value = serde_json::from_str(&found.out).unwrap();
    let help = |index: usize| {
        report["problems"][index]["help"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    assert_eq!(report["ok"], json!(false), "{report}");
    assert_eq!(
        [help(0), help(1), help(2)],
        [
            "ALTER PUBLICATION postern DROP TABLE ONLY dogs",
            "ALTER TABLE keyless_parts_1 REPLICA IDENTITY FULL",
            "ALTER PUBLICATION postern DROP TABLE ONLY puppies"
        ]
    );
    let found = trees.check(&[]).await;
    assert!(
        found.code == Some(1) && found.err.contains("DROP TABLE ONLY dogs"),
        "{}",
        found.err
    );
    trees.sql.batch_execute(REPLICATION).await.unwrap();
    assert_eq!(trees.check(&[]).await.code, Some(0));
    trees.write().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn notifications_are_installed_where_the_role_may() {
    let trees = Trees::create().await;
    let other = format!("other_of_{}", trees.database.name());
    let foreign =
        format!("CREATE TABLE not_ours () INHERITS (cats); ALTER TABLE not_ours OWNER TO {other}");
    trees.superuser.batch_execute(&foreign).await.unwrap();
    for _ in 0..2 {
        trees.sql.batch_execute(NOTIFY_WRITES).await.unwrap();
        let without = "SELECT c.relname::text FROM pg_class c WHERE c.relnamespace = \
                       'public'::regnamespace AND c.relkind IN ('r', 'p') \
                       AND NOT EXISTS (SELECT FROM pg_trigger WHERE tgrelid = c.oid AND tgname = \
                       'postern_notify_write')";
        assert_eq!(trees.texts(without).await, ["not_ours"]);
        trees.write().await;
    }
}

/// The settings of a gateway with one trigger on `animals` and one on each of the others.
fn events(receiver: &Receiver) -> String {
    let event = |name: &str, table: &str, more: &str| {
        format!(
            "[event.{name}]\ntable = \"{table}\"\ninsert = true\ndelete = true\n{more}webhook = \
             \"{}\"\n",
            receiver.url
        )
    };
    event("animal", "animals", "update = true\n")
        + &event("part", "parts", "update = true\n")
        + &event(
            "pet",
            "pets",
            "update = { columns = [\"owner\"], payload = [\"owner\"] }\n",
        )
}

async fn start(trees: &Trees, settings: &str) -> GatewayHandle {
    let builder = tests::gateway()
        .settings(gateway::config::Settings::from_text("gateway.toml", settings).unwrap());
    builder
        .database_url(&trees.url)
        .admin_secret("open sesame, please")
        .listen("127.0.0.1:0")
        .start()
        .await
        .unwrap()
}

/// The trigger, the operation and the rows of the events in the queue.
const EVENTS: &str = "SELECT concat_ws(' ', trigger_name, payload ->> 'op', payload #>> \
                      '{data,old}', payload #>> '{data,new}') \
                      FROM postern.event_queue ORDER BY sequence";

#[tokio::test(flavor = "multi_thread")]
async fn rows_of_tables_that_inherit_raise_the_events_of_their_parents() {
    let trees = Trees::create().await;
    let receiver = Receiver::start(vec![]).await;
    let settings = events(&receiver);
    let running = start(&trees, &format!("[events]\ndeliver = false\n{settings}")).await;
    for table in CHILDREN
        .into_iter()
        .filter(|table| !OF_OTHERS.contains(table))
    {
        trees
            .superuser
            .batch_execute("DELETE FROM postern.event_queue")
            .await
            .unwrap();
        let more = if table == "lodgers" {
            "; UPDATE lodgers SET room = 1; UPDATE lodgers SET owner = 'o'"
        } else {
            ""
        };
        let statements = format!(
            "INSERT INTO {table} (id, name) VALUES (7, 'a'); UPDATE {table} SET name = 'a'; \
             UPDATE animals SET name = 'b' WHERE id = 7{more}; DELETE FROM animals WHERE id = 7"
        );
        trees.superuser.batch_execute(&statements).await.unwrap();
        let a = r#"{"id" : 7, "name" : "a"}"#;
        let b = r#"{"id" : 7, "name" : "b"}"#;
        let mut expected = vec![
            format!("animal INSERT {a}"),
            format!("animal UPDATE {a} {b}"),
            format!("animal DELETE {b}"),
        ];
        if table == "lodgers" {
            // It inherits from two tables with triggers.
            let none = r#"{"owner" : null, "id" : 7}"#;
            let o = r#"{"owner" : "o", "id" : 7}"#;
            expected.extend([
                format!("pet INSERT {none}"),
                r#"pet UPDATE {"owner" : null} {"owner" : "o"}"#.to_owned(),
                format!("pet DELETE {o}"),
            ]);
        }
        expected.sort();
        let mut found = trees.texts(EVENTS).await;
        found.sort();
        assert_eq!(found, expected, "{table}");
    }
    trees
        .superuser
        .batch_execute("DELETE FROM postern.event_queue; INSERT INTO parts VALUES (150, 'a')")
        .await
        .unwrap();
    assert_eq!(
        trees.texts(EVENTS).await,
        [r#"part INSERT {"id":150,"name":"a"}"#]
    );
    // Of other owners, and made later: no events, and a note.
    trees
        .sql
        .batch_execute("CREATE TABLE late () INHERITS (dogs)")
        .await
        .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("gateway.toml");
    std::fs::write(&file, &settings).unwrap();
    let config = ["--config", file.to_str().unwrap()];
    let checked = trees.check(&config).await;
    for table in ["late", "strays", "waifs"] {
        assert!(
            checked
                .err
                .contains(&format!("rows of \"public\".\"{table}\" raise no events")),
            "{}",
            checked.err
        );
    }
    assert!(
        !checked.err.contains("dogs") && checked.code == Some(0),
        "{}",
        checked.err
    );
    // A reload installs the one of the owner.
    running.reload().await.unwrap();
    trees
        .superuser
        .batch_execute("DELETE FROM postern.event_queue; INSERT INTO late VALUES (8, 'l', 'x')")
        .await
        .unwrap();
    assert_eq!(
        trees.texts(EVENTS).await,
        [r#"animal INSERT {"id" : 8, "name" : "l"}"#]
    );
    assert!(!trees.check(&config).await.err.contains("late"));
    // The owner of the others installs the rest, and a gateway of the first owner leaves it alone.
    let (_, location) = trees.url.split_once('@').unwrap();
    let superuser = trees.database.url().to_owned();
    assert!(superuser.ends_with(location));
    let migrated = tokio::task::spawn_blocking({
        let file = file.to_str().unwrap().to_owned();
        move || tests::binary::run(&["migrate", "--config", &file, "--database-url", &superuser])
    });
    let migrated = migrated.await.unwrap().unwrap();
    assert!(
        migrated.code == Some(0)
            && migrated
                .err
                .contains("event triggers: 6 installed, 0 removed"),
        "{}",
        migrated.err
    );
    running.reload().await.unwrap();
    assert!(!trees.check(&config).await.err.contains("raise no events"));
    trees
        .superuser
        .batch_execute("DELETE FROM postern.event_queue; INSERT INTO strays VALUES (9, 's')")
        .await
        .unwrap();
    assert_eq!(
        trees.texts(EVENTS).await,
        [r#"animal INSERT {"id" : 9, "name" : "s"}"#]
    );
    running.shutdown().await;
    // The event names the table of the settings.
    let running = start(&trees, &settings).await;
    assert_eq!(
        receiver.wait(1).await[0].body["table"],
        json!({"schema": "public", "name": "animals"})
    );
    running.shutdown().await;
    // Without triggers in the settings, the superuser's gateway removes them all, with their
    // functions.
    let builder = tests::gateway()
        .settings(gateway::config::Settings::from_text("gateway.toml", "[events]\n").unwrap());
    let running = builder
        .database_url(trees.database.url())
        .admin_secret("open sesame, please")
        .listen("127.0.0.1:0")
        .start()
        .await
        .unwrap();
    let left = "SELECT tgname::text FROM pg_trigger WHERE tgname LIKE 'postern_event_%' \
                UNION SELECT proname::text FROM pg_proc WHERE pronamespace = \
                'postern'::regnamespace AND proname ~ '^event_(insert|update|delete)_'";
    assert_eq!(trees.texts(left).await, Vec::<String>::new());
    running.shutdown().await;
}
