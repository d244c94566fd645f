//! Tests lists under a row rule that is a membership: reading them through the memberships returns
//! the rows that the rule as a condition returns, and this form is chosen exactly where it is
//! correct and statistics say that it is cheaper.

use std::sync::Arc;

use permissions::{Permissions, SourceFile};
use sql::postgres::catalog::{Catalog, QUERY};
use sql::resolve::MembershipStrategy;
use sql::statement::{FallbackReason, ListStrategy, Statement};
use tests::case::{self, Case};
use tests::choices::{self, Choices};
use tests::fixture::{self, Fixture};
use tests::golden;
use tests::request::Request;
use tokio_postgres::Client;

type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

const SCHEMA: &str = include_str!("memberships/schema.sql");

const EXAMPLES: u32 = 300;

/// Rules with a membership that matches each row at most once.
const MEMBERSHIPS: [&str; 9] = [
    "EXISTS (SELECT FROM members m WHERE m.club_id = posts.club_id AND m.user_id = \
     session.user_id)",
    "EXISTS (SELECT 1 FROM members WHERE session.user_id = user_id AND (posts.club_id = \
     members.club_id) AND level > 1)",
    "club_id IN (SELECT m.club_id FROM members m WHERE m.user_id = session.user_id)",
    "club_id = ANY (SELECT DISTINCT m.club_id FROM members m WHERE m.user_id = session.user_id \
     AND m.until IS NULL)",
    "club_id = ANY (array(SELECT m.club_id FROM members m WHERE m.user_id = session.user_id))",
    "EXISTS (SELECT c.id FROM clubs c WHERE c.owner_id = session.user_id AND c.id = posts.club_id)",
    "(club_id, kind) IN (SELECT s.club_id, s.kind FROM seats s WHERE s.user_id = session.user_id)",
    "EXISTS (SELECT * FROM seats s WHERE s.club_id = posts.club_id AND s.user_id = \
     session.user_id AND s.kind = 'a')",
    "member_of(club_id)",
];

/// Conditions that may be combined with it.
const BESIDE: [&str; 6] = [
    "",
    "kind <> 'c'",
    "(rank > 1 OR rank IS NULL)",
    "EXISTS (SELECT FROM replies r WHERE r.post_id = posts.id)",
    "member_of(other_id)",
    "NOT EXISTS (SELECT FROM seats m WHERE m.club_id = posts.other_id AND m.kind = posts.kind)",
];

const FILTERS: [&str; 11] = [
    "",
    "{kind: {_eq: \"a\"}}",
    "{rank: {_gte: 2}}",
    "{rank: {_is_null: true}}",
    "{_or: [{kind: {_in: [\"b\"]}}, {club_id: {_eq: 1}}]}",
    "{_not: {kind: {_eq: \"a\"}}}",
    "{replies: {body: {_like: \"x%\"}}}",
    "{club: {name: {_neq: \"club 2\"}}, rank: {_lt: 4}}",
    "{replies_aggregate: {count: {predicate: {_gt: 1}}}}",
    "{shout: {_neq: \"P3\"}}",
    "{body: {_ilike: \"%P1%\"}, rank: {_gt: 1}}",
];

const KEYS: [&str; 9] = [
    "{rank: desc}",
    "{rank: asc}",
    "{rank: desc_nulls_last}",
    "{rank: asc_nulls_first}",
    "{kind: asc}",
    "{kind: desc}",
    "{club_id: desc_nulls_last}",
    "{code: asc}",
    "{other_id: desc}",
];

const FIELDS: [&str; 6] = [
    "id",
    "id kind club { name }",
    "id replies(order_by: {id: desc}, limit: 1) { body }",
    "id replies(order_by: {id: asc}) { id body }",
    "rank id replies_aggregate { aggregate { count } } club { id owner_id }",
    "id shout",
];

// ---- equal rows

