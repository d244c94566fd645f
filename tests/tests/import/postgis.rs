//! Tests conditions with the operators of PostGIS, prepared and run by Postgres.

use import::{Options, Source};
use permissions::SourceFile;
use serde_json::{Value as Json, json};
use sql::model::names::Convention;
use tests::fixture;
use tests::request::Request;

use super::Outcome;

/// Raster functions call other functions by unqualified names, so they need the extension on the
/// search path.
const RASTERS: &str = "
CREATE EXTENSION postgis_raster;
ALTER TABLE places ADD picture raster;
UPDATE places SET picture = st_addband(st_makeemptyraster(10, 10, 0, 0, 1, 1, 0, 0, 4326), '8BUI'::text, 1) WHERE id = 1;
";

fn schema(of: &str) -> String {
    format!(
        "CREATE EXTENSION postgis SCHEMA {of};
         CREATE TABLE places (id int PRIMARY KEY, shape {of}.geometry, spot {of}.geography);
         INSERT INTO places VALUES (1, 'SRID=4326;POINT(1 2)', 'POINT(1 2)'),
           (2, 'SRID=4326;POLYGON((0 0, 0 1, 1 1, 1 0, 0 0))', 'POINT(50 50)'), (3, NULL, NULL);"
    )
}

/// A condition, and the rows for which it is true.
type Case = (Json, &'static [i64]);

#[test]
fn imported_spatial_conditions_match_postgis() -> Outcome {
    check(&["CREATE SCHEMA gis", &schema("gis")], shapes())?;
    check(
        &[&schema("public"), RASTERS],
        [shapes(), rasters()].concat(),
    )
}

fn point(x: f64, y: f64) -> Json {
    json!({"type": "Point", "coordinates": [x, y]})
}

fn square() -> Json {
    json!({"type": "Polygon", "coordinates": [[[0, 0], [0, 3], [3, 3], [3, 0], [0, 0]]]})
}

fn shapes() -> Vec<Case> {
    vec![
        (
            json!({"shape": {"$st_d_within": {"distance": 0.5, "from": point(1.0, 2.1)}}}),
            &[1],
        ),
        (
            json!({"shape": {"_st_d_within": {"distance": "X-Hasura-Far", "from": "X-Hasura-Here"}}}),
            &[1, 2],
        ),
        (
            json!({"shape": {"_st_3d_d_within": {"distance": 0.5, "from": point(0.5, 0.5)}}}),
            &[2],
        ),
        (json!({"shape": {"_st_within": square()}}), &[1, 2]),
        (
            json!({"shape": {"_st_contains": point(0.5, 0.5), "_st_intersects": "X-Hasura-Here"}}),
            &[],
        ),
        (
            json!({"_not": {"shape": {"_st_equals": point(1.0, 2.0)}}}),
            &[2],
        ),
        (
            json!({"spot": {"_st_d_within": {"distance": 1000, "from": point(1.0, 2.0), "use_spheroid": true}}}),
            &[1],
        ),
        (json!({"spot": {"_st_intersects": point(50.0, 50.0)}}), &[2]),
        (
            json!({"shape": {"_cast": {"geography": {"_st_d_within": {"distance": 20000, "from": point(1.1, 2.1)}}}}}),
            &[1],
        ),
        (json!({"shape": {"_is_null": true}}), &[3]),
    ]
}

fn rasters() -> Vec<Case> {
    vec![
        (
            json!({"picture": {"_st_intersects_nband_geom": {"nband": 1, "geommin": square()}}}),
            &[1],
        ),
        (
            json!({"picture": {"_st_intersects_geom_nband": {"geommin": "X-Hasura-Here"}}}),
            &[1],
        ),
    ]
}

fn check(scripts: &[&str], cases: Vec<Case>) -> Outcome {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let database = runtime.block_on(tests::create("importgis", scripts))?;
    let client = runtime.block_on(fixture::connect(&database))?;
    let catalog = runtime.block_on(super::catalog(&client))?;
    for (condition, expected) in cases {
        let permission =
            json!([{"role": "asker", "permission": {"columns": ["id"], "filter": condition}}]);
        let tables = json!([{"table": "places", "select_permissions": permission}]);
        let metadata = json!({"version": 2, "tables": tables}).to_string();
        let imported = import::import(&Source::Document(metadata), &catalog, &Options::default())?;
        assert!(
            imported.report.is_complete(),
            "{condition}: {}",
            imported.report.text()
        );
        let text = imported
            .files
            .first()
            .map(|(_, text)| text.as_str())
            .unwrap_or_default();
        let file = SourceFile::new("permissions.toml", text);
        let compiled = permissions::compile_with(&file, catalog.clone(), Convention::Snake);
        let compiled = compiled.map_err(|problems| permissions::render(&problems, &file, false))?;
        let here = point(1.0, 2.0).to_string();
        let request = Request::new("{ places(order_by: {id: asc}) { id } }")
            .session("far", "3")
            .session("here", here);
        let response =
            runtime.block_on(request.answer(&client, compiled.role("asker").ok_or("no role")?));
        let response_value: Json = serde_json::from_str(
            &response.map_err(|error| format!("{condition}: {error}\n{text}"))?,
        )?;
        let found: Vec<i64> = response_value["places"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|row| row["id"].as_i64())
            .collect();
        assert_eq!(found, expected, "{condition}\n{text}");
    }
    Ok(())
}
