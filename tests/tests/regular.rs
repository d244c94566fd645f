//! Tests regular expressions: Postgres also refuses every expression that the gateway refuses.

use tests::choices::{self, Choices};
use tests::fixture::{self, Fixture};
use tests::request::Request;

type Outcome = Result<(), Box<dyn std::error::Error>>;

/// Parts of expressions, special and ordinary ones.
const PIECES: [&str; 48] = [
    "a",
    "b",
    "(",
    ")",
    "[",
    "]",
    "*",
    "+",
    "?",
    "{",
    "}",
    "2",
    ",",
    "|",
    "^",
    "$",
    ".",
    "\\",
    "-",
    ":",
    "=",
    "!",
    "<",
    "é",
    "{1,2}",
    "{3}",
    "{2,1}",
    "{256}",
    "[[:alpha:]]",
    "[[:foo:]]",
    "[[.a.]]",
    "[[=a=]]",
    "[z-a]",
    "[^]a]",
    "(?:",
    "(?=",
    "(?<!",
    "\\d",
    "\\w",
    "\\m",
    "\\1",
    "\\x41",
    "\\u00e9",
    "\\q",
    "**",
    "(?i)",
    "a{1}?",
    "\\",
];

/// Whether Postgres accepts an expression.
const JUDGE: &str = "CREATE FUNCTION pg_temp.takes(e text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN PERFORM 'a' ~ e; RETURN true; EXCEPTION WHEN invalid_regular_expression THEN RETURN false; END $$";

#[tokio::test]
async fn refused_expressions_are_refused_by_postgres_too() -> Outcome {
    let database = fixture::database("regular").await?;
    let client = fixture::connect(&database).await?;
    client.batch_execute(JUDGE).await?;
    let fixture = Fixture::saved()?;
    let access = fixture.access("admin").ok_or("no role")?;
    let expressions = expressions()?;
    let taken = client
        .query(
            "SELECT pg_temp.takes(e) FROM unnest($1::text[]) WITH ORDINALITY AS _(e, n) ORDER BY n",
            &[&expressions],
        )
        .await?;
    let document = "query ($e: String!) { users(where: {name: {_regex: $e}}) { id } }";
    let mut refused = 0;
    let mut missed = 0;
    let mut wrong = Vec::new();
    for (expression, row) in expressions.iter().zip(&taken) {
        let request = Request::new(document).variables(serde_json::json!({"e": expression}));
        match (request.translate(access).is_err(), row.get::<_, bool>(0)) {
            (true, true) => wrong.push(expression),
            (true, false) => refused += 1,
            (false, false) => missed += 1,
            (false, true) => {}
        }
    }
    assert!(wrong.is_empty(), "Postgres takes {wrong:?}");
    assert!(
        refused > 1_000,
        "{refused} of {} refused",
        expressions.len()
    );
    // Postgres reports invalid expressions that the gateway misses, for rows that the role sees.
    assert!(
        missed * 8 < refused,
        "{missed} are left to Postgres, {refused} are not"
    );
    Ok(())
}

fn expressions() -> Result<Vec<String>, String> {
    let found = std::cell::RefCell::new(Vec::new());
    choices::check(4_000, |choices: &mut Choices<'_>| {
        let length = 1 + choices.below(8);
        let pieces = (0..length).filter_map(|_| choices.pick(&PIECES));
        found.borrow_mut().push(pieces.copied().collect::<String>());
        Ok(())
    })?;
    Ok(found.into_inner())
}
