//! `filters`: measures Postgres' CPU time per call of everyday lists: as Postern writes them, and in the forms that
//! Postgres can plan: anew for each call, once for all, and with the constants in the text. It prints a table.

use std::process::ExitCode;
use std::sync::Arc;

use bench::{Failure, machine};
use clap::{Arg, Command, value_parser};
use cluster::{Cluster, Options};
use permissions::{Permissions, SourceFile};
use serde_json::{Value as Json, json};
use sql::graphql::document;
use sql::graphql::variables::Variables;
use sql::postgres::catalog::{Catalog, QUERY};
use sql::resolve::{Operation, Options as Translating};
use sql::statement::{SessionValues, Statement, ValueBudget};
use sql::{Translation, TranslationKind};
use tokio_postgres::types::private::BytesMut;
use tokio_postgres::types::{Format, IsNull, ToSql, Type};
use tokio_postgres::{Client, NoTls};

/// 300,000 rows of 3,000 parents of very different size, and of 20 tenants of which one has half of the rows.
const SCHEMA: &str = "
CREATE TYPE state AS ENUM ('active', 'done', 'failed', 'odd');
CREATE TABLE parents (id int PRIMARY KEY, name text NOT NULL);
INSERT INTO parents SELECT g, 'parent ' || g FROM generate_series(1, 3000) g;
CREATE TABLE items (
  id int PRIMARY KEY, parent_id int NOT NULL REFERENCES parents, other_id int NOT NULL REFERENCES parents,
  tenant_id int NOT NULL, status text NOT NULL, state state NOT NULL, is_open bool NOT NULL, deleted_at timestamptz,
  price int NOT NULL, name text NOT NULL, created_at timestamptz NOT NULL, due date NOT NULL
);
INSERT INTO items
  SELECT n, 1 + floor(3000 * power(a, 1.2))::int, 1 + floor(3000 * b)::int,
         CASE WHEN c < 0.5 THEN 1 ELSE 2 + floor(19 * d)::int END, status, status::state, f < 0.9,
         CASE WHEN g < 0.05 THEN '2024-06-01'::timestamptz END, floor(1000 * h)::int, md5(n::text),
         '2024-01-01'::timestamptz + n * interval '1 minute', '2024-01-01'::date + n % 700
  FROM (
    SELECT n, random() AS a, random() AS b, random() AS c, random() AS d, random() AS f, random() AS g, random() AS h,
           CASE WHEN n % 1000 < 800 THEN 'active' WHEN n % 1000 < 950 THEN 'done' WHEN n % 1000 < 999 THEN 'failed' ELSE 'odd' END AS status
    FROM generate_series(1, 300000) AS n OFFSET 0
  ) AS random;
CREATE INDEX ON items (parent_id, created_at);
CREATE INDEX ON items (other_id);
CREATE INDEX ON items (tenant_id, created_at);
CREATE INDEX ON items (created_at);
CREATE INDEX ON items (name text_pattern_ops);";

const PERMISSIONS: &str = r#"
[naming]
convention = "snake"
[table.parents.role]
reader.select = { columns = "*", rows = "true" }
[table.items.role]
reader.select = { columns = "*", rows = "true" }
"#;

/// A list: what it is, the variables with their types, the condition, and the variables' values at a call.
struct Shape {
    name: &'static str,
    variables: &'static str,
    condition: &'static str,
    values: fn(u32) -> Json,
}

/// Names are hashes, so a prefix of three digits finds about 70 rows.
fn prefix(call: u32) -> Json {
    json!({"name": format!("{:03x}%", call * 7919 % 4096)})
}

fn parent(call: u32) -> u32 {
    1 + call * 7919 % 3000
}

const STATES: [&str; 3] = ["active", "active", "done"];

fn state(call: u32) -> &'static str {
    STATES.get(call as usize % STATES.len()).copied().unwrap_or("active")
}

