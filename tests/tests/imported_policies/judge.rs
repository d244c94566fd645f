//! Serves the file that `postern init --from rls` writes for a database, and compares it with
//! Postgres: each statement through GraphQL, and as SQL under `SET ROLE` and with the settings in a
//! transaction that is rolled back.

use std::collections::BTreeMap;
use std::fmt::Write;

use gateway::server::GatewayHandle;
use serde_json::{Map, Value, json};
use tests::TestDatabase;
use tests::reply::Reply;
use tokio_postgres::Client;

const SECRET: &str = "secret";

/// What a caller brings: values of settings, and the claims of its token.
#[derive(Clone, Debug, Default)]
pub(super) struct Caller {
    pub(super) settings: Vec<(&'static str, &'static str)>,
    pub(super) claims: Value,
}

/// A database with roles of its own, the file for it, and a gateway that serves the file.
pub(super) struct Judge {
    pub(super) database: TestDatabase,
    /// The file as it was written.
    pub(super) file: String,
    /// What the command printed to standard error.
    pub(super) printed: String,
    gateway: GatewayHandle,
    http: reqwest::Client,
    superuser: Client,
    /// A connection of the user that the gateway signs in as.
    login: Client,
    roles: Vec<String>,
    /// The session value of each setting.
    values: BTreeMap<String, String>,
}

/// A difference between the gateway and Postgres.
#[derive(Debug)]
pub(super) struct Difference {
    pub(super) is_wider: bool,
    pub(super) text: String,
}

/// One statement in both languages.
#[derive(Clone, Debug)]
pub(super) struct Statement {
    /// GraphQL, with one root field `it`.
    pub(super) graphql: String,
    /// SQL, whose one column is JSON, or a statement whose rows are counted.
    pub(super) sql: String,
}

/// The names of roles in scripts; each database has its own.
const ROLES: [&str; 5] = ["LOGIN", "WEBBY", "MEMBER", "KEEPER", "EXEMPT"];

/// The name of a role in the cluster.
pub(super) fn role_of(database: &TestDatabase, role: &str) -> String {
    format!("{}_of_{}", role.to_lowercase(), database.name())
}

impl Judge {
    /// Creates the database, writes its file as the user that the gateway signs in as, runs the
    /// grants of the comments, and serves the file.
    pub(super) async fn new(script: &str) -> Judge {
        let database = tests::create("imported", &[]).await.unwrap();
        let superuser = database.connect().await.unwrap();
        let roles: Vec<String> = ROLES.iter().map(|role| role_of(&database, role)).collect();
        let script = format!(
            "CREATE ROLE LOGIN NOINHERIT PASSWORD 'pw'; ALTER ROLE LOGIN WITH \
                              login; CREATE ROLE WEBBY; \
                              CREATE ROLE MEMBER; CREATE ROLE KEEPER; CREATE ROLE EXEMPT \
                              bypassrls; \
                              GRANT CREATE ON SCHEMA public TO KEEPER; {script}"
        );
        let script = ROLES
            .iter()
            .zip(&roles)
            .fold(script, |script, (token, role)| script.replace(token, role));
        superuser
            .batch_execute(&script)
            .await
            .unwrap_or_else(|error| panic!("{error:?}: {script}"));
        let (_, location) = database.url().split_once('@').unwrap();
        let url = format!("postgres://{}:pw@{location}", roles[0]);
        let found = tests::binary::run(&["init", "--from", "rls", "--database-url", &url]).unwrap();
        assert_eq!(found.code, Some(0), "{}\n{script}", found.err);
        let file = found.out;
        for grant in file
            .lines()
            .filter_map(|line| line.strip_prefix("# GRANT "))
        {
            superuser
                .batch_execute(&format!("GRANT {grant}"))
                .await
                .unwrap();
        }
        // A mutation is a rehearsal, so that each statement meets the rows of the script.
        let served = file.replace("\nset_role = ", "\ndry_run = true\nset_role = ");
        let served = served.replace("convention = \"camel\"", "convention = \"snake\"");
        let builder = tests::gateway()
            .database_url(&url)
            .admin_secret(SECRET)
            .listen("127.0.0.1:0");
        let builder = builder.permissions_text("permissions.toml", &served);
        let started = builder.start().await;
        let running = started.unwrap_or_else(|error| panic!("{error}\n{file}"));
        let values = session_values(&file);
        let http = reqwest::Client::new();
        let login = tests::database::connect(&url).await.unwrap();
        Judge {
            database,
            file,
            printed: found.err,
            gateway: running,
            http,
            superuser,
            login,
            roles,
            values,
        }
    }