#[test]
fn both_forms_return_equal_rows() -> Outcome {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let database = runtime.block_on(tests::create("memberships", &[SCHEMA]))?;
    let (client, catalog) = runtime.block_on(async {
        let client = fixture::connect(&database).await?;
        let catalog = catalog(&client).await?;
        Ok::<_, Box<dyn std::error::Error>>((client, catalog))
    })?;
    let shown = std::cell::Cell::new(0);
    choices::check(EXAMPLES, |choices| {
        let rule = rule(choices);
        let document = document(choices);
        let example = Example {
            rule,
            document,
            user: 1 + choices.below(2),
            data: data(choices),
        };
        let rows = runtime
            .block_on(example.hold(&client, &catalog))
            .map_err(|error| format!("{error}\n{example:?}"))?;
        shown.set(shown.get() + rows);
        Ok(())
    })?;
    assert!(
        shown.get() > EXAMPLES as usize,
        "only {} rows were compared",
        shown.get()
    );
    Ok(())
}

#[derive(Debug)]
struct Example {
    rule: String,
    data: String,
    document: String,
    user: usize,
}

impl Example {
    /// Runs both forms with custom and generic plans; returns the number of rows.
    async fn hold(&self, client: &Client, catalog: &Arc<Catalog>) -> Outcome<usize> {
        client.batch_execute(&self.data).await?;
        let permissions = compile(&self.rule, catalog)?;
        let access = permissions.role("user").ok_or("no role")?;
        let mut responses = Vec::new();
        for memberships in [MembershipStrategy::Never, MembershipStrategy::Always] {
            let request = self.request(memberships);
            let translated = request.translate(access)?;
            let statement = translated
                .translation
                .kind
                .statement()
                .ok_or("no statement")?;
            let through = |form: &ListStrategy| {
                matches!(form, ListStrategy::Through { .. })
                    == (memberships == MembershipStrategy::Always)
            };
            let mut forms = statement
                .scans
                .iter()
                .filter_map(|reading| reading.form.as_ref())
                .peekable();
            if forms.peek().is_none() || !forms.clone().all(through) {
                return Err(format!("{memberships:?}: {:?}", forms.collect::<Vec<_>>()).into());
            }
            for mode in ["force_custom_plan", "force_generic_plan"] {
                client
                    .batch_execute(&format!("SET plan_cache_mode = {mode}"))
                    .await?;
                responses.push((memberships, mode, request.answer(client, access).await?));
            }
        }
        let (_, _, first) = responses.first().ok_or("no answer")?;
        match responses.iter().find(|(_, _, response)| response != first) {
            Some((memberships, mode, other)) => {
                Err(format!("{memberships:?} {mode}\n{first}\n{other}").into())
            }
            None => Ok(first.matches("\"id\"").count()),
        }
    }

    fn request(&self, memberships: MembershipStrategy) -> Request {
        let mut request = Request::new(&self.document).session("user_id", self.user.to_string());
        request.options.memberships = memberships;
        request
    }
}

fn rule(choices: &mut Choices<'_>) -> String {
    let membership = choices.pick(&MEMBERSHIPS).copied().unwrap_or_default();
    let beside = choices.pick(&BESIDE).copied().unwrap_or_default();
    match choices.below(4) {
        _ if beside.is_empty() => membership.to_owned(),
        0 => format!("{membership} AND {beside}"),
        1 => format!("{beside} AND {membership}"),
        2 => format!("({beside}) AND (({membership}) AND true)"),
        _ => format!("(true AND {beside}) AND {membership}"),
    }
}

/// Few distinct values, so that there are ties, nulls and rows without members.
fn data(choices: &mut Choices<'_>) -> String {
    let mut sql = "TRUNCATE clubs, members, seats, visits, posts, replies;".to_owned();
    let or_null = |choices: &mut Choices<'_>, bound: usize| match choices.below(bound + 1) {
        number if number == bound => "NULL".to_owned(),
        number => (number + 1).to_string(),
    };
    for club in 1..=4 {
        let owner = or_null(choices, 2);
        sql.push_str(&format!(
            "INSERT INTO clubs VALUES ({club}, 'club {club}', {owner});"
        ));
    }
    for index in 0..6 + choices.below(10) {
        let user = or_null(choices, 2);
        let club = or_null(choices, 4);
        let level = 2 - choices.below(3);
        let until = if choices.percent(30) {
            "'2020-01-01'"
        } else {
            "NULL"
        };
        sql.push_str(&format!(
            "INSERT INTO members VALUES ({user}, {club}, {level}, {until}) ON CONFLICT DO NOTHING;"
        ));
        let user = 1 + index % 2;
        let club = 1 + choices.below(4);
        let kind = ["a", "b", "c"][choices.below(3)];
        sql.push_str(&format!(
            "INSERT INTO seats VALUES ({user}, {club}, '{kind}') ON CONFLICT DO NOTHING;"
        ));
    }
    for post in 1..=9 + choices.below(24) {
        let club = or_null(choices, 4);
        let other = or_null(choices, 4);
        let rank = or_null(choices, 4);
        let code = or_null(choices, 2);
        let kind = ["'a'", "'b'", "'c'", "NULL"][choices.below(4)];
        sql.push_str(&format!(
            "INSERT INTO posts VALUES ({post}, {club}, {other}, {kind}, {rank}, {code}, 'p{post}');"
        ));
        for reply in 0..choices.below(3) {
            let body = ["x", "y"][choices.below(2)];
            sql.push_str(&format!(
                "INSERT INTO replies VALUES ({}, {post}, '{body}');",
                post * 10 + reply
            ));
        }
    }
    sql
}