static SHAPES: &[Shape] = &[
    Shape {
        name: "a parent, constant status",
        variables: "$p: Int!",
        condition: r#"parent_id: {_eq: $p}, status: {_eq: "active"}"#,
        values: |call| json!({"p": parent(call)}),
    },
    Shape {
        name: "a parent, status",
        variables: "$p: Int!, $s: String!",
        condition: "parent_id: {_eq: $p}, status: {_eq: $s}",
        values: |call| json!({"p": parent(call), "s": state(call)}),
    },
    Shape {
        name: "a parent, enum",
        variables: "$p: Int!, $s: state!",
        condition: "parent_id: {_eq: $p}, state: {_eq: $s}",
        values: |call| json!({"p": parent(call), "s": state(call)}),
    },
    Shape {
        name: "a parent, Boolean",
        variables: "$p: Int!, $o: Boolean!",
        condition: "parent_id: {_eq: $p}, is_open: {_eq: $o}",
        values: |call| json!({"p": parent(call), "o": call % 10 != 0}),
    },
    Shape {
        name: "a parent, not the status",
        variables: "$p: Int!, $s: String!",
        condition: "parent_id: {_eq: $p}, status: {_neq: $s}",
        values: |call| json!({"p": parent(call), "s": "failed"}),
    },
    Shape {
        name: "a parent, price from",
        variables: "$p: Int!, $x: Int!",
        condition: "parent_id: {_eq: $p}, price: {_gte: $x}",
        values: |call| json!({"p": parent(call), "x": call % 300}),
    },
    Shape {
        name: "a parent, dates",
        variables: "$p: Int!, $x: date!, $y: date!",
        condition: "parent_id: {_eq: $p}, due: {_gte: $x, _lte: $y}",
        values: |call| json!({"p": parent(call), "x": "2024-01-01", "y": format!("2025-{:02}-01", 1 + call % 11)}),
    },
    Shape {
        name: "a parent, newer than",
        variables: "$p: Int!, $x: timestamptz!",
        condition: "parent_id: {_eq: $p}, created_at: {_gt: $x}",
        values: |call| json!({"p": parent(call), "x": format!("2024-{:02}-01T00:00:00Z", 1 + call % 6)}),
    },
    Shape {
        name: "a parent, list of statuses",
        variables: "$p: Int!, $s: [String!]!",
        condition: "parent_id: {_eq: $p}, status: {_in: $s}",
        values: |call| json!({"p": parent(call), "s": [state(call), "failed"]}),
    },
    Shape {
        name: "a parent, not deleted, constant enum",
        variables: "$p: Int!",
        condition: "parent_id: {_eq: $p}, deleted_at: {_is_null: true}, state: {_eq: \"active\"}",
        values: |call| json!({"p": parent(call)}),
    },
    Shape {
        name: "two parents",
        variables: "$p: Int!, $q: Int!",
        condition: "parent_id: {_eq: $p}, other_id: {_eq: $q}",
        values: |call| json!({"p": parent(call), "q": parent(call * 3 + 1)}),
    },
    Shape {
        name: "one of 20 tenants, constant status",
        variables: "$t: Int!",
        condition: r#"tenant_id: {_eq: $t}, status: {_eq: "active"}"#,
        values: |call| json!({"t": 1 + call % 20}),
    },
    Shape { name: "constant status", variables: "", condition: r#"status: {_eq: "active"}"#, values: |_| json!({}) },
    Shape { name: "a prefix", variables: "$name: String!", condition: "name: {_like: $name}", values: prefix },
    Shape {
        name: "name of the parent",
        variables: "$n: String!",
        condition: r#"parent: {name: {_eq: $n}}, status: {_eq: "active"}"#,
        values: |call| json!({"n": format!("parent {}", parent(call))}),
    },
];

/// How Postgres plans a statement.
#[derive(Clone, Copy)]
enum Form {
    /// As Postern writes it.
    Postern,
    /// Parameters, planned for each call.
    Custom,
    /// Parameters, planned once.
    Generic,
    /// Constants in the text, and Postgres decides.
    Literal,
}

const FORMS: [(Form, &str, &str); 4] = [
    (Form::Postern, "Postern", "auto"),
    (Form::Custom, "custom", "force_custom_plan"),
    (Form::Generic, "generic", "force_generic_plan"),
    (Form::Literal, "literal", "auto"),
];

/// A caller without session values.
struct Nobody;

impl SessionValues for Nobody {
    fn value(&self, _: &str) -> Option<&str> {
        None
    }

    fn json(&self) -> String {
        "{}".to_owned()
    }

    fn claims(&self) -> String {
        "{}".to_owned()
    }

    fn token_claims(&self, _: Option<&str>) -> Option<String> {
        Some(self.claims())
    }
}

/// A parameter in text format, as the gateway sends it.
#[derive(Debug)]
struct TextParameter(Option<String>);

impl ToSql for TextParameter {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        let Some(text) = &self.0 else { return Ok(IsNull::Yes) };
        out.extend_from_slice(text.as_bytes());
        Ok(IsNull::No)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    fn encode_format(&self, _: &Type) -> Format {
        Format::Text
    }

    tokio_postgres::types::to_sql_checked!();
}

fn main() -> ExitCode {
    let calls = Arg::new("calls").long("calls").value_name("N").value_parser(value_parser!(u32).range(1..));
    let matches = Command::new("filters")
        .about("Measure Postgres' CPU time per call of everyday lists, over a private Postgres")
        .arg(calls.default_value("3000").help("How often each form is called"))
        .get_matches();
    let calls = matches.get_one::<u32>("calls").copied().unwrap_or(1);
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return fail(&error.into()),
    };
    match runtime.block_on(measure(calls)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => fail(&failure),
    }
}

