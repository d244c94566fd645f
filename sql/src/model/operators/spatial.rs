//! The operators of PostGIS types.
//!
//! All are functions that may raise an error for their operands, such as for two shapes in
//! different reference systems. Functions with index support get it from Postgres, without an
//! operator in the SQL.

use super::table::of_kind;
use super::{
    ApplicableTypes, Object, ObjectField, OperandShape, Operator, OperatorKind, RowCost, Type,
};
use crate::postgres::spatial::Spatial;
use crate::postgres::types::Class;

const fn operator(
    name: &'static str,
    sql: &'static str,
    takes: OperandShape,
    on: Spatial,
    about: &'static str,
) -> Operator {
    Operator {
        kind: OperatorKind::Other,
        name,
        sql,
        takes,
        on: ApplicableTypes::Class(Class::Spatial(on)),
        cost: RowCost::Raises,
        about,
    }
}

const fn field(name: &'static str, r#type: Type, default: Option<&'static str>) -> ObjectField {
    ObjectField {
        name,
        r#type,
        default,
    }
}

const SAME: OperandShape = OperandShape::One(Type::Same);
const LIST: OperandShape = OperandShape::List(Type::Same);
const GEOMETRY: Spatial = Spatial::Geometry;
const GEOGRAPHY: Spatial = Spatial::Geography;
const RASTER: Spatial = Spatial::Raster;

static WITHIN: Object = Object {
    name: "st_d_within_input",
    fields: &[
        field("distance", Type::Float, None),
        field("from", Type::Same, None),
    ],
};

static WITHIN_ON_THE_GLOBE: Object = Object {
    name: "st_d_within_geography_input",
    fields: &[
        field("distance", Type::Float, None),
        field("from", Type::Same, None),
        field("use_spheroid", Type::Boolean, Some("true")),
    ],
};

static BAND_AND_SHAPE: Object = Object {
    name: "st_intersects_nband_geom_input",
    fields: &[
        field("geommin", Type::Beside("geometry"), None),
        field("nband", Type::Int, None),
    ],
};

static SHAPE_AND_BAND: Object = Object {
    name: "st_intersects_geom_nband_input",
    fields: &[
        field("geommin", Type::Beside("geometry"), None),
        field("nband", Type::Int, Some("NULL::int4")),
    ],
};

/// In schema order, after the operators of all types.
pub(super) static OPERATORS: &[Operator] = &[
    operator(
        "_cast",
        "{x}",
        OperandShape::Cast(&[("geography", Type::Beside("geography"))]),
        GEOMETRY,
        "conditions on the shape on the globe",
    ),
    operator(
        "_st_contains",
        "{schema}.ST_Contains({x}, {})",
        SAME,
        GEOMETRY,
        "contains the shape",
    ),
    operator(
        "_st_crosses",
        "{schema}.ST_Crosses({x}, {})",
        SAME,
        GEOMETRY,
        "crosses the shape",
    ),
    operator(
        "_st_equals",
        "{schema}.ST_Equals({x}, {})",
        SAME,
        GEOMETRY,
        "covers the same points as the shape",
    ),
    operator(
        "_st_intersects",
        "{schema}.ST_Intersects({x}, {})",
        SAME,
        GEOMETRY,
        "has a point in common with the shape",
    ),
    operator(
        "_st_3d_intersects",
        "{schema}.ST_3DIntersects({x}, {})",
        SAME,
        GEOMETRY,
        "has a point in common with the shape, in three dimensions",
    ),
    operator(
        "_st_overlaps",
        "{schema}.ST_Overlaps({x}, {})",
        SAME,
        GEOMETRY,
        "overlaps with the shape, neither containing the other",
    ),
    operator(
        "_st_touches",
        "{schema}.ST_Touches({x}, {})",
        SAME,
        GEOMETRY,
        "touches the shape from outside",
    ),
    operator(
        "_st_within",
        "{schema}.ST_Within({x}, {})",
        SAME,
        GEOMETRY,
        "lies within the shape",
    ),
    operator(
        "_st_d_within",
        "{schema}.ST_DWithin({x}, {from}, {distance})",
        OperandShape::Object(&WITHIN),
        GEOMETRY,
        "is no further from the shape than the distance, in units of the reference system",
    ),
    operator(
        "_st_3d_d_within",
        "{schema}.ST_3DDWithin({x}, {from}, {distance})",
        OperandShape::Object(&WITHIN),
        GEOMETRY,
        "is no further from the shape than the distance, in three dimensions",
    ),
    operator(
        "_cast",
        "{x}",
        OperandShape::Cast(&[("geometry", Type::Beside("geometry"))]),
        GEOGRAPHY,
        "conditions on the shape on a plane",
    ),
    operator(
        "_st_intersects",
        "{schema}.ST_Intersects({x}, {})",
        SAME,
        GEOGRAPHY,
        "has a point in common with the shape",
    ),
    operator(
        "_st_d_within",
        "{schema}.ST_DWithin({x}, {from}, {distance}, {use_spheroid})",
        OperandShape::Object(&WITHIN_ON_THE_GLOBE),
        GEOGRAPHY,
        "is no further from the shape than the distance, in metres",
    ),
    of_kind(
        OperatorKind::Equal,
        operator("_eq", "{x} {=} {}", SAME, RASTER, "equal to"),
    ),
    of_kind(
        OperatorKind::NotEqual,
        operator("_neq", "NOT {x} {=} {}", SAME, RASTER, "not equal to"),
    ),
    of_kind(
        OperatorKind::In,
        operator(
            "_in",
            "{x} {=} ANY ({})",
            LIST,
            RASTER,
            "equal to one of the list",
        ),
    ),
    of_kind(
        OperatorKind::NotIn,
        operator(
            "_nin",
            "NOT {x} {=} ANY ({})",
            LIST,
            RASTER,
            "equal to none of the list",
        ),
    ),
    operator(
        "_st_intersects_rast",
        "{schema}.ST_Intersects({x}, {})",
        SAME,
        RASTER,
        "intersects the raster",
    ),
    operator(
        "_st_intersects_nband_geom",
        "{schema}.ST_Intersects({x}, {nband}, {geommin})",
        OperandShape::Object(&BAND_AND_SHAPE),
        RASTER,
        "the band has a value where the shape lies",
    ),
    operator(
        "_st_intersects_geom_nband",
        "{schema}.ST_Intersects({x}, {geommin}, {nband})",
        OperandShape::Object(&SHAPE_AND_BAND),
        RASTER,
        "lies, or the band has a value, where the shape does",
    ),
];