    /// The name in the cluster of a role of the script.
    pub(super) fn role(&self, role: &str) -> String {
        role_of(&self.database, role)
    }

    /// The text with the roles' names in the cluster.
    fn named(&self, text: &str) -> String {
        ROLES
            .iter()
            .zip(&self.roles)
            .fold(text.to_owned(), |text, (token, role)| {
                text.replace(token, role)
            })
    }

    /// Whether the file has a line that begins so, with the names of roles as in scripts.
    pub(super) fn has(&self, line: &str) -> bool {
        let line = self.named(line);
        self.file.lines().any(|written| written.contains(&line))
    }

    /// The result of a statement through GraphQL: the value of `it`, or the error's code.
    pub(super) async fn graphql(
        &self,
        role: &str,
        caller: &Caller,
        query: &str,
    ) -> Result<Value, String> {
        let mut post = self.http.post(format!("{}/v1/graphql", self.gateway.url()));
        post = post
            .header("X-Gateway-Admin-Secret", SECRET)
            .header("X-Gateway-Role", self.role(role));
        post = post.header("X-Gateway-Dry-Run", "true");
        if caller.claims.is_object() {
            post = post.header("X-Gateway-Claims", caller.claims.to_string());
        }
        for (setting, value) in &caller.settings {
            if let Some(name) = self.values.get(*setting) {
                post = post.header(format!("X-Gateway-{}", name.replace('_', "-")), *value);
            }
        }
        let reply = Reply::of(post.json(&json!({"query": self.named(query)})))
            .await
            .unwrap();
        match reply.data() {
            Value::Null => Err(format!("{}: {}", reply.error().code, reply.error().message)),
            data => Ok(data["it"].clone()),
        }
    }

    /// The result of a statement in Postgres: its JSON, or the number of rows as GraphQL gives it.
    pub(super) async fn postgres(
        &self,
        role: &str,
        caller: &Caller,
        sql: &str,
    ) -> Result<Value, String> {
        let sql = self.named(sql);
        self.login.batch_execute("BEGIN").await.unwrap();
        let result = self
            .postgres_in_transaction(&self.role(role), caller, &sql)
            .await;
        self.login.batch_execute("ROLLBACK").await.unwrap();
        result.map_err(|error| {
            error
                .as_db_error()
                .map_or_else(|| error.to_string(), |error| error.to_string())
        })
    }

    async fn postgres_in_transaction(
        &self,
        role: &str,
        caller: &Caller,
        sql: &str,
    ) -> Result<Value, tokio_postgres::Error> {
        // What the caller does not bring is an empty text, as in each transaction after the first.
        let mut settings: BTreeMap<&str, String> = self
            .values
            .keys()
            .map(|name| (name.as_str(), String::new()))
            .collect();
        settings.extend(
            caller
                .settings
                .iter()
                .map(|(name, value)| (*name, (*value).to_owned())),
        );
        let mut claims = caller.claims.as_object().cloned().unwrap_or_else(Map::new);
        claims.insert("role".to_owned(), json!(role));
        settings.insert("request.jwt.claims", Value::Object(claims).to_string());
        settings.insert("role", role.to_owned());
        let literal = |text: &str| format!("'{}'", text.replace('\'', "''"));
        let calls = settings.iter().map(|(name, value)| {
            format!("set_config({}, {}, true)", literal(name), literal(value))
        });
        self.login
            .batch_execute(&format!("SELECT {}", calls.collect::<Vec<_>>().join(", ")))
            .await?;
        if sql.starts_with("SELECT") || sql.starts_with("WITH") {
            let row = self.login.query_one(sql, &[]).await?;
            let text: String = row.get(0);
            return Ok(serde_json::from_str(&text).unwrap());
        }
        let affected = self.login.execute(sql, &[]).await?;
        Ok(json!({"affected_rows": affected}))
    }

