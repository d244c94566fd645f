//! Tests that no rule keeps the moment at which Postgres has parsed it.

use super::place::{Place, start};

const TABLES: &str = "
    CREATE DOMAIN moment AS timestamptz;
    CREATE TABLE ev (id int PRIMARY KEY, at timestamptz, ts timestamp, d date, t time, tz timetz, m moment, note text,
        ats timestamptz[], r tstzrange, dr daterange, j jsonb);
    INSERT INTO ev (id, at) VALUES (1, now() + interval '1 hour');
";

fn rule(condition: &str) -> String {
    format!(
        "[table.ev.role.r]\nselect = {{ columns = [\"id\"], rows = \"\"\"{condition}\"\"\" }}\n"
    )
}

/// What is wrong with a file, if anything is.
async fn fault(location: &Place, permissions: &str) -> Option<String> {
    start(&location.database, permissions, &[]).await.err()
}

#[tokio::test]
async fn literal_of_the_clock_in_a_condition_is_refused() {
    let location = Place::new(TABLES, "").await;
    for (condition, literal, help) in [
        ("at > 'now'", "'now'", "now()"),
        ("at > 'NOW'", "'NOW'", "now()"),
        ("at > ' now '", "' now '", "now()"),
        ("at > 'now()'", "'now()'", "now()"),
        ("at > 'now'::timestamptz", "'now'", "now()"),
        ("at > timestamptz 'now'", "'now'", "now()"),
        ("at > 'now'::timestamptz + interval '0 s'", "'now'", "now()"),
        ("at > CAST('now' AS timestamptz)", "'now'", "now()"),
        ("at > $$now$$", "'now'", "now()"),
        ("at > E'now'", "'now'", "now()"),
        (
            "at > 'tomorrow 10:00'",
            "'tomorrow 10:00'",
            "current_date + 1",
        ),
        ("at > ALL (ARRAY['now'::timestamptz])", "'now'", "now()"),
        (
            "at = ANY ('{now,2020-01-01}')",
            "'{now,2020-01-01}'",
            "now()",
        ),
        ("ats @> ARRAY['now']::timestamptz[]", "'now'", "now()"),
        ("at IN ('2020-01-01', 'today')", "'today'", "current_date"),
        ("at BETWEEN '2020-01-01' AND 'now'", "'now'", "now()"),
        ("coalesce(at, 'now') > now()", "'now'", "now()"),
        (
            "CASE WHEN id > 1 THEN at ELSE 'now' END > now()",
            "'now'",
            "now()",
        ),
        (
            "EXISTS (SELECT FROM ev e WHERE e.id = ev.id AND e.at > 'now')",
            "'now'",
            "now()",
        ),
        ("r @> 'now'::timestamptz", "'now'", "now()"),
        ("r && '[now,)'", "'[now,)'", "now()"),
        ("dr && '[today,)'", "'[today,)'", "current_date"),
        ("ts > 'now'", "'now'", "localtimestamp"),
        ("d = 'today'", "'today'", "current_date"),
        ("d < 'tomorrow'", "'tomorrow'", "current_date + 1"),
        ("d > 'yesterday'", "'yesterday'", "current_date - 1"),
        ("t > 'now'", "'now'", "localtime"),
        ("tz > 'now'", "'now'", "current_time"),
        ("m > 'now'", "'now'", "now()"),
        ("m > 'now'::moment", "'now'", "now()"),
    ] {
        let fault = fault(&location, &rule(condition)).await.unwrap_or_default();
        assert!(
            fault.contains(&format!("`{literal}` is a ")),
            "{condition}: {fault}"
        );
        assert!(
            fault.contains(&format!("write {help}, ")),
            "{condition}: {fault}"
        );
    }
}

#[tokio::test]
async fn literal_of_the_clock_is_refused_wherever_a_rule_stands() {
    let location = Place::new(TABLES, "").await;
    let select = "select = { columns = [\"id\"], rows = \"true\" }";
    for file in [
        "[rules.open]\nargs = [\"at\"]\nsql = \"at > 'now'\"\n[table.ev.role.r]\nselect = { \
         columns = [\"id\"], rows = \"open(at)\" }"
            .to_owned(),
        format!(
            "[table.ev.role.r]\n{select}\ninsert = {{ columns = [\"id\"], check = \"at > \
                 'now'\" }}"
        ),
        format!(
            "[table.ev.role.r]\n{select}\ninsert = {{ columns = [\"id\"], check = \"true\", \
                 preset = {{ at = \"'now'\" }} }}"
        ),
        format!(
            "[table.ev.role.r]\n{select}\ninsert = {{ columns = [\"id\"], check = \"true\", \
                 preset = {{ ats = \"'{{now}}'\" }} }}"
        ),
        format!(
            "[table.ev.role.r]\n{select}\nupdate = {{ columns = [\"id\"], rows = \"true\", \
                 preset = {{ d = \"'today'\" }} }}"
        ),
        format!(
            "[table.ev.role.r]\n{select}\nupdate = {{ columns = [\"id\"], rows = \"true\", \
                 check = \"d = 'today'\" }}"
        ),
        format!("[table.ev.role.r]\n{select}\ndelete = {{ rows = \"at < 'now'\" }}"),
        "[table.ev.role.r]\nselect = { columns = [\"id\", \"at\"], rows = \"true\", mask = { at \
         = \"'now'\" } }"
            .to_owned(),
    ] {
        let fault = fault(&location, &file).await.unwrap_or_default();
        assert!(
            fault.contains("` is a ") && fault.contains("write "),
            "{file}: {fault}"
        );
    }
}

#[tokio::test]
async fn other_literals_and_functions_are_taken() {
    let location = Place::new(TABLES, "").await;
    for condition in [
        "at > now()",
        "at > current_timestamp AND ts > localtimestamp AND d >= current_date AND t > localtime",
        "at > clock_timestamp()",
        "at > ('now'::text)::timestamptz",
        "at > 'epoch' AND at < 'infinity' AND d > '-infinity'",
        "at > '2020-01-01' AND at < timestamptz '2030-01-01 10:00'",
        "t > 'allballs'",
        "note = 'now'",
        "note IN ('today', 'tomorrow') OR note LIKE 'now%'",
        "note = 'today'::text AND note <> ALL (ARRAY['now', 'yesterday'])",
        "j ->> 'now' = 'today' AND j @> '{\"now\": 1}'",
        "date_trunc('day', at) > now() - interval '1 day'",
    ] {
        assert_eq!(
            fault(&location, &rule(condition)).await,
            None,
            "{condition}"
        );
    }
    let preset = "[table.ev.role.r]\nselect = { columns = [\"id\"], rows = \"true\" }\n\
                  insert = { columns = [\"id\"], check = \"true\", preset = { note = \"'now'\", \
                  at = \"now()\" } }\n";
    assert_eq!(fault(&location, preset).await, None);
}
