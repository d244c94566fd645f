//! Tests PostGIS: its operators exist only where the extension does, use an index, and have
//! Hasura's names. Their results are covered by the golden cases.

use std::sync::Arc;

use serde_json::json;
use sql::postgres::catalog;
use sql::postgres::catalog::Catalog;
use tests::fixture::{self, Fixture};
use tests::request::Request;
use tokio_postgres::Client;

type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

/// Places everywhere, so that an index is cheaper than a scan.
const MANY: &str = "
INSERT INTO places (id, owner_id, name, spot, globe)
SELECT n, 9, 'place ' || n, p, p FROM (SELECT n, ext.ST_Point(n % 360 - 180, n % 179 - 89, 4326) AS p FROM generate_series(1000, 20000) n) s;
CREATE INDEX places_globe ON places USING gist (globe);
CREATE INDEX places_cast ON places USING gist ((spot::ext.geography));
ANALYZE places;
";

/// Conditions, and the index that each uses.
const SERVED: [(&str, &str); 9] = [
    ("spot: {_st_within: $box}", "places_spot_idx"),
    ("spot: {_st_intersects: $box}", "places_spot_idx"),
    ("spot: {_st_3d_intersects: $box}", "places_spot_idx"),
    ("spot: {_st_equals: $from}", "places_spot_idx"),
    (
        "spot: {_st_d_within: {distance: 0.5, from: $from}}",
        "places_spot_idx",
    ),
    (
        "spot: {_st_touches: $box, _st_crosses: $box}",
        "places_spot_idx",
    ),
    (
        "globe: {_st_d_within: {distance: 1000, from: $centre}}",
        "places_globe",
    ),
    ("globe: {_st_intersects: $centre}", "places_globe"),
    (
        "spot: {_cast: {geography: {_st_d_within: {distance: 1000, from: $centre, use_spheroid: \
         false}}}}",
        "places_cast",
    ),
];

#[tokio::test]
async fn spatial_operators_use_an_index_where_no_row_is_hidden() -> Outcome {
    let database = fixture::database("spatial").await?;
    let client = fixture::connect(&database).await?;
    client.batch_execute(MANY).await?;
    let fixture = Fixture::saved()?;
    for mode in ["force_custom_plan", "force_generic_plan"] {
        client
            .batch_execute(&format!("SET plan_cache_mode = {mode}"))
            .await?;
        for (condition, index) in SERVED {
            let plan = plan(&client, &fixture, condition).await?;
            assert!(plan.contains(index), "{condition} under {mode}:\n{plan}");
        }
    }
    Ok(())
}

async fn plan(client: &Client, fixture: &Fixture, condition: &str) -> Outcome<String> {
    let point = json!({"type": "Point", "coordinates": [10.5, 53.5]});
    let square = json!({"type": "Polygon", "coordinates": [[[9, 53], [10, 53], [10, 54], [9, 54], [9, 53]]]});
    let given = [
        ("box", "geometry", &square),
        ("from", "geometry", &point),
        ("centre", "geography", &point),
    ];
    let used: Vec<_> = given
        .into_iter()
        .filter(|(name, ..)| condition.contains(&format!("${name}")))
        .collect();
    let declared: Vec<_> = used
        .iter()
        .map(|(name, of, _)| format!("${name}: {of}!"))
        .collect();
    let document = format!(
        "query ({}) {{ places(where: {{{condition}}}) {{ id }} }}",
        declared.join(", ")
    );
    let variables = used
        .iter()
        .map(|(name, _, value)| ((*name).to_owned(), (*value).clone()))
        .collect();
    let request = Request::new(document).variables(serde_json::Value::Object(variables));
    let translated = request.translate(fixture.access("public").ok_or("no such role")?)?;
    let statement = translated
        .translation
        .kind
        .statement()
        .ok_or("no statement")?;
    let parameters = request.bind(statement, &translated.variables)?;
    // `EXPLAIN` without `PREPARE` would plan for these values, whatever the mode.
    let types = parameters
        .iter()
        .map(|_| "text")
        .collect::<Vec<_>>()
        .join(", ");
    let text = (1..=parameters.len()).fold(statement.text.clone(), |text, n| {
        text.replace(&format!("${n}::float8"), &format!("${n}::text::float8"))
            .replace(&format!("${n}::bool"), &format!("${n}::text::bool"))
    });
    let values: Vec<_> = parameters
        .iter()
        .flatten()
        .map(|value| format!("'{}'", value.replace('\'', "''")))
        .collect();
    client
        .batch_execute(&format!(
            "DEALLOCATE ALL; PREPARE asked ({types}) AS {text}"
        ))
        .await?;
    let rows = client
        .query(
            &format!("EXPLAIN (COSTS OFF) EXECUTE asked ({})", values.join(", ")),
            &[],
        )
        .await?;
    Ok(rows
        .iter()
        .map(|row| row.get::<_, String>(0))
        .collect::<Vec<_>>()
        .join("\n"))
}