    /// How GraphQL and Postgres differ for a statement.
    pub(super) async fn compare(
        &self,
        role: &str,
        caller: &Caller,
        statement: &Statement,
    ) -> Option<Difference> {
        let served = self
            .graphql(role, caller, &statement.graphql)
            .await
            .map(sorted);
        let judged = self
            .postgres(role, caller, &statement.sql)
            .await
            .map(sorted);
        let is_wider = match (&served, &judged) {
            (Ok(served), Ok(judged)) if served == judged => return None,
            (Err(_), Err(_)) => return None,
            (Ok(served), Ok(judged)) => size(served) >= size(judged),
            (Ok(_), Err(_)) => true,
            (Err(_), Ok(_)) => false,
        };
        let mut text = String::new();
        let _ = write!(
            text,
            "{role} {caller:?}\n{}\n{}\nserved {served:?}\nPostgres {judged:?}",
            statement.graphql, statement.sql
        );
        Some(Difference { is_wider, text })
    }

    /// The tables and views of `public`.
    async fn tables(&self) -> Vec<String> {
        let sql = "SELECT relname::text FROM pg_class WHERE relnamespace = \
                   'public'::regnamespace AND relkind IN ('r', 'v') ORDER BY 1";
        self.superuser
            .query(sql, &[])
            .await
            .unwrap()
            .iter()
            .map(|row| row.get(0))
            .collect()
    }

    /// The columns of a table for which a role has a privilege, with their types.
    async fn columns(&self, role: &str, table: &str, privilege: &str) -> Vec<(String, String)> {
        let sql = "SELECT attname::text, atttypid::regtype::text FROM pg_attribute \
                   WHERE attrelid = $2::text::regclass AND attnum > 0 AND attgenerated = '' \
                   AND has_column_privilege($1::text, attrelid, attnum, $3) ORDER BY attnum";
        let rows = self
            .superuser
            .query(sql, &[&self.role(role), &table, &privilege])
            .await
            .unwrap();
        rows.iter().map(|row| (row.get(0), row.get(1))).collect()
    }

    /// Whether a role has a privilege on a table or view.
    async fn may_anything(&self, role: &str) -> bool {
        let sql = "SELECT bool_or(has_any_column_privilege($1::text, oid, 'SELECT, INSERT, \
                   UPDATE') \
                   OR has_table_privilege($1::text, oid, 'DELETE')) \
                   FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN \
                   ('r', 'v')";
        let row = self
            .superuser
            .query_one(sql, &[&self.role(role)])
            .await
            .unwrap();
        row.get::<_, Option<bool>>(0).unwrap_or_default()
    }

    /// Statements of all kinds on a table, with the columns that the role has a privilege for.
    async fn statements(&self, role: &str, table: &str) -> Vec<Statement> {
        let select_columns = self.columns(role, table, "SELECT").await;
        let mut read: Vec<&str> = select_columns
            .iter()
            .map(|(name, _)| name.as_str())
            .collect();
        if read.is_empty() {
            read.push("id");
        }
        let mut statements = vec![select(table, &read)];
        let inserted = self.columns(role, table, "INSERT").await;
        for number in 1..=2 {
            let values: Vec<(String, String)> = inserted
                .iter()
                .map(|(name, kind)| (name.clone(), value(name, kind, number)))
                .collect();
            let values: Vec<(&str, &str)> = values
                .iter()
                .map(|(name, value)| (&**name, &**value))
                .collect();
            statements.push(insert(table, &values, &[]));
            statements.push(insert(table, &values, &read));
        }
        // Defaults fill the other columns.
        let only_id = [("id", "77")];
        statements.push(insert(table, &only_id, &[]));
        statements.push(insert(table, &only_id, &read));
        let mut updated = self.columns(role, table, "UPDATE").await;
        updated.retain(|(name, _)| name != "id");
        for (number, (name, kind)) in updated.iter().enumerate() {
            let value = value(name, kind, number as u32 % 3);
            statements.push(update(table, Some(1), (name, &value), &[]));
            statements.push(update(
                table,
                None,
                (name, &value),
                if number == 0 { &read } else { &[] },
            ));
        }
        statements.extend([
            delete(table, Some(2), &[]),
            delete(table, None, &read),
            delete(table, None, &[]),
        ]);
        statements
    }

