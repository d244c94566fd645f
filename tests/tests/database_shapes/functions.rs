//! Tests functions that no call can name: the file says so when it is read.

use super::place::{Place, start};

const TABLES: &str = "
    CREATE FUNCTION f(a int) RETURNS int STABLE LANGUAGE sql AS 'SELECT 1';
    CREATE FUNCTION f(a int, b int DEFAULT 1) RETURNS int STABLE LANGUAGE sql AS 'SELECT 2';
    CREATE TABLE t (id int PRIMARY KEY);
    CREATE FUNCTION g(t) RETURNS int STABLE LANGUAGE sql AS 'SELECT 1';
    CREATE FUNCTION g(t, b int DEFAULT 1) RETURNS int STABLE LANGUAGE sql AS 'SELECT 2';
";

#[tokio::test]
async fn function_that_every_call_confuses_with_another_is_reported() {
    let location = Place::new(TABLES, "").await;
    for file in [
        "[function.\"f(integer)\"]\nname = \"one\"\n",
        "[table.t.computed.one]\nfunction = \"g(t)\"\n",
    ] {
        let fault = start(&location.database, file, &[])
            .await
            .err()
            .unwrap_or_default();
        assert!(fault.contains("not-callable"), "{file}: {fault}");
        assert!(
            fault.contains("every call of it may mean another function of its name"),
            "{file}: {fault}"
        );
    }
    // With the second argument, it is the only one.
    let both = Place::new(
        TABLES,
        "[function.\"f(integer, integer)\"]\nname = \"two\"\nroles = [\"r\"]\n",
    )
    .await;
    assert_eq!(
        both.data_for("r", "{ two(args: {a: 1, b: 2}) }").await["two"],
        2
    );
}