/// One list or two, each in a total order: which of equal rows are returned is not determined in
/// either form.
fn document(choices: &mut Choices<'_>) -> String {
    let list = |choices: &mut Choices<'_>, key: &str| {
        let filter = choices.pick(&FILTERS).copied().unwrap_or_default();
        let filter = if filter.is_empty() {
            String::new()
        } else {
            format!("where: {filter}, ")
        };
        let keys: Vec<&str> = (0..choices.below(3))
            .filter_map(|_| choices.pick(&KEYS).copied())
            .collect();
        let last = if choices.percent(50) {
            "{id: desc}"
        } else {
            "{id: asc}"
        };
        let order = keys
            .into_iter()
            .chain([last])
            .collect::<Vec<_>>()
            .join(", ");
        let offset = if choices.percent(40) {
            format!(", offset: {}", choices.below(5))
        } else {
            String::new()
        };
        let limit = choices
            .pick(&[4, 2, 1, 6, 3, 0, 9])
            .copied()
            .unwrap_or_default();
        let fields = choices.pick(&FIELDS).copied().unwrap_or_default();
        format!("{key}: posts({filter}order_by: [{order}], limit: {limit}{offset}) {{ {fields} }}")
    };
    if choices.percent(25) {
        format!("{{ {} {} }}", list(choices, "one"), list(choices, "other"))
    } else {
        format!("{{ {} }}", list(choices, "one"))
    }
}

/// The response of every golden case that reads, by its name and the role.
async fn answers(
    client: &Client,
    fixture: &Fixture,
    memberships: MembershipStrategy,
) -> Outcome<Vec<(String, String, bool)>> {
    let mut responses = Vec::new();
    for file in case::files()?
        .iter()
        .filter(|file| file.extension().is_some_and(|ending| ending == "graphql"))
    {
        let text = std::fs::read_to_string(case::folder().join(file))?;
        if text.lines().any(|line| line.starts_with("mutation")) {
            continue;
        }
        let mut case = Case::parse(&file.to_string_lossy(), &text)?;
        case.request.options.memberships = memberships;
        let other = case
            .permissions
            .as_deref()
            .map(Fixture::variant)
            .transpose()?;
        let fixture = other.as_ref().unwrap_or(fixture);
        for role in &case.roles {
            let access = fixture.access(role).ok_or("no such role")?;
            let translated = case.request.translate(access).ok();
            let form = first_form(
                translated
                    .as_ref()
                    .and_then(|done| done.translation.kind.statement()),
            );
            let response = golden::answer(&case.request.answer(client, access).await);
            responses.push((
                format!("{} as {role}", case.name),
                response,
                matches!(form, Some(ListStrategy::Through { .. })),
            ));
        }
    }
    Ok(responses)
}

#[tokio::test]
async fn golden_cases_give_equal_responses_in_both_forms() -> Outcome {
    let database = fixture::database("membership_cases").await?;
    let client = fixture::connect(&database).await?;
    let fixture = Fixture::saved()?;
    let plain = answers(&client, &fixture, MembershipStrategy::Never).await?;
    let through = answers(&client, &fixture, MembershipStrategy::Always).await?;
    for ((name, response, _), (_, other, _)) in plain.iter().zip(&through) {
        assert_eq!(response, other, "{name}");
    }
    let read_so = through.iter().filter(|(_, _, through)| *through).count();
    assert!(
        read_so > 2,
        "only {read_so} of {} are read through memberships",
        plain.len()
    );
    Ok(())
}