    /// Compares statements of all kinds on all tables, and returns those in which the gateway shows
    /// or permits more, or less without a line of the file that says so.
    pub(super) async fn differences(&self, roles: &[&str], callers: &[Caller]) -> Vec<String> {
        let mut differences = vec![];
        for role in roles {
            if !self
                .file
                .contains(&format!("\n[role.{}]\n", self.role(role)))
            {
                let is_named =
                    self.file.contains(&self.role(role)) || self.has("# PUBLIC has privileges");
                assert!(
                    is_named || !self.may_anything(role).await,
                    "no line about {role}:\n{}",
                    self.file
                );
                continue;
            }
            for table in self.tables().await {
                for statement in self.statements(role, &table).await {
                    for caller in callers {
                        let Some(difference) = self.compare(role, caller, &statement).await else {
                            continue;
                        };
                        if difference.is_wider || !self.explains(role, &table) {
                            let kind = if difference.is_wider {
                                "wider"
                            } else {
                                "narrower"
                            };
                            differences.push(format!("{kind}: {}", difference.text));
                        }
                    }
                }
            }
        }
        differences
    }

    /// The role of the file that a role inherits from.
    fn parent(&self, role: &str) -> Option<&str> {
        let (_, definition) = self.file.split_once(&format!("[role.{role}]\n"))?;
        let inherits = definition.lines().nth(1)?.strip_prefix("inherits = [\"")?;
        Some(inherits.split_once('"')?.0)
    }

    /// Whether the file says that it grants a role less of a table than Postgres does.
    fn explains(&self, role: &str, table: &str) -> bool {
        let role = self.role(role);
        let role = self.parent(&role).unwrap_or(&role);
        let section = format!("[table.{table}.role.{role}]\n");
        let Some((_, after)) = self.file.split_once(&section) else {
            return false;
        };
        let section = after.split("[table.").next().unwrap_or_default();
        section
            .lines()
            .any(|line| line.starts_with("# no ") || line.contains("without columns"))
    }

    /// Drops the roles. Databases are dropped with their values, which has to come first.
    pub(super) async fn end(self) {
        drop((self.gateway, self.login));
        let roles = self.roles.join(", ");
        self.superuser
            .batch_execute(&format!("DROP OWNED BY {roles} CASCADE; DROP ROLE {roles}"))
            .await
            .unwrap();
    }
}

/// The result with the rows that a mutation returns in one order.
fn sorted(mut result: Value) -> Value {
    if let Some(rows) = result.get_mut("returning").and_then(Value::as_array_mut) {
        rows.sort_by_key(Value::to_string);
    }
    result
}

/// The number of rows in a result.
fn size(result: &Value) -> u64 {
    match (result.as_array(), result["affected_rows"].as_u64()) {
        (Some(rows), _) => rows.len() as u64,
        (None, count) => count.unwrap_or_default(),
    }
}

/// A literal for a column.
fn value(name: &str, kind: &str, number: u32) -> String {
    match kind {
        _ if name == "id" => format!("{}", 80 + number),
        "integer" => format!("{number}"),
        "boolean" => format!("{}", number == 1),
        "uuid" => format!("'00000000-0000-0000-0000-00000000000{number}'"),
        _ => ["'x'", "'WEBBY'", "'x'"][number as usize % 3].to_owned(),
    }
}

