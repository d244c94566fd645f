//! The demo's sample data contradicts neither itself nor the law: each statement of `lawful.sql`
//! follows a sentence and finds the rows that break it.

use super::Demo;

const VIEWS: &str = include_str!("lawful_views.sql");
const STATEMENTS: &str = include_str!("lawful.sql");

#[tokio::test(flavor = "multi_thread")]
async fn sample_data_is_lawful() {
    let demo = Demo::start(&[]);
    let sql = tests::database::connect(demo.fact("database_url"))
        .await
        .unwrap();
    sql.batch_execute(VIEWS).await.unwrap();
    let mut broken = vec![];
    let mut count = 0;
    for (sentence, statement) in statements() {
        let query = format!("SELECT count(*), min(r::text) FROM ({statement}) r");
        let row = sql
            .query_one(&query, &[])
            .await
            .unwrap_or_else(|error| panic!("{sentence}: {error:?}"));
        let rows: i64 = row.get(0);
        if rows > 0 {
            let first: Option<String> = row.get(1);
            broken.push(format!("{sentence} {rows} rows break it: {first:?}"));
        }
        count += 1;
    }
    assert!(count >= 50, "only {count} statements were found");
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// The statements with their sentences. An empty line and a comment begin one; the first comment is
/// about the file.
fn statements() -> impl Iterator<Item = (&'static str, &'static str)> {
    STATEMENTS.split("\n\n-- ").skip(1).map(|part| {
        let (sentence, statement) = part.split_once('\n').expect("a sentence and a statement");
        (sentence, statement.trim().trim_end_matches(';'))
    })
}