fn fail(failure: &Failure) -> ExitCode {
    bench::program::print_line(&format!("error: {failure}"));
    ExitCode::FAILURE
}

fn print_line(text: &str) {
    let _ = std::io::Write::write_all(&mut std::io::stdout().lock(), format!("{text}\n").as_bytes());
}

/// Calls of a form before it is measured: more than Postgres plans for single values.
const WARM_UP: u32 = 12;

/// Calls of one form before the next form's turn.
const TURN: u32 = 100;

async fn measure(calls: u32) -> Result<(), Failure> {
    print_line(&format!("load of the machine before: {:?}; µs of CPU per call\n", machine::load()));
    let cluster = tokio::task::spawn_blocking(|| Cluster::start(Options::default())).await??;
    let url = cluster.url("postgres");
    let client = connect(&url).await?;
    client.batch_execute(SCHEMA).await?;
    client.batch_execute("VACUUM ANALYZE").await?;
    let catalog = Catalog::decode(&client.query_one(QUERY, &[]).await?.get::<_, String>(0))?;
    let file = SourceFile::new("permissions.toml", PERMISSIONS);
    let permissions = permissions::compile(&file, Arc::new(catalog))
        .map_err(|problems| permissions::render(&problems, &file, false).to_string())?;
    let names: Vec<&str> = FORMS.iter().map(|(_, name, _)| *name).collect();
    print_line(&format!("| list | {} | Postern / best |", names.join(" | ")));
    print_line(&format!("|---|{}--:|", "--:|".repeat(FORMS.len())));
    for shape in SHAPES {
        let mut runs = Vec::new();
        for (form, _, mode) in FORMS {
            runs.push(Run::new(&url, &permissions, shape, form, mode).await?);
        }
        let mut done = 0;
        while done < calls {
            for run in &mut runs {
                run.call(shape, done..done + TURN).await?;
            }
            done += TURN;
        }
        let times: Vec<f64> = runs.iter().map(|run| run.nanoseconds as f64 / 1e3 / f64::from(done)).collect();
        let (postern, others) = times.split_first().ok_or("no form")?;
        let best = others.iter().copied().fold(f64::INFINITY, f64::min);
        let shown: Vec<String> = times.iter().map(|time| format!("{time:.0}")).collect();
        print_line(&format!("| {} | {} | {:.2} |", shape.name, shown.join(" | "), postern / best));
    }
    Ok(())
}

/// One form of a list, with a connection of its own.
struct Run {
    client: Client,
    prepared: tokio_postgres::Statement,
    statement: Statement,
    process: i32,
    operation: Operation,
    access: Arc<sql::model::access::Access>,
    /// Whether the statement is prepared again before Postgres chooses a plan for all values, as the gateway does.
    prepares_again: bool,
    nanoseconds: u64,
}

