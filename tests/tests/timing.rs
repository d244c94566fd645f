//! Tests that the duration of a request reveals nothing about a row that the row rule hides.
//!
//! An attacker sends requests about two hidden rows that are stored next to each other, one of
//! which has a certain value, and guesses that it is the row whose requests took longer. Each
//! attack makes forty guesses of fifty requests.
//!
//! Noise of the machine makes guesses worse, so the limit on right guesses is valid on a busy
//! machine too. Memory addresses affect durations for as long as a connection lives. Therefore the
//! requests for both rows share their parameters, and an attack counts only if it succeeds on three
//! connections, one after the other.

use std::sync::Arc;
use std::time::{Duration, Instant};

use permissions::{Permissions, SourceFile};
use serde_json::{Value as Json, json};
use sql::postgres::catalog::{Catalog, QUERY};
use tests::database::TestDatabase;
use tests::plain::Text;
use tests::request::Request;
use tokio_postgres::Client;
use tokio_postgres::types::ToSql;

type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

const SCHEMA: &str = include_str!("timing/schema.sql");

const PERMISSIONS: &str = r#"
[naming]
convention = "snake"

[session]
user_id = "int4"

[table.teams.role]
member.select = { columns = "*", rows = "true" }
anonymous.select = { columns = "*", rows = "true" }

[table.threads.role]
member.select = { columns = "*", rows = "true" }

[table.notes.role]
member.select = { columns = "*", rows = "true" }

[table.people.role]
member.select = { columns = "*", rows = "EXISTS (SELECT FROM members m WHERE m.team_id = people.team_id AND m.user_id = session.user_id)" }
anonymous.select = { columns = "*", rows = "shown" }
"#;

const GUESSES: usize = 40;
const REQUESTS: usize = 50;

/// Random guesses have more right answers than this, or that few, once in a million attacks.
const MOST_RIGHT: usize = 35;
const CONNECTIONS: usize = 3;

/// Two runs of an identical statement differ by some microseconds throughout the life of a process,
/// depending on the location of its memory. An index lookup takes as long.
const MEASURABLE: Duration = Duration::from_micros(10);

struct Attack {
    name: &'static str,
    role: &'static str,
    document: String,
    /// The variables of a request, except the hidden row.
    more: Json,
}

/// An attacker's guess about a hidden row. The requests for both differ only in the number of the
/// row.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Guess {
    True,
    False,
}

impl Guess {
    /// The row whose address begins with `quen`, which has a long body, notes, and another rank;
    /// and the row next to it.
    fn row(self) -> i32 {
        if self == Guess::True { 5001 } else { 5002 }
    }
}

fn percent(count: usize) -> String {
    "%".repeat(count)
}

/// Attacks on a row that is found by its key, and on one that is found by another column.
fn attacks() -> Vec<Attack> {
    let by_key = "id: {_eq: $row}";
    let by_code = "code: {_gte: $row, _lte: $row}";
    let six = format!("_and: [{}]", "{name: {_ilike: $b}}, ".repeat(6));
    let nest = "notes: {thread: {notes: {thread: {notes: {text: {_like: \"%zz%\"}}}}}}";
    let many = format!("_and: [{}]", "{code: {_gte: -1}}, ".repeat(1_500));
    let attack = |name, role, declared: &str, conditions: &[&str], more| {
        let document = format!(
            "query ($row: Int!{declared}) {{ people(where: {{{}}}) {{ id }} }}",
            conditions.join(", ")
        );
        Attack {
            name,
            role,
            document,
            more,
        }
    };
    let long = json!({"b": percent(40_000)});
    let list = json!({"l": (8..20_000).collect::<Vec<i32>>()});
    let b = ", $b: String!";
    let l = ", $l: [Int!]!";
    let prefix = "email: {_like: \"quen%\"}";
    vec![
        attack(
            "prefix and long patterns",
            "member",
            b,
            &[by_key, prefix, &six],
            long.clone(),
        ),
        attack(
            "prefix and long patterns as anonymous",
            "anonymous",
            b,
            &[by_key, prefix, &six],
            long.clone(),
        ),
        attack(
            "prefix and relations in relations",
            "member",
            "",
            &[by_key, prefix, nest],
            json!({}),
        ),
        attack(
            "prefix and a long list",
            "member",
            l,
            &[by_key, prefix, "code: {_nin: $l}"],
            list.clone(),
        ),
        attack(
            "prefix and many conditions",
            "member",
            "",
            &[by_key, prefix, &many],
            json!({}),
        ),
        attack(
            "rank, and nothing else",
            "member",
            "",
            &[by_key, "rank: {_eq: 8}"],
            json!({}),
        ),
        attack(
            "pattern over a long text",
            "member",
            "",
            &[by_code, "body: {_ilike: \"%q%\"}"],
            json!({}),
        ),
        attack(
            "order of a long text",
            "member",
            "",
            &[by_code, "body: {_gt: \"a\"}"],
            json!({}),
        ),
        attack(
            "equality of a long text",
            "member",
            "",
            &[by_code, "body: {_neq: \"a\"}"],
            json!({}),
        ),
        attack(
            "list of texts",
            "anonymous",
            "",
            &[by_code, "body: {_in: [\"a\", \"b\"]}"],
            json!({}),
        ),
        attack(
            "place in a long list",
            "member",
            l,
            &[by_code, "rank: {_in: $l}"],
            list,
        ),
        attack(
            "relations in relations",
            "member",
            "",
            &[by_code, nest],
            json!({}),
        ),
        attack(
            "long patterns in an alternative",
            "member",
            b,
            &[by_code, &format!("_or: [{{{prefix}, {six}}}]")],
            long,
        ),
    ]
}

