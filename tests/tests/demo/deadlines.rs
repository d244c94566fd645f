//! Deadlines end on working days of the controller's country, counted as Regulation 1182/71 says.

use super::Demo;

/// Country, day, and whether it is a holiday.
const HOLIDAYS: [(&str, &str, bool); 27] = [
    ("DE", "2026-01-01", true),
    ("DE", "2026-04-03", true),
    ("NL", "2026-04-03", true),
    ("GB", "2026-04-03", true),
    ("DE", "2026-04-06", true),
    ("GB", "2025-04-21", true),
    ("DE", "2024-04-01", true),
    ("NL", "2026-04-27", true),
    ("DE", "2026-04-27", false),
    // The King's birthday is celebrated on the Saturday if it is a Sunday.
    ("NL", "2025-04-27", false),
    ("NL", "2025-04-26", true),
    ("NL", "2026-05-05", true),
    ("DE", "2026-05-01", true),
    ("GB", "2026-05-01", false),
    ("GB", "2026-05-04", true),
    ("GB", "2026-05-25", true),
    ("GB", "2026-08-31", true),
    ("DE", "2026-05-14", true),
    ("GB", "2026-05-14", false),
    ("DE", "2026-10-03", true),
    ("NL", "2026-10-03", false),
    // Substitute days in England.
    ("GB", "2026-12-28", true),
    ("DE", "2026-12-28", false),
    ("GB", "2027-12-27", true),
    ("GB", "2027-12-28", true),
    ("GB", "2022-01-03", true),
    ("GB", "2022-12-27", true),
];

/// Country, day, direction, and the working day.
const WORKING_DAYS: [(&str, &str, i32, &str); 8] = [
    ("DE", "2026-12-05", 1, "2026-12-07"),
    ("DE", "2026-12-04", 1, "2026-12-04"),
    ("DE", "2026-12-25", 1, "2026-12-28"),
    ("GB", "2026-12-25", 1, "2026-12-29"),
    ("GB", "2026-12-28", -1, "2026-12-24"),
    ("NL", "2026-04-03", 1, "2026-04-07"),
    ("NL", "2026-04-27", -1, "2026-04-24"),
    ("DE", "2027-01-01", 1, "2027-01-04"),
];

/// Country, when a request was received, months, and the last day in the country.
const DEADLINES: [(&str, &str, i32, &str); 9] = [
    ("DE", "2026-11-05 09:00+01", 1, "2026-12-07"),
    ("DE", "2026-11-06 09:00+01", 1, "2026-12-07"),
    ("DE", "2026-11-25 09:00+01", 1, "2026-12-28"),
    ("GB", "2026-11-25 09:00+00", 1, "2026-12-29"),
    ("DE", "2027-01-31 12:00+01", 1, "2027-03-01"),
    ("DE", "2023-01-31 12:00+01", 1, "2023-02-28"),
    ("DE", "2026-11-30 12:00+01", 3, "2027-03-01"),
    // Received on the 6th in Berlin, and on the 5th in London.
    ("DE", "2026-10-05 23:30+01", 1, "2026-11-06"),
    ("GB", "2026-10-05 23:30+01", 1, "2026-11-05"),
];

#[tokio::test(flavor = "multi_thread")]
async fn deadlines_end_on_working_days() {
    let demo = Demo::start(&[]);
    let sql = tests::database::connect(demo.fact("database_url"))
        .await
        .unwrap();
    for (country, day, expected) in HOLIDAYS {
        let query = "SELECT public_holiday($1, CAST($2 AS text)::date)";
        let row = sql.query_one(query, &[&country, &day]).await.unwrap();
        assert_eq!(row.get::<_, bool>(0), expected, "{country} {day}");
    }
    for (country, day, direction, expected) in WORKING_DAYS {
        let query = "SELECT working_day(CAST($2 AS text)::date, $1, $3)::text";
        let row = sql
            .query_one(query, &[&country, &day, &direction])
            .await
            .unwrap();
        assert_eq!(row.get::<_, String>(0), expected, "{country} {day}");
    }
    for (country, received, months, expected) in DEADLINES {
        let query = "SELECT (deadline(CAST($2 AS text)::timestamptz, $3, $1) AT TIME ZONE \
                     time_zone_of($1))::text";
        let row = sql
            .query_one(query, &[&country, &received, &months])
            .await
            .unwrap();
        assert_eq!(
            row.get::<_, String>(0),
            format!("{expected} 23:59:59"),
            "{country} {received}"
        );
    }
    let easter = "SELECT string_agg(easter_sunday(y)::text, ' ' ORDER BY y) FROM \
                  unnest(ARRAY[1818, 1943, 2000, 2019, 2024, 2038]) y";
    let easter: String = sql.query_one(easter, &[]).await.unwrap().get(0);
    assert_eq!(
        easter,
        "1818-03-22 1943-04-25 2000-04-23 2019-04-21 2024-03-31 2038-04-25"
    );
    let off = "SELECT count(*) FROM (SELECT due_at, data_subject_id FROM rights_request_workflows \
               UNION ALL SELECT due_at, data_subject_id FROM rights_request_tasks) t CROSS JOIN \
               LATERAL (SELECT country_of_subject(t.data_subject_id) AS country) c WHERE \
               working_day((t.due_at AT TIME ZONE time_zone_of(c.country))::date, c.country, 1) <> \
               (t.due_at AT TIME ZONE time_zone_of(c.country))::date";
    let off: i64 = sql.query_one(off, &[]).await.unwrap().get(0);
    assert_eq!(off, 0, "deadlines and steps on days off");
}

#[tokio::test(flavor = "multi_thread")]
async fn texts_fill_their_places_once() {
    let demo = Demo::start(&[]);
    let sql = tests::database::connect(demo.fact("database_url"))
        .await
        .unwrap();
    let dates = "SELECT string_agg(long_date('2026-12-05', l), ' | ' ORDER BY l) FROM \
                 unnest(ARRAY['de', 'en', 'nl']) l";
    let dates: String = sql.query_one(dates, &[]).await.unwrap().get(0);
    assert_eq!(
        dates,
        "5. Dezember 2026 | 5 December 2026 | 5 december 2026"
    );
    let filled = "SELECT fill_text('{a} and {b}', '{\"a\": \"{b}\", \"b\": \"{a}\"}')";
    let filled: String = sql.query_one(filled, &[]).await.unwrap().get(0);
    assert_eq!(filled, "{b} and {a}");
    // Every language has the places of the others.
    let uneven = "SELECT coalesce(string_agg(code, ' '), '') FROM service_texts t CROSS JOIN \
                  LATERAL (SELECT count(DISTINCT p) AS kinds FROM unnest(ARRAY[t.en, t.de, t.nl]) \
                  x, LATERAL (SELECT array_agg(DISTINCT m[1] ORDER BY m[1]) AS p FROM \
                  regexp_matches(x, '\\{[a-z_]+\\}', 'g') m) y) k WHERE k.kinds > 1";
    let uneven: String = sql.query_one(uneven, &[]).await.unwrap().get(0);
    assert_eq!(uneven, "");
}
