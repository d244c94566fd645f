//! Postgres' own row-level security as the judge of writes: random inserts, updates and deletes, once as mutations and once
//! as plain SQL under the same rules as policies. Tables, counts and refusals have to agree.

use serde_json::Value as Json;
use sql::model::access::Access;
use sql::{Cause, TranslationKind};

use tests::choices;
use tests::fixture::{self, Fixture, POLICIES, RESTART};
use tests::request::{Failure, Request};
use tests::state::dump;
use tests::wire;
use tests::writes::{Alone, Native, Subject, Write};
use tokio_postgres::Client;

type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

const TABLES: [&str; 12] = [
    "projects",
    "tasks",
    "shelves",
    "assets",
    "task_notes",
    "project_members",
    "project_settings",
    "remarks",
    "bookings",
    "entries",
    "accounts",
    "gadgets",
];

/// Who asks; user 4 owns nothing.
const USERS: [&str; 4] = ["1", "2", "3", "4"];

/// How many writes are tried with either kind of plans.
const EXAMPLES: u32 = 500;

/// What came of a write.
#[derive(Debug, PartialEq)]
enum Verdict {
    /// It was done.
    Done {
        /// How many rows it was, where that is told.
        count: Option<u64>,
        /// The tables afterwards.
        state: String,
    },
    /// It was refused: the SQLSTATE, where a failed check has that of a policy.
    Failed(String),
}

/// What a policy answers when a check fails.
const CHECK: &str = "42501";

/// One caller, the gateway's statements, and Postgres' policies.
struct Trial<'a> {
    access: &'a Access,
    engine: &'a Client,
    native: &'a Client,
    user: &'a str,
}

#[test]
fn a_mutation_does_what_plain_sql_does_under_policies() -> Outcome {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let database = runtime.block_on(tests::create("writes", &[fixture::SCHEMA, fixture::DATA, POLICIES]))?;
    let (engine, native) = runtime.block_on(async {
        Ok::<_, fixture::Error>((fixture::connect(&database).await?, fixture::connect(&database).await?))
    })?;
    let fixture = Fixture::saved()?;
    let access = fixture.access("writer").ok_or("no role")?;
    let seen = std::cell::RefCell::new([0_usize; 4]);
    for plans in ["force_custom_plan", "force_generic_plan"] {
        runtime.block_on(engine.batch_execute(&format!("SET plan_cache_mode = {plans}")))?;
        choices::check(EXAMPLES, |choices| {
            let table = choices.pick(&TABLES).copied().unwrap_or_default();
            let user = choices.pick(&USERS).copied().unwrap_or_default();
            let subject = Subject::new(access, table).ok_or("no table")?;
            let Some(write) = subject.write(choices) else { return Ok(()) };
            let trial = Trial { access, engine: &engine, native: &native, user };
            let kind =
                runtime.block_on(trial.judge(&write)).map_err(|fault| format!("{plans}, user {user}: {fault}"))?;
            seen.borrow_mut()[kind] += 1;
            Ok(())
        })?;
    }
    let [nothing, changed, checked, refused] = *seen.borrow();
    println!("{nothing} change nothing, {changed} something, {checked} fail a check, {refused} something else");
    assert!(changed > 150 && checked > 50 && refused > 50 && nothing > 20, "{:?}", seen.borrow());
    Ok(())
}