// ---- where it would be wrong

/// The reasons for which rules and lists fall back to a condition.
#[tokio::test]
async fn rules_without_a_membership_are_conditions() -> Outcome {
    let database = tests::create("no_memberships", &[SCHEMA]).await?;
    let client = fixture::connect(&database).await?;
    let catalog = catalog(&client).await?;
    let member = MEMBERSHIPS[0];
    let list = "{ posts(order_by: {rank: desc}, limit: 3) { id } }";
    let not_unique = |table: &str| FallbackReason::NotUnique(table.to_owned());
    let rules = [
        (
            "EXISTS (SELECT FROM visits v WHERE v.club_id = posts.club_id AND v.user_id = \
             session.user_id)",
            not_unique("public.visits"),
        ),
        (
            "EXISTS (SELECT FROM teams t WHERE t.club_id = posts.club_id AND t.user_id = \
             session.user_id)",
            not_unique("public.teams"),
        ),
        // Only two of the key's three columns are fixed.
        (
            "EXISTS (SELECT FROM seats s WHERE s.club_id = posts.club_id AND s.user_id = \
             session.user_id)",
            not_unique("public.seats"),
        ),
        // The memberships of two users may match one row.
        (
            "EXISTS (SELECT FROM members m WHERE m.club_id = posts.club_id AND m.user_id IN \
             (session.user_id, 2))",
            not_unique("public.members"),
        ),
        (
            "EXISTS (SELECT FROM members m WHERE m.club_id = posts.club_id AND m.user_id >= \
             session.user_id)",
            not_unique("public.members"),
        ),
        // Equality of floating-point numbers differs from that of the key.
        (
            "EXISTS (SELECT FROM members m WHERE m.club_id = posts.club_id AND m.user_id = \
             session.ratio)",
            not_unique("public.members"),
        ),
        (
            "EXISTS (SELECT FROM members m WHERE m.club_id = posts.club_id AND m.user_id IS NOT \
             DISTINCT FROM session.user_id)",
            not_unique("public.members"),
        ),
        (&format!("{member} OR kind = 'a'"), FallbackReason::Rule),
        (
            &format!("({member} OR member_of(other_id)) AND kind = 'a'"),
            FallbackReason::Rule,
        ),
        (&format!("NOT {member}"), FallbackReason::Rule),
        (&format!("({member}) IS NOT TRUE"), FallbackReason::Rule),
        (
            "club_id NOT IN (SELECT m.club_id FROM members m WHERE m.user_id = session.user_id)",
            FallbackReason::Rule,
        ),
        (
            "club_id <> ALL (SELECT m.club_id FROM members m WHERE m.user_id = session.user_id)",
            FallbackReason::Rule,
        ),
        (
            "club_id >= ANY (SELECT m.club_id FROM members m WHERE m.user_id = session.user_id)",
            FallbackReason::Rule,
        ),
        // The row is compared with another operator than equality.
        (
            "EXISTS (SELECT FROM members m WHERE m.club_id = posts.club_id AND m.level > \
             posts.rank AND m.user_id = session.user_id)",
            FallbackReason::Rule,
        ),
        (
            "EXISTS (SELECT FROM members m WHERE m.user_id = session.user_id AND posts.rank > 1)",
            FallbackReason::Rule,
        ),
        (
            "EXISTS (SELECT FROM members m WHERE m.club_id = posts.club_id + 1 AND m.user_id = \
             session.user_id)",
            FallbackReason::Rule,
        ),
        // An aggregate returns a row even if there is nothing to aggregate.
        (
            "EXISTS (SELECT count(*) FROM members m WHERE m.club_id = posts.club_id AND \
             m.user_id = session.user_id)",
            FallbackReason::Rule,
        ),
        (
            "EXISTS (SELECT FROM members m WHERE m.club_id = posts.club_id AND m.user_id = \
             session.user_id GROUP BY m.club_id)",
            FallbackReason::Rule,
        ),
        (
            "EXISTS (SELECT FROM members m WHERE m.club_id = posts.club_id AND m.user_id = \
             session.user_id LIMIT 0)",
            FallbackReason::Rule,
        ),
        (
            "club_id IN (SELECT m.club_id FROM members m WHERE m.user_id = session.user_id ORDER \
             BY m.level LIMIT 1)",
            FallbackReason::Rule,
        ),
        (
            "EXISTS (SELECT FROM members m, visits v WHERE m.club_id = posts.club_id AND \
             m.user_id = session.user_id)",
            FallbackReason::Rule,
        ),
        (
            "club_id IN (SELECT m.club_id + 1 FROM members m WHERE m.user_id = session.user_id)",
            FallbackReason::Rule,
        ),
        ("posts.club_id = session.user_id", FallbackReason::Rule),
    ];
    for (rule, why) in &rules {
        assert_eq!(
            form(&compile(rule, &catalog)?, list, MembershipStrategy::Always)?,
            Some(ListStrategy::Plain(why.clone())),
            "{rule}"
        );
    }
    let lists = [
        (
            "{ posts(order_by: {rank: desc}) { id } }",
            FallbackReason::Limit,
        ),
        (
            "{ posts(order_by: {rank: desc}, offset: 3) { id } }",
            FallbackReason::Limit,
        ),
        (
            "{ posts(order_by: {club: {name: asc}}, limit: 3) { id } }",
            FallbackReason::Order,
        ),
        (
            "{ posts(order_by: [{rank: desc}, {replies_aggregate: {count: asc}}], limit: 3) { id \
             } }",
            FallbackReason::Order,
        ),
        (
            "{ posts(order_by: {kind: asc}, distinct_on: [kind], limit: 3) { id } }",
            FallbackReason::Distinct,
        ),
        ("{ posts(limit: 3) { id } }", FallbackReason::Unsorted),
    ];
    let permissions = compile(member, &catalog)?;
    for (list, why) in lists {
        assert_eq!(
            form(&permissions, list, MembershipStrategy::Always)?,
            Some(ListStrategy::Plain(why)),
            "{list}"
        );
    }
    // Nested lists keep the condition.
    let list = "{ clubs { posts(order_by: {rank: desc}, limit: 3) { id } } }";
    assert_eq!(
        form(&permissions, list, MembershipStrategy::Always)?,
        None,
        "{list}"
    );
    Ok(())
}

