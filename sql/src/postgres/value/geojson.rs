//! Validates GeoJSON input and converts it to PostGIS text forms.
//!
//! A value that PostGIS would read as another shape, or reject when the statement runs, is rejected
//! here, so that the error names the argument.
//! <https://datatracker.ietf.org/doc/html/rfc7946#section-3.1>

use std::borrow::Cow;
use std::fmt::Write;

use serde_json::{Map, Value as Json, json};

use super::{ActualKind, found};
use crate::error::GeometryFault;

/// The reference system of GeoJSON without a `crs`.
const WGS84_SRID: i32 = 4326;

/// The geometry types, and the nesting and minimum lengths of their coordinates.
const SHAPES: [(&str, Coordinates); 6] = [
    ("Point", Coordinates::Position),
    ("LineString", Coordinates::Line),
    ("Polygon", Coordinates::Lists(&Coordinates::Ring)),
    ("MultiPoint", Coordinates::Lists(&Coordinates::Position)),
    ("MultiLineString", Coordinates::Lists(&Coordinates::Line)),
    (
        "MultiPolygon",
        Coordinates::Lists(&Coordinates::Lists(&Coordinates::Ring)),
    ),
];

enum Coordinates {
    Position,
    Line,
    Ring,
    Lists(&'static Coordinates),
}

/// The text for `ST_GeomFromGeoJSON`. A value without a `crs` gets one if its column has another
/// reference system than
/// 4326. The GeoJSON specification's name for 4326 (CRS84) is replaced, as PostGIS does not know
///       it.
pub(super) fn text(value: &Json, srid: Option<i32>) -> Result<String, ActualKind> {
    let object = checked(value)?;
    let srid = match crs(object) {
        None => srid.filter(|srid| *srid != WGS84_SRID),
        Some(name) => name.ends_with(":CRS84").then_some(WGS84_SRID),
    };
    let Some(srid) = srid else {
        return Ok(value.to_string());
    };
    let mut object = object.clone();
    object.insert(
        "crs".into(),
        json!({"type": "name", "properties": {"name": format!("EPSG:{srid}")}}),
    );
    Ok(Json::Object(object).to_string())
}

/// `SRID=4326;POINT (1 2)`, the form that PostGIS reads inside arrays and rows. A string is passed
/// unchanged.
pub(super) fn ewkt(value: &Json, srid: Option<i32>) -> Result<String, ActualKind> {
    if let Json::String(text) = value {
        return super::without_nul(text).map(Cow::into_owned);
    }
    let object = checked(value)?;
    let srid = match crs(object) {
        None => srid.unwrap_or(WGS84_SRID),
        Some(name) => named(name).ok_or(GeometryFault::CrsName)?,
    };
    let mut text = format!("SRID={srid};");
    shape(object, is_solid(value), &mut text);
    Ok(text)
}

/// A point at the origin.
pub(super) fn sample() -> Json {
    json!({"type": "Point", "coordinates": [0, 0]})
}

fn checked(value: &Json) -> Result<&Map<String, Json>, ActualKind> {
    let object = value.as_object().ok_or_else(|| found(value))?;
    check(object)?;
    Ok(object)
}

fn check(object: &Map<String, Json>) -> Result<(), ActualKind> {
    match object.get("crs") {
        None | Some(Json::Null) => {}
        Some(crs) if is_crs(crs) => {}
        Some(_) => return Err(GeometryFault::CrsForm.into()),
    }
    let kind = object
        .get("type")
        .and_then(Json::as_str)
        .ok_or(GeometryFault::NoType)?;
    if kind == "GeometryCollection" {
        let members = object.get("geometries").and_then(Json::as_array);
        return members
            .ok_or(GeometryFault::NoGeometries)?
            .iter()
            .try_for_each(|m| checked(m).map(drop));
    }
    let unknown = || GeometryFault::UnknownType(kind.chars().take(40).collect());
    let (_, shape) = SHAPES
        .iter()
        .find(|(name, _)| *name == kind)
        .ok_or_else(unknown)?;
    let coordinates = object.get("coordinates").and_then(Json::as_array);
    match coordinates.ok_or(GeometryFault::NoCoordinates)? {
        // PostGIS writes an empty shape like this.
        empty if empty.is_empty() => Ok(()),
        coordinates => shape.check(coordinates),
    }
}

impl Coordinates {
    fn check(&self, list: &[Json]) -> Result<(), ActualKind> {
        let inner =
            |shape: &Coordinates| list.iter().try_for_each(|item| shape.check(array(item)?));
        match self {
            Coordinates::Position if list.len() < 2 => Err(GeometryFault::ShortPosition.into()),
            Coordinates::Position if !list.iter().all(is_coordinate) => {
                Err(GeometryFault::NotNumbers.into())
            }
            Coordinates::Position => Ok(()),
            Coordinates::Line if list.len() < 2 => Err(GeometryFault::ShortLine.into()),
            Coordinates::Ring if list.len() < 4 => Err(GeometryFault::ShortRing.into()),
            Coordinates::Line => inner(&Coordinates::Position),
            Coordinates::Ring => {
                inner(&Coordinates::Position)?;
                let closed = list
                    .first()
                    .zip(list.last())
                    .is_some_and(|(first, last)| is_same(first, last));
                if closed {
                    Ok(())
                } else {
                    Err(GeometryFault::OpenRing.into())
                }
            }
            Coordinates::Lists(shape) => inner(shape),
        }
    }
}

fn array(value: &Json) -> Result<&[Json], ActualKind> {
    value
        .as_array()
        .map(Vec::as_slice)
        .ok_or_else(|| ActualKind::Coordinate(found(value).into()))
}

fn is_coordinate(value: &Json) -> bool {
    value.as_f64().is_some_and(f64::is_finite)
}

/// Whether two positions are equal as numbers. Coordinates after the third are ignored.
fn is_same(one: &Json, other: &Json) -> bool {
    let numbers = |position: &Json| -> Vec<Option<f64>> {
        position
            .as_array()
            .into_iter()
            .flatten()
            .take(3)
            .map(Json::as_f64)
            .collect()
    };
    numbers(one) == numbers(other)
}

/// `{"type": "name", "properties": {"name": …}}`, or a link, which is never followed.
/// <https://geojson.org/geojson-spec.html#coordinate-reference-system-objects>
fn is_crs(crs: &Json) -> bool {
    let property = |name: &str| {
        crs.get("properties")
            .and_then(|properties| properties.get(name)?.as_str())
            .is_some()
    };
    match crs.get("type").and_then(Json::as_str) {
        Some("name") => property("name"),
        Some("link") => property("href"),
        _ => false,
    }
}

fn crs(object: &Map<String, Json>) -> Option<&str> {
    object.get("crs")?.get("properties")?.get("name")?.as_str()
}

/// The SRID in `EPSG:3857` and `urn:ogc:def:crs:EPSG::3857`.
fn named(crs: &str) -> Option<i32> {
    match crs.rsplit_once(':')? {
        (authority, number) if authority.trim_end_matches(':').ends_with("EPSG") => {
            number.parse().ok()
        }
        (_, "CRS84") => Some(WGS84_SRID),
        _ => None,
    }
}

/// Whether some position has a third coordinate.
fn is_solid(value: &Json) -> bool {
    let inside = |key: &str| value.get(key).is_some_and(is_solid);
    match value {
        Json::Array(items) if items.first().is_some_and(Json::is_number) => items.len() > 2,
        Json::Array(items) => items.iter().any(is_solid),
        _ => inside("coordinates") || inside("geometries"),
    }
}

/// Appends `POLYGON Z ((…))` for a validated object.
fn shape(object: &Map<String, Json>, solid: bool, text: &mut String) {
    let kind = object
        .get("type")
        .and_then(Json::as_str)
        .unwrap_or_default();
    let members = object
        .get("coordinates")
        .or(object.get("geometries"))
        .and_then(Json::as_array);
    let members = members.map(Vec::as_slice).unwrap_or_default();
    let _ = write!(
        text,
        "{}{}",
        kind.to_uppercase(),
        if solid { " Z " } else { " " }
    );
    match members {
        [] => text.push_str("EMPTY"),
        // A point has a single position, which needs parentheses like the lists of positions of
        // other types.
        [Json::Number(_), ..] => {
            text.push('(');
            position(members, solid, text);
            text.push(')');
        }
        members => list(members, solid, text),
    }
}

fn list(members: &[Json], solid: bool, text: &mut String) {
    text.push('(');
    for (i, member) in members.iter().enumerate() {
        text.push_str(if i > 0 { "," } else { "" });
        match member {
            Json::Object(member) => shape(member, solid, text),
            Json::Array(numbers) if numbers.first().is_some_and(Json::is_number) => {
                position(numbers, solid, text);
            }
            Json::Array(members) => list(members, solid, text),
            _ => {}
        }
    }
    text.push(')');
}

fn position(numbers: &[Json], solid: bool, text: &mut String) {
    for i in 0..if solid { 3 } else { 2 } {
        text.push_str(if i > 0 { " " } else { "" });
        match numbers.get(i) {
            Some(number) => text.push_str(&number.to_string()),
            None => text.push('0'),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(value: &Json) -> String {
        text(value, None).expect_err("it is wrong").to_string()
    }

    #[test]
    fn invalid_shapes_are_refused() {
        let of = |kind: &str, coordinates: Json| json!({"type": kind, "coordinates": coordinates});
        assert_eq!(
            fault(&of("Point", json!([1]))),
            "a Position of fewer than 2 numbers"
        );
        assert_eq!(
            fault(&of("Point", json!([1, "2"]))),
            "a Position that is not of numbers"
        );
        assert_eq!(
            fault(&of("MultiPoint", json!([[1, 2], [3]]))),
            "a Position of fewer than 2 numbers"
        );
        assert_eq!(
            fault(&of("LineString", json!([[1, 2]]))),
            "a LineString of fewer than 2 Positions"
        );
        assert_eq!(
            fault(&of("LineString", json!([1, 2]))),
            "an integer among coordinates"
        );
        assert_eq!(
            fault(&of("Polygon", json!([[[1, 2], [1, 3], [1, 2]]]))),
            "a LinearRing of fewer than 4 Positions"
        );
        let open = json!([[[0, 0], [0, 1], [1, 1], [1, 0]]]);
        assert_eq!(
            fault(&of("Polygon", open)),
            "a LinearRing that does not end where it begins"
        );
        assert_eq!(
            fault(&of("Circle", json!([1, 2]))),
            "a geometry of the unknown type 'Circle'"
        );
        assert_eq!(
            fault(&json!({"coordinates": [1, 2]})),
            "a geometry without a type"
        );
        assert_eq!(
            fault(&json!({"type": "Point"})),
            "a geometry without coordinates"
        );
        assert_eq!(
            fault(&json!({"type": "GeometryCollection", "geometries": [1]})),
            "an integer"
        );
        assert_eq!(fault(&json!("POINT(1 2)")), "a string");
        assert_eq!(
            fault(&json!({"type": "Point", "coordinates": [1, 2], "crs": 4326})),
            "a crs of an unknown form"
        );
        for good in [
            of("Point", json!([1, 2, 3, 4])),
            of("Polygon", json!([[[0, 0], [0, 1.0], [1, 1], [0.0, 0]]])),
            of("MultiPolygon", json!([[[[0, 0], [0, 1], [1, 1], [0, 0]]]])),
            of("Polygon", json!([])),
        ] {
            assert_eq!(text(&good, None), Ok(good.to_string()));
        }
    }

    #[test]
    fn crs_defaults_to_that_of_the_column() {
        let point = json!({"type": "Point", "coordinates": [1, 2]});
        assert_eq!(text(&point, Some(4326)), Ok(point.to_string()));
        assert!(text(&point, Some(3857)).is_ok_and(|text| text.contains("EPSG:3857")));
        let mut own = point.clone();
        own["crs"] = json!({"type": "name", "properties": {"name": "EPSG:4326"}});
        assert_eq!(text(&own, Some(3857)), Ok(own.to_string()));
        assert_eq!(ewkt(&own, Some(3857)), Ok("SRID=4326;POINT (1 2)".into()));
        own["crs"]["properties"]["name"] = "urn:ogc:def:crs:OGC:1.3:CRS84".into();
        assert!(text(&own, Some(3857)).is_ok_and(|text| text.contains("EPSG:4326")));
    }

    #[test]
    fn shapes_become_well_known_text() {
        let written = |value: &Json| ewkt(value, Some(3857)).expect("it is right");
        let crs = |name: &str| json!({"type": "name", "properties": {"name": name}});
        let line = json!({"type": "LineString", "coordinates": [[1, 2], [3, 4, 5]], "crs": crs("urn:ogc:def:crs:EPSG::25832")});
        assert_eq!(written(&line), "SRID=25832;LINESTRING Z (1 2 0,3 4 5)");
        let polygon = json!({"type": "Polygon", "coordinates": [[[0, 0], [0, 1], [1, 1], [0, 0]]]});
        let members = json!({"type": "GeometryCollection", "geometries": [polygon, {"type": "Point", "coordinates": []}]});
        assert_eq!(
            written(&members),
            "SRID=3857;GEOMETRYCOLLECTION (POLYGON ((0 0,0 1,1 1,0 0)),POINT EMPTY)"
        );
        let elsewhere = json!({"type": "Point", "coordinates": [1, 2], "crs": crs("ESRI:102100")});
        assert!(ewkt(&elsewhere, None).is_err());
        assert_eq!(ewkt(&json!("0101"), None), Ok("0101".into()));
    }
}