/// How often Postgres plans a prepared statement for the values at hand, before it considers a plan for all values; as
/// in `gateway/src/database/statement_cache.rs`.
const CUSTOM_PLANS: u32 = 5;

impl Run {
    async fn new(url: &str, permissions: &Permissions, shape: &Shape, form: Form, mode: &str) -> Result<Run, Failure> {
        let client = connect(url).await?;
        client.batch_execute(&format!("SET plan_cache_mode = {mode}")).await?;
        let access = permissions.role("reader").ok_or("no role")?.clone();
        let variables = if shape.variables.is_empty() { String::new() } else { format!("({})", shape.variables) };
        let document = format!(
            "query {variables} {{ items(where: {{{}}}, order_by: {{created_at: desc}}, limit: 20) {{ id name status }} }}",
            shape.condition
        );
        let document = Arc::new(document::parse(&document, &document::Limits::default())?);
        let operation = Operation::validate(&access, document, None)?;
        let constant_parameters = matches!(form, Form::Custom | Form::Generic);
        let options = Translating { constant_parameters, ..Translating::default() };
        let values = coerce(&operation, &access, shape, 0)?;
        let Translation { answer, .. } = sql::translate(&access, &operation, &values, options)?;
        let TranslationKind::Statement(mut statement) = answer else { return Err("no statement".into()) };
        if !matches!(form, Form::Postern) {
            statement.text = without_veils(&statement.text);
        }
        let prepared = client.prepare(&statement.text).await?;
        let process = client.query_one("SELECT pg_backend_pid()", &[]).await?.get(0);
        let prepares_again = matches!(form, Form::Postern) && statement.needs_values;
        let statement = *statement;
        let mut run = Run { client, prepared, statement, process, operation, access, prepares_again, nanoseconds: 0 };
        run.call(shape, 0..WARM_UP).await?;
        run.nanoseconds = 0;
        Ok(run)
    }

    /// Calls the statement, and adds the CPU time of its server process.
    async fn call(&mut self, shape: &Shape, calls: std::ops::Range<u32>) -> Result<(), Failure> {
        let before = self.cpu_time()?;
        for call in calls {
            if self.prepares_again && call % CUSTOM_PLANS == 0 {
                self.prepared = self.client.prepare(&self.statement.text).await?;
            }
            let variables = coerce(&self.operation, &self.access, shape, call)?;
            let bound = self.statement.bind(&variables, &Nobody, &mut ValueBudget::default())?;
            let bound: Vec<TextParameter> = bound.into_iter().map(TextParameter).collect();
            let parameters: Vec<&(dyn ToSql + Sync)> = bound.iter().map(|value| value as &(dyn ToSql + Sync)).collect();
            self.client.query(&self.prepared, &parameters).await?;
        }
        self.nanoseconds += self.cpu_time()? - before;
        Ok(())
    }

    /// The CPU time of the server process so far, in nanoseconds.
    /// <https://docs.kernel.org/scheduler/sched-stats.html>
    fn cpu_time(&self) -> Result<u64, Failure> {
        let text = std::fs::read_to_string(format!("/proc/{}/schedstat", self.process))?;
        Ok(text.split_ascii_whitespace().next().ok_or("no CPU time")?.parse()?)
    }
}

fn coerce(
    operation: &Operation,
    access: &sql::model::access::Access,
    shape: &Shape,
    call: u32,
) -> Result<Variables, Failure> {
    let values = (shape.values)(call);
    Ok(operation.coerce(access, values.as_object().ok_or("no object")?)?)
}

/// Replaces `(SELECT $1::text)` by `$1::text`.
fn without_veils(text: &str) -> String {
    let mut parts = text.split("(SELECT $");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (parameter, rest) = part.split_once(')').unwrap_or((part, ""));
        out.push('$');
        out.push_str(parameter);
        out.push_str(rest);
    }
    out
}

async fn connect(url: &str) -> Result<Client, Failure> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
    tokio::spawn(connection);
    Ok(client)
}
