//! Tests cursors: for every row of every order, the pages after it and before it are the rest of
//! the list.

use serde_json::{Value as Json, json};
use sql::model::access::Access;
use tests::fixture::{self, Fixture};
use tests::request::Request;
use tokio_postgres::Client;

type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

/// A list with its order: nulls, equal values, both directions, relations, counts, extension types.
struct List {
    root: &'static str,
    connection: &'static str,
    order: &'static str,
    fields: &'static str,
}

const fn list(
    root: &'static str,
    connection: &'static str,
    order: &'static str,
    fields: &'static str,
) -> List {
    List {
        root,
        connection,
        order,
        fields,
    }
}

const LISTS: [List; 16] = [
    list("orders", "ordersConnection", "[]", "id"),
    list("orders", "ordersConnection", "{id: desc}", "id"),
    list("orders", "ordersConnection", "{placedOn: asc}", "id"),
    list(
        "orders",
        "ordersConnection",
        "[{status: desc}, {placedOn: asc}]",
        "id",
    ),
    list("orders", "ordersConnection", "{total: asc}", "id"),
    list("orders", "ordersConnection", "{total: desc}", "id"),
    list(
        "orders",
        "ordersConnection",
        "{total: asc_nulls_first}",
        "id",
    ),
    list(
        "orders",
        "ordersConnection",
        "[{parentId: desc_nulls_last}, {total: desc}]",
        "id",
    ),
    list(
        "orders",
        "ordersConnection",
        "{parent: {placedOn: desc}}",
        "id",
    ),
    list(
        "orders",
        "ordersConnection",
        "[{parent: {parent: {id: asc}}}, {status: asc}]",
        "id",
    ),
    list(
        "orders",
        "ordersConnection",
        "{linesAggregate: {count: desc}}",
        "id",
    ),
    list(
        "order_lines",
        "order_lines_connection",
        "[]",
        "order_id line_no",
    ),
    list(
        "order_lines",
        "order_lines_connection",
        "[{comment: desc}, {price: asc}]",
        "order_id line_no",
    ),
    list(
        "order_lines",
        "order_lines_connection",
        "[{order_id: desc}, {line_no: desc}]",
        "order_id line_no",
    ),
    list("users", "", "[{email: asc}]", "id"),
    list(
        "users",
        "",
        "[{mood: desc}, {score: asc}, {nick: asc_nulls_first}, {createdAt: desc}]",
        "id",
    ),
];

#[tokio::test]
async fn pages_after_and_before_every_row_are_the_rest_of_the_list() -> Outcome {
    let database = fixture::database("pages").await?;
    let client = fixture::connect(&database).await?;
    let fixture = Fixture::saved()?;
    let mut pages = 0;
    for role in ["admin", "customer", "staff"] {
        let access = fixture.access(role).ok_or("no role")?;
        // The lines that staff may list are limited to two per list, and two pages may contain
        // different ones.
        for list in LISTS
            .iter()
            .filter(|list| role != "staff" || list.root != "order_lines")
        {
            let Ok(rows) = rows(&client, access, list, "").await else {
                assert!(
                    role == "staff" || role == "customer",
                    "{role} {} {}",
                    list.root,
                    list.order
                );
                continue;
            };
            pages += check(&client, access, list, &rows).await?;
        }
    }
    assert!(pages > 250, "only {pages} pages were looked at");
    Ok(())
}

async fn check(client: &Client, access: &Access, list: &List, rows: &[Json]) -> Outcome<usize> {
    let mut pages = 0;
    for (i, row) in rows.iter().enumerate() {
        let cursor = row["_cursor"].as_str().ok_or("no cursor")?;
        for limit in [2, 100] {
            let about = format!(
                "{} of {} by {}, row {i}, limit {limit}",
                access.role(),
                list.root,
                list.order
            );
            let after = &rows[i + 1..];
            let before = &rows[..i];
            let next = &after[..limit.min(after.len())];
            let previous = &before[before.len().saturating_sub(limit)..];
            let found = self::rows(
                client,
                access,
                list,
                &format!("after: {cursor:?}, limit: {limit}"),
            )
            .await?;
            assert_eq!(found, next, "after, {about}");
            let found = self::rows(
                client,
                access,
                list,
                &format!("before: {cursor:?}, limit: {limit}"),
            )
            .await?;
            assert_eq!(found, previous, "before, {about}");
            if let Some(last) = rows.last() {
                let until = last["_cursor"].as_str().ok_or("no cursor")?;
                let between = &after[..after.len().saturating_sub(1)];
                let arguments = format!("after: {cursor:?}, before: {until:?}, limit: {limit}");
                let found = self::rows(client, access, list, &arguments).await?;
                assert_eq!(
                    found,
                    &between[..limit.min(between.len())],
                    "between, {about}"
                );
            }
            if !list.connection.is_empty() {
                let page = page(
                    client,
                    access,
                    list,
                    &format!("after: {cursor:?}, first: {limit}"),
                )
                .await?;
                assert_eq!(
                    page,
                    expected(next, next.len() < after.len(), true),
                    "first, {about}"
                );
                let page = self::page(
                    client,
                    access,
                    list,
                    &format!("before: {cursor:?}, last: {limit}"),
                )
                .await?;
                assert_eq!(
                    page,
                    expected(previous, true, previous.len() < before.len()),
                    "last, {about}"
                );
            }
            pages += 1;
        }
    }
    Ok(pages)
}

async fn rows(
    client: &Client,
    access: &Access,
    list: &List,
    arguments: &str,
) -> Outcome<Vec<Json>> {
    let List {
        root,
        order,
        fields,
        ..
    } = list;
    let document =
        format!("{{ list: {root}(order_by: {order} {arguments}) {{ _cursor {fields} }} }}");
    match ask(client, access, document).await?["list"].take() {
        Json::Array(rows) => Ok(rows),
        other => Err(format!("no list: {other}").into()),
    }
}

async fn page(client: &Client, access: &Access, list: &List, arguments: &str) -> Outcome<Json> {
    let List {
        connection,
        order,
        fields,
        ..
    } = list;
    let document = format!(
        "{{ page: {connection}(order_by: {order} {arguments}) {{ \
         edges {{ cursor node {{ _cursor {fields} }} }} nodes {{ {fields} _cursor }} \
         pageInfo {{ hasNextPage hasPreviousPage startCursor endCursor }} }} }}"
    );
    Ok(ask(client, access, document).await?["page"].take())
}

fn expected(rows: &[Json], next: bool, previous: bool) -> Json {
    let cursor = |row: Option<&Json>| row.map_or(Json::Null, |row| row["_cursor"].clone());
    let edges: Vec<Json> = rows
        .iter()
        .map(|row| json!({"cursor": row["_cursor"], "node": row}))
        .collect();
    let info = json!({
        "hasNextPage": next, "hasPreviousPage": previous,
        "startCursor": cursor(rows.first()), "endCursor": cursor(rows.last()),
    });
    json!({"edges": edges, "nodes": rows, "pageInfo": info})
}

async fn ask(client: &Client, access: &Access, document: String) -> Outcome<Json> {
    let request = Request::new(document).session("user_id", "1");
    Ok(serde_json::from_str(
        &request.answer(client, access).await?,
    )?)
}