/// The session value of each setting of a file.
fn session_values(file: &str) -> BTreeMap<String, String> {
    fn walk(prefix: &str, table: &toml::Table, values: &mut BTreeMap<String, String>) {
        for (name, value) in table {
            let name = if prefix.is_empty() {
                name.clone()
            } else {
                format!("{prefix}.{name}")
            };
            match value {
                toml::Value::Table(table) => walk(&name, table, values),
                toml::Value::String(value) => {
                    let value = value
                        .strip_prefix("session.")
                        .unwrap_or_default()
                        .to_owned();
                    values.insert(name, value);
                }
                _ => {}
            }
        }
    }
    let mut values = BTreeMap::new();
    let file: toml::Table = toml::from_str(file).unwrap();
    if let Some(settings) = file.get("settings").and_then(toml::Value::as_table) {
        walk("", settings, &mut values);
    }
    values.retain(|_, name| !name.is_empty());
    values
}

/// A statement that reads columns of a table, which has a column `id`.
pub(super) fn select(table: &str, columns: &[&str]) -> Statement {
    let listed = columns.join(", ");
    Statement {
        graphql: format!(
            "{{ it: {table}(order_by: {{id: asc}}) {{ {} }} }}",
            columns.join(" ")
        ),
        sql: format!(
            "SELECT coalesce(json_agg(row_to_json(x)), '[]')::text FROM (SELECT \
                      {listed} FROM {table} ORDER BY id) x"
        ),
    }
}

/// A statement that inserts a row. With columns to return, they are the result; otherwise it is the
/// number of rows.
pub(super) fn insert(table: &str, values: &[(&str, &str)], returning: &[&str]) -> Statement {
    let object: Vec<String> = values
        .iter()
        .map(|(name, value)| format!("{name}: {}", graphql_literal(value)))
        .collect();
    let names: Vec<&str> = values.iter().map(|(name, _)| *name).collect();
    let literals: Vec<&str> = values.iter().map(|(_, value)| *value).collect();
    let into = match names.as_slice() {
        [] => "DEFAULT VALUES".to_owned(),
        names => format!("({}) VALUES ({})", names.join(", "), literals.join(", ")),
    };
    written(
        &format!("insert_{table}(objects: [{{{}}}])", object.join(", ")),
        &format!("INSERT INTO {table} {into}"),
        returning,
    )
}

/// A statement that updates one column, of the row with this id or of all rows.
pub(super) fn update(
    table: &str,
    id: Option<u32>,
    (column, value): (&str, &str),
    returning: &[&str],
) -> Statement {
    let (argument, condition) = one_row(id);
    written(
        &format!(
            "update_{table}({argument}, _set: {{{column}: {}}})",
            graphql_literal(value)
        ),
        &format!("UPDATE {table} SET {column} = {value}{condition}"),
        returning,
    )
}

/// A statement that deletes the row with this id, or all rows.
pub(super) fn delete(table: &str, id: Option<u32>, returning: &[&str]) -> Statement {
    let (argument, condition) = one_row(id);
    written(
        &format!("delete_{table}({argument})"),
        &format!("DELETE FROM {table}{condition}"),
        returning,
    )
}

fn one_row(id: Option<u32>) -> (String, String) {
    match id {
        None => ("where: {}".to_owned(), String::new()),
        Some(id) => (
            format!("where: {{id: {{_eq: {id}}}}}"),
            format!(" WHERE id = {id}"),
        ),
    }
}

fn written(field: &str, sql: &str, returning: &[&str]) -> Statement {
    if returning.is_empty() {
        return Statement {
            graphql: format!("mutation {{ it: {field} {{ affected_rows }} }}"),
            sql: sql.to_owned(),
        };
    }
    let fields = returning.join(" ");
    let columns = returning.join(", ");
    Statement {
        graphql: format!("mutation {{ it: {field} {{ affected_rows returning {{ {fields} }} }} }}"),
        sql: format!(
            "WITH w AS ({sql} RETURNING {columns}) SELECT \
                      json_build_object('affected_rows', count(*), \
                      'returning', coalesce(json_agg(row_to_json(w)), '[]'))::text FROM w"
        ),
    }
}

/// A literal of SQL in GraphQL: numbers, texts and null.
fn graphql_literal(value: &str) -> String {
    value.replace('\'', "\"")
}