/// A prepared statement, and its parameters. Both guesses share them, except the number of the row.
struct PreparedAttack<'a> {
    client: &'a Client,
    statement: tokio_postgres::Statement,
    parameters: Vec<Option<String>>,
    row_indices: Vec<usize>,
}

impl PreparedAttack<'_> {
    async fn time(&self, guess: Guess) -> Outcome<Duration> {
        let row = guess.row().to_string();
        let mut texts: Vec<Text<'_>> = self
            .parameters
            .iter()
            .map(|text| Text(text.as_deref()))
            .collect();
        self.row_indices
            .iter()
            .for_each(|index| texts[*index] = Text(Some(&row)));
        let texts: Vec<&(dyn ToSql + Sync)> = texts
            .iter()
            .map(|text| text as &(dyn ToSql + Sync))
            .collect();
        let begin = Instant::now();
        self.client.query(&self.statement, &texts).await?;
        Ok(begin.elapsed())
    }

    /// The number of right guesses, by three statistics of the durations: the median, the lower
    /// quartile, the minimum.
    async fn right(&self) -> Outcome<[usize; 3]> {
        for guess in [Guess::True, Guess::False].repeat(10) {
            self.time(guess).await?;
        }
        let mut right = [0; 3];
        let mut random = 1_u32;
        for number in 0..GUESSES {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let pair = if random >> 31 == 0 {
                [Guess::True, Guess::False]
            } else {
                [Guess::False, Guess::True]
            };
            let mut times = [Vec::new(), Vec::new()];
            for index in 0..REQUESTS {
                // The order is one, other, other, one, so that slow changes affect both equally.
                let side = usize::from(matches!(index % 4, 1 | 2));
                times[side].push(self.time(pair[side]).await?);
            }
            times.iter_mut().for_each(|times| times.sort());
            for (measure, share) in [2, 4, REQUESTS].into_iter().enumerate() {
                let [one, other] = times.each_ref().map(|times| times[times.len() / share]);
                // Where no difference is measurable the attacker guesses at random.
                let longer = if one.abs_diff(other) > MEASURABLE {
                    usize::from(other > one)
                } else {
                    number & 1
                };
                right[measure] += usize::from(pair[longer] == Guess::True);
            }
        }
        Ok(right)
    }
}

fn with_row(more: &Json, guess: Guess) -> Json {
    let mut variables = more.clone();
    variables["row"] = json!(guess.row());
    variables
}

async fn catalog(client: &Client) -> Outcome<Catalog> {
    Ok(Catalog::decode(
        &client.query_one(QUERY, &[]).await?.get::<_, String>(0),
    )?)
}