#[tokio::test]
async fn parameter_limits_return_equal_rows() -> Outcome {
    let database = tests::create("membership_limits", &[SCHEMA]).await?;
    let client = fixture::connect(&database).await?;
    client
        .batch_execute(
            "INSERT INTO clubs SELECT i, 'club ' || i, i FROM generate_series(1, 9) i;
             INSERT INTO members SELECT 1, i, 1, NULL FROM generate_series(1, 5) i;
             INSERT INTO posts SELECT i, 1 + i % 9, 1, 'a', i % 50, i FROM generate_series(1, 400) i",
        )
        .await?;
    let catalog = catalog(&client).await?;
    let document = "query($n: Int, $o: Int) { posts(order_by: [{rank: desc}, {id: asc}], limit: \
                    $n, offset: $o) { id } }";
    for grant in ["", "limit = 7"] {
        let permissions = compile_with(MEMBERSHIPS[0], grant, &catalog)?;
        let access = permissions.role("user").ok_or("no role")?;
        for (n, o) in [
            (Some(3), None),
            (Some(3), Some(2)),
            (Some(2000), Some(4)),
            (None, Some(5)),
            (Some(0), Some(0)),
        ] {
            let mut request = Request::new(document).session("user_id", "1");
            request = request.variables(serde_json::json!({ "n": n, "o": o }));
            request.options.memberships = MembershipStrategy::Never;
            let plain = request.answer(&client, access).await?;
            request.options.limit_parameters = true;
            request.options.memberships = MembershipStrategy::Always;
            let translated = request.translate(access)?;
            let form = first_form(translated.translation.kind.statement());
            assert!(
                matches!(form, Some(ListStrategy::Through { .. })),
                "{n:?} {o:?} {form:?}"
            );
            for mode in ["force_custom_plan", "force_generic_plan"] {
                client
                    .batch_execute(&format!("SET plan_cache_mode = {mode}"))
                    .await?;
                assert_eq!(
                    request.answer(&client, access).await?,
                    plain,
                    "{grant} {n:?} {o:?}"
                );
            }
        }
    }
    // An offset larger than any table, which only Hasura's coercion accepts.
    let permissions = compile(MEMBERSHIPS[0], &catalog)?;
    let mut request = Request::new(document).session("user_id", "1");
    request = request.variables(serde_json::json!({ "n": 3, "o": i64::MAX }));
    request.options.limit_parameters = true;
    request.options.memberships = MembershipStrategy::Always;
    request.options.coercion = sql::resolve::Coercion::Loose;
    assert_eq!(
        request
            .answer(&client, permissions.role("user").ok_or("no role")?)
            .await?,
        r#"{"posts":[]}"#
    );
    Ok(())
}

