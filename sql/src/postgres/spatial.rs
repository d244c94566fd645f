//! The PostGIS types: their identification, their schema, and the reference system in a column's
//! type modifier.
//!
//! Their values are in [`crate::postgres::value`].

use crate::postgres::catalog::{Catalog, Type, TypeKind};

/// A PostGIS type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Spatial {
    /// Shapes on a plane.
    Geometry,
    /// Shapes on the globe.
    Geography,
    /// Rasters: cells with values.
    Raster,
}

impl Spatial {
    /// The PostGIS type that a base type is, if it is one.
    pub fn from_type(base: &Type) -> Option<Spatial> {
        match (&base.kind, base.schema.as_str(), base.name.as_str()) {
            (_, "pg_catalog", _) => None,
            (TypeKind::Base, _, "geometry") => Some(Spatial::Geometry),
            (TypeKind::Base, _, "geography") => Some(Spatial::Geography),
            (TypeKind::Base, _, "raster") => Some(Spatial::Raster),
            _ => None,
        }
    }
}

/// The schema of the extension PostGIS, if the catalog contains one of its types.
pub fn schema(catalog: &Catalog) -> Option<&str> {
    catalog
        .types
        .iter()
        .find(|entry| Spatial::from_type(entry).is_some())
        .map(|entry| entry.schema.as_str())
}

/// The spatial reference system in the type modifier of a column, if it has one.
/// <https://github.com/postgis/postgis/blob/master/liblwgeom/liblwgeom.h.in> (`TYPMOD_GET_SRID`)
pub fn srid(modifier: i32) -> Option<i32> {
    let bits = (modifier & 0x0FFF_FF00) - (modifier & 0x1000_0000);
    Some(bits >> 8).filter(|srid| *srid > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn srid_is_read_from_the_type_modifier() {
        // The type modifiers of geometry(Point, 3857), geography(PointZ), geometry(Point).
        assert_eq!(srid(987_396), Some(3857));
        assert_eq!(srid(1_107_462), Some(4326));
        assert_eq!(srid(4), None);
    }
}