impl Trial<'_> {
    /// Holds both against each other, and says what became of it: nothing, a change, a failed check, another error.
    async fn judge(&self, write: &Write) -> Result<usize, String> {
        let fault = |what: String| {
            let native: Vec<_> = write.native.iter().map(|native| native.text.as_str()).collect();
            format!("{what}\n{} {}\n{}", write.document, write.variables, native.join(";\n"))
        };
        let before = dump(self.native).await.map_err(|error| fault(error.to_string()))?;
        let found = self.engine(write).await.map_err(|error| fault(error.to_string()))?;
        let expected = self.native(write).await.map_err(|error| fault(error.to_string()))?;
        let kind = match (&found, &expected) {
            (Verdict::Done { state, .. }, _) => usize::from(*state != before),
            (Verdict::Failed(code), _) if code == CHECK => 2,
            _ => 3,
        };
        let agree = match (&found, &expected) {
            (Verdict::Done { count: None, state }, Verdict::Done { state: expected, .. }) => state == expected,
            (Verdict::Failed(found), Verdict::Failed(expected)) => {
                let possible = self.possible(write).await.map_err(|error| fault(error.to_string()))?;
                // A trigger may fill in what a check reads, that of a partition too; before it has run nobody can tell.
                let filled = match write.document.contains("insertEntries") {
                    true => found == "23502",
                    false => write.document.contains("insertProjects") && found.starts_with("23"),
                };
                filled || may_be_told(found, expected, &possible)
            }
            // A value out of range is noticed while planning, or with the first row, or never where there is none.
            (Verdict::Done { state, .. }, Verdict::Failed(code))
            | (Verdict::Failed(code), Verdict::Done { state, .. }) => code.starts_with("22") && *state == before,
            (found, expected) => found == expected,
        };
        match agree {
            true => Ok(kind),
            false => Err(fault(difference(&found, &expected))),
        }
    }

    /// By the gateway's translation.
    async fn engine(&self, write: &Write) -> Outcome<Verdict> {
        self.engine.batch_execute(RESTART).await?;
        let request = Request::new(&write.document).variables(write.variables.clone()).session("user_id", self.user);
        let translated = request.translate(self.access)?;
        let TranslationKind::Mutation(mutation) = &translated.translation.answer else {
            return Err("no mutation".into());
        };
        let mut state = String::new();
        let answer = wire::rehearse(self.engine, async |client| {
            let answer = request.steps(client, mutation, &translated.variables).await?;
            client.batch_execute("SET CONSTRAINTS ALL IMMEDIATE").await.map_err(wire::Error::from)?;
            state = dump(client).await?;
            Ok(answer)
        });
        match answer.await {
            Ok(answer) => Ok(Verdict::Done { count: affected(&serde_json::from_str(&answer)?), state }),
            Err(Failure::Request(error)) if error.cause == Cause::Check => Ok(Verdict::Failed(CHECK.into())),
            Err(Failure::Wire(error)) => {
                Ok(Verdict::Failed(error.sqlstate().map_or_else(|| error.to_string(), str::to_owned)))
            }
            Err(failure) => Err(failure.into()),
        }
    }

    /// By policies.
    async fn native(&self, write: &Write) -> Outcome<Verdict> {
        self.begin().await?;
        let run = async {
            let mut count = 0;
            for Native { text, .. } in &write.native {
                count += self.native.execute(text, &[]).await?;
            }
            self.native.batch_execute("RESET ROLE; SET CONSTRAINTS ALL IMMEDIATE").await?;
            Ok(count)
        };
        let verdict = match run.await {
            Ok(count) => Verdict::Done { count: Some(count), state: dump(self.native).await? },
            Err(error) => Verdict::Failed(sqlstate(&error)?),
        };
        self.native.batch_execute("ROLLBACK").await?;
        Ok(verdict)
    }

    /// What may go wrong with single rows of a write, each by itself: in the first statement that fails.
    async fn possible(&self, write: &Write) -> Outcome<Vec<String>> {
        let mut found = Vec::new();
        for place in 0..write.native.len() {
            let (before, native) = (&write.native[..place], &write.native[place]);
            for statement in self.alone(before, native).await? {
                self.begin_with(before).await?;
                if let Err(error) = self.native.batch_execute(&statement).await {
                    found.push(sqlstate(&error)?);
                }
                self.native.batch_execute("ROLLBACK").await?;
            }
            self.begin_with(before).await?;
            let fails = self.native.batch_execute(&native.text).await.is_err();
            self.native.batch_execute("ROLLBACK").await?;
            if fails {
                break;
            }
        }
        Ok(found)
    }

    /// A statement, one row at a time.
    async fn alone(&self, before: &[Native], native: &Native) -> Outcome<Vec<String>> {
        let rows = match &native.alone {
            Alone::These(statements) => return Ok(statements.clone()),
            Alone::EachOf(rows) => rows,
        };
        self.begin_with(before).await?;
        let rows = self.native.query(rows, &[]).await;
        self.native.batch_execute("ROLLBACK").await?;
        let one = |row: &tokio_postgres::Row| {
            format!("{} AND t::text = '{}'", native.text, row.get::<_, String>(0).replace('\'', "''"))
        };
        Ok(rows.unwrap_or_default().iter().map(one).collect())
    }

    async fn begin_with(&self, statements: &[Native]) -> Outcome {
        self.begin().await?;
        for statement in statements {
            self.native.batch_execute(&statement.text).await?;
        }
        Ok(())
    }

    async fn begin(&self) -> Outcome {
        self.native.batch_execute(&format!("{RESTART}; BEGIN; SET LOCAL ROLE fixture_writer")).await?;
        self.native.execute("SELECT set_config('postern.user_id', $1, true)", &[&self.user]).await?;
        Ok(())
    }
}

/// Of several faults Postgres tells the one that it meets first. The gateway may tell another that is there, but never that
/// a row collides with another one where some row fails its check.
fn may_be_told(found: &str, expected: &str, possible: &[String]) -> bool {
    let collides = ["23505", "23P01"].contains(&found);
    let checked = expected == CHECK || possible.iter().any(|code| code == CHECK);
    if collides && checked {
        return false;
    }
    // A row that belongs to no partition fails before its policy, and after the gateway's check.
    let unpartitioned = found == CHECK && (expected == "23514" || possible.iter().any(|code| code == "23514"));
    found == expected || possible.iter().any(|code| code == found) || unpartitioned
}

/// The number of rows, of all fields that tell it.
fn affected(answer: &Json) -> Option<u64> {
    let count = |response: &Json| response.as_object()?.values().next()?.as_u64();
    match &answer["m"] {
        Json::Array(responses) => responses.iter().map(count).sum(),
        response => count(response),
    }
}

fn sqlstate(error: &tokio_postgres::Error) -> Outcome<String> {
    error.code().map(|code| code.code().to_owned()).ok_or_else(|| error.to_string().into())
}

/// Where two verdicts differ, line by line.
fn difference(found: &Verdict, expected: &Verdict) -> String {
    let (Verdict::Done { count, state }, Verdict::Done { count: number, state: other }) = (found, expected) else {
        let short = |verdict: &Verdict| match verdict {
            Verdict::Done { count, .. } => format!("done, {count:?} rows"),
            Verdict::Failed(code) => code.clone(),
        };
        return format!("found {}, expected {}", short(found), short(expected));
    };
    let only = |one: &str, other: &str| {
        let lines = one.lines().filter(|line| !other.lines().any(|l| l == *line));
        lines.collect::<Vec<_>>().join("\n  ")
    };
    format!(
        "{count:?} rows, expected {number:?}\nfound only\n  {}\nexpected only\n  {}",
        only(state, other),
        only(other, state)
    )
}