// ---- where it is cheaper

#[tokio::test]
async fn statistics_determine_the_form() -> Outcome {
    let database = tests::create("membership_statistics", &[SCHEMA]).await?;
    let client = fixture::connect(&database).await?;
    client.batch_execute(
        "INSERT INTO clubs SELECT i, 'club ' || i, i FROM generate_series(1, 200) i;
         INSERT INTO members SELECT u, 1 + (u * 7 + i * 61) % 200, 1, NULL FROM generate_series(1, 500) u, generate_series(1, 3) i;
         INSERT INTO posts SELECT i, 1 + i % 200, 1, 'a', i % 5000, i FROM generate_series(1, 20000) i",
    ).await?;
    let list = "{ posts(order_by: {rank: desc}, limit: 20) { id } }";
    let chosen = async |list: &str| {
        let permissions = compile(MEMBERSHIPS[0], &catalog(&client).await?)?;
        form(&permissions, list, MembershipStrategy::ByStatistics)?
            .ok_or_else(|| Box::<dyn std::error::Error>::from("no form"))
    };
    // There are no statistics for a column outside the indexes, such as one that is compared with a
    // literal.
    let also = MEMBERSHIPS[0].replace("session.user_id", "session.user_id AND m.level = 1");
    let chosen_also = async |options: sql::resolve::Options| {
        let mut request =
            Request::new("query($n: Int) { posts(order_by: {rank: desc}, limit: $n) { id } }");
        request = request
            .session("user_id", "1")
            .variables(serde_json::json!({ "n": 20 }));
        request.options = options;
        let permissions = compile(&also, &catalog(&client).await?)?;
        let translated = request.translate(permissions.role("user").ok_or("no role")?)?;
        first_form(translated.translation.kind.statement())
            .ok_or_else(|| Box::<dyn std::error::Error>::from("no form"))
    };
    client
        .batch_execute(
            "ALTER TABLE posts SET (autovacuum_enabled = false); ALTER TABLE members \
                        SET (autovacuum_enabled = false)",
        )
        .await?;
    let never = chosen(list).await?;
    assert!(
        matches!(&never, ListStrategy::Plain(FallbackReason::Statistics(_))),
        "{never}"
    );
    client.batch_execute("ANALYZE").await?;
    let few = chosen(list).await?;
    let ListStrategy::Through {
        costs: Some(costs), ..
    } = &few
    else {
        return Err(few.to_string().into());
    };
    // Three times the 100 rows of a club might be sorted.
    assert_eq!(
        (costs.memberships, costs.most, costs.through, costs.plain),
        (3, 3, 75, 315)
    );
    assert_eq!(chosen_also(sql::resolve::Options::default()).await?, few);
    // A limit in a parameter is assumed to be a usual one, so that the form does not depend on
    // other requests.
    let options = sql::resolve::Options {
        limit_parameters: true,
        ..Default::default()
    };
    let later = chosen_also(options).await?;
    assert!(
        matches!(&later, ListStrategy::Through { costs: Some(costs), .. } if costs.through == 75),
        "{later}"
    );
    // So many rows of each club are requested that sorting all of them costs no more.
    let deep = chosen("{ posts(order_by: {rank: desc}, limit: 20, offset: 1000) { id } }").await?;
    assert!(
        matches!(&deep, ListStrategy::Plain(FallbackReason::Costs(_))),
        "{deep}"
    );
    let unsorted = chosen("{ posts(order_by: {body: desc}, limit: 20) { id } }").await?;
    assert_eq!(
        unsorted,
        ListStrategy::Plain(FallbackReason::Index("club_id, body".into()))
    );
    let one = chosen("{ posts(where: {id: {_eq: 3}}, order_by: {rank: desc}, limit: 20) { id } }")
        .await?;
    assert_eq!(one, ListStrategy::Plain(FallbackReason::Key));
    // A column fixed by a condition may also be in the index.
    let given =
        chosen("{ posts(where: {kind: {_eq: \"a\"}}, order_by: {id: asc}, limit: 20) { id } }")
            .await?;
    assert!(matches!(&given, ListStrategy::Through { .. }), "{given}");
    client
        .batch_execute(
            "INSERT INTO members SELECT u, c, 1, NULL FROM generate_series(1, 500) u, \
                        generate_series(1, 200) c ON CONFLICT DO NOTHING; ANALYZE",
        )
        .await?;
    let many = chosen(list).await?;
    assert!(
        matches!(&many, ListStrategy::Plain(FallbackReason::Costs(costs)) if costs.memberships == 200),
        "{many}"
    );
    // Few users are members of all clubs: they would pay for the others.
    client
        .batch_execute(
            "DELETE FROM members WHERE user_id > 3 AND (club_id - user_id * 7) % 61 <> 0; ANALYZE",
        )
        .await?;
    let some = chosen(list).await?;
    assert!(
        matches!(&some, ListStrategy::Plain(FallbackReason::Costs(costs)) if costs.memberships < 9 && costs.most > 150),
        "{some}"
    );
    Ok(())
}