fn compile(catalog: Arc<Catalog>) -> Outcome<Permissions> {
    let file = SourceFile::new("permissions.toml", PERMISSIONS);
    permissions::compile(&file, catalog)
        .map_err(|problems| permissions::render(&problems, &file, false).into())
}

async fn prepare<'a>(
    client: &'a Client,
    permissions: &Permissions,
    attack: &Attack,
) -> Outcome<PreparedAttack<'a>> {
    let access = permissions.role(attack.role).ok_or("no such role")?;
    let mut texts = Vec::new();
    let mut parameters = Vec::new();
    for guess in [Guess::True, Guess::False] {
        let request = Request::new(&*attack.document)
            .variables(with_row(&attack.more, guess))
            .session("user_id", "0");
        let translated = request
            .translate(access)
            .map_err(|error| format!("{}: {error}", attack.name))?;
        let statement = translated
            .translation
            .kind
            .statement()
            .ok_or("no statement")?;
        parameters.push(request.bind(statement, &translated.variables)?);
        texts.push(statement.text.clone());
    }
    // Both requests share one statement, as in the gateway: two might be planned differently.
    texts.dedup();
    let [text] = texts.as_slice() else {
        return Err("two statements".into());
    };
    let [parameters, other]: [Vec<_>; 2] = parameters.try_into().map_err(|_| "two guesses")?;
    let row_indices: Vec<usize> = (0..parameters.len())
        .filter(|index| parameters[*index] != other[*index])
        .collect();
    let row = Guess::True.row().to_string();
    if row_indices.is_empty()
        || row_indices
            .iter()
            .any(|index| parameters[*index].as_ref() != Some(&row))
    {
        return Err("the requests do not differ in the row alone".into());
    }
    Ok(PreparedAttack {
        client,
        statement: client.prepare(text).await?,
        parameters,
        row_indices,
    })
}

/// The numbers of right guesses on each connection, until those on one connection may be chance.
async fn right_by_connection(
    database: &TestDatabase,
    permissions: &Permissions,
    attack: &Attack,
) -> Outcome<Vec<[usize; 3]>> {
    let mut rights = Vec::new();
    for _ in 0..CONNECTIONS {
        let client = database.connect().await?;
        let right = prepare(&client, permissions, attack).await?.right().await?;
        rights.push(right);
        if may_be_chance(&right) {
            break;
        }
    }
    Ok(rights)
}

fn may_be_chance(right: &[usize; 3]) -> bool {
    right
        .iter()
        .all(|right| (GUESSES - MOST_RIGHT..=MOST_RIGHT).contains(right))
}

#[tokio::test]
async fn request_times_do_not_reveal_hidden_values() -> Outcome {
    let database = tests::create("timing", &[SCHEMA]).await?;
    let permissions = compile(Arc::new(catalog(&database.connect().await?).await?))?;
    let mut found = Vec::new();
    for attack in attacks() {
        let right = right_by_connection(&database, &permissions, &attack).await?;
        println!("{}: {right:?} of {GUESSES}", attack.name);
        if !right.iter().any(may_be_chance) {
            found.push(format!(
                "{}: {right:?} of {GUESSES} guesses are right",
                attack.name
            ));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
    Ok(())
}

/// The classifier finds the value if a long pattern is evaluated beside the rule, which shows that
/// it works.
#[tokio::test]
async fn classifier_detects_a_pattern_evaluated_on_hidden_rows() -> Outcome {
    let database = tests::create("timing", &[SCHEMA]).await?;
    let client = database.connect().await?;
    let text = "SELECT _0.id FROM people AS _0 WHERE EXISTS (SELECT FROM members m WHERE \
                m.team_id = _0.team_id AND \
                m.user_id = 0) AND _0.id = $1::int4 AND _0.email LIKE 'quen%'";
    let text = format!("{text}{}", " AND _0.name ILIKE $2::text".repeat(6));
    let statement = client.prepare(&text).await?;
    let parameters = vec![None, Some(percent(100_000))];
    let right = PreparedAttack {
        client: &client,
        statement,
        parameters,
        row_indices: vec![0],
    }
    .right()
    .await?;
    assert!(
        right.iter().any(|right| right * 4 > GUESSES * 3),
        "only {right:?} of {GUESSES} guesses are right"
    );
    Ok(())
}