/// The comparison types, and Hasura's names of them and of their fields.
const NAMES: [(&str, &str); 8] = [
    (
        "input geometry_comparison_exp",
        "_cast _eq _gt _gte _in _is_null _lt _lte _neq _nin _st_3d_d_within _st_3d_intersects \
         _st_contains _st_crosses \
         _st_d_within _st_equals _st_intersects _st_overlaps _st_touches _st_within",
    ),
    (
        "input geography_comparison_exp",
        "_cast _eq _gt _gte _in _is_null _lt _lte _neq _nin _st_d_within _st_intersects",
    ),
    (
        "input raster_comparison_exp",
        "_eq _in _is_null _neq _nin _st_intersects_geom_nband _st_intersects_nband_geom \
         _st_intersects_rast",
    ),
    (
        "input geometry_cast_exp",
        "geography: geography_comparison_exp",
    ),
    (
        "input geography_cast_exp",
        "geometry: geometry_comparison_exp",
    ),
    (
        "input st_d_within_input",
        "distance: Float! from: geometry!",
    ),
    (
        "input st_d_within_geography_input",
        "distance: Float! from: geography! use_spheroid: Boolean",
    ),
    (
        "input st_intersects_nband_geom_input",
        "geommin: geometry! nband: Int!",
    ),
];

#[test]
fn spatial_types_have_hasuras_names() -> Outcome {
    let fixture = Fixture::saved()?;
    let sdl = sql::introspection::sdl(fixture.access("public").ok_or("no such role")?);
    for (head, fields) in NAMES {
        let body = sdl
            .split(&format!("{head} {{"))
            .nth(1)
            .and_then(|rest| rest.split("\n}").next());
        let body = body
            .ok_or_else(|| format!("there is no {head}"))?
            .replace(": ", ":");
        for field in fields.replace(": ", ":").split_whitespace() {
            assert!(body.contains(field), "{head} has no {field}:\n{body}");
        }
    }
    Ok(())
}

/// The database has columns with names and types similar to those of PostGIS.
#[tokio::test]
async fn spatial_types_do_not_exist_without_postgis() -> Outcome {
    let database = tests::create(
        "flat",
        &["CREATE TABLE places (id int PRIMARY KEY, spot point, shape text)"],
    )
    .await?;
    let client = fixture::connect(&database).await?;
    let catalog = Catalog::decode(client.query_one(catalog::QUERY, &[]).await?.get(0))?;
    let permissions = permissions::allow_all(Arc::new(catalog));
    let sdl = sql::introspection::sdl(permissions.role("admin").ok_or("no admin")?);
    for word in [
        "_st_",
        "st_d_within",
        "geometry",
        "geography",
        "raster",
        "_cast",
    ] {
        assert!(!sdl.contains(word), "there is `{word}`");
    }
    assert!(sdl.contains("point_comparison_exp"));
    Ok(())
}