#[tokio::test]
async fn demo_reads_newest_subjects_through_memberships() -> Outcome {
    let own = plugins::migration_script();
    let scripts = [&demo::SCRIPTS[..], &[&own, demo::INTEGRATIONS]].concat();
    let database = tests::create("membership_demo", &scripts).await?;
    let client = fixture::connect(&database).await?;
    let file = SourceFile::new(
        "permissions.toml",
        include_str!("../../demo/permissions.toml"),
    );
    let permissions = permissions::compile(&file, catalog(&client).await?)
        .map_err(|problems| permissions::render(&problems, &file, false))?;
    let list = "{ dataSubjects(order_by: {createdAt: desc}, limit: 20) { id } }";
    let chosen = form(&permissions, list, MembershipStrategy::ByStatistics)?;
    assert!(
        matches!(&chosen, Some(ListStrategy::Through { costs: Some(_), .. })),
        "{chosen:?}"
    );
    Ok(())
}

// ---- the engine

async fn catalog(client: &Client) -> Outcome<Arc<Catalog>> {
    let document: String = client.query_one(QUERY, &[]).await?.get(0);
    Ok(Arc::new(Catalog::decode(&document)?))
}

fn compile(rule: &str, catalog: &Arc<Catalog>) -> Outcome<Permissions> {
    compile_with(rule, "", catalog)
}

/// Compiles the rule with further keys in the grant.
fn compile_with(rule: &str, more: &str, catalog: &Arc<Catalog>) -> Outcome<Permissions> {
    let more = if more.is_empty() {
        String::new()
    } else {
        format!(", {more}")
    };
    let text = format!(
        "[naming]\nconvention = \"snake\"\n\
                        [session]\nuser_id = \"int\"\nratio = \"float8\"\n\
                        [rules.member_of]\nargs = [\"the_club\"]\n\
                        sql = \"EXISTS (SELECT FROM members m WHERE m.club_id = the_club AND \
                        m.user_id = session.user_id)\"\n\
                        [table.clubs.role]\nuser.select = {{ columns = \"*\", rows = \"true\" \
                        }}\n\
                        [table.replies.role]\nuser.select = {{ columns = \"*\", rows = \"true\", \
                        aggregates = true }}\n\
                        [table.posts.computed]\nshout = {{ function = \"shout\" }}\n\
                        [table.posts.role]\nuser.select = {{ columns = \"*\", rows = {rule:?}, \
                        computed = [\"shout\"]{more} }}\n"
    );
    let file = SourceFile::new("permissions.toml", text.as_str());
    permissions::compile(&file, catalog.clone())
        .map_err(|problems| permissions::render(&problems, &file, false).into())
}

fn form(
    permissions: &Permissions,
    list: &str,
    memberships: MembershipStrategy,
) -> Outcome<Option<ListStrategy>> {
    let mut request = Request::new(list).session("user_id", "1");
    request.options.memberships = memberships;
    let translated = request.translate(permissions.role("user").ok_or("no role")?)?;
    Ok(first_form(translated.translation.kind.statement()))
}

fn first_form(statement: Option<&Statement>) -> Option<ListStrategy> {
    statement?
        .scans
        .iter()
        .find_map(|reading| reading.form.clone())
}
