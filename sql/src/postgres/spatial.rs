//! The types of PostGIS: which they are, where they lie, and what a column's declaration says of them. What values of
//! them look like is in [`crate::postgres::value`].

use crate::postgres::catalog::{Catalog, Type, TypeKind};

/// A type of PostGIS.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Spatial {
    /// On a plane.
    Geometry,
    /// On the globe.
    Geography,
    /// Cells with values.
    Raster,
}

impl Spatial {
    /// Which of them a type is.
    pub fn of(base: &Type) -> Option<Spatial> {
        match (&base.kind, base.schema.as_str(), base.name.as_str()) {
            (_, "pg_catalog", _) => None,
            (TypeKind::Base, _, "geometry") => Some(Spatial::Geometry),
            (TypeKind::Base, _, "geography") => Some(Spatial::Geography),
            (TypeKind::Base, _, "raster") => Some(Spatial::Raster),
            _ => None,
        }
    }
}

/// The schema of PostGIS, all of which lies in one, if anything in the catalog has one of its types.
pub fn schema(catalog: &Catalog) -> Option<&str> {
    catalog.types.iter().find(|entry| Spatial::of(entry).is_some()).map(|entry| entry.schema.as_str())
}

/// The spatial reference system in the modifier of a column's type, if it names one.
/// <https://github.com/postgis/postgis/blob/master/liblwgeom/liblwgeom.h.in> (`TYPMOD_GET_SRID`)
pub fn srid(modifier: i32) -> Option<i32> {
    let bits = (modifier & 0x0FFF_FF00) - (modifier & 0x1000_0000);
    Some(bits >> 8).filter(|srid| *srid > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_modifier_names_a_reference_system() {
        // As Postgres has them for geometry(Point, 3857), geography(PointZ), geometry(Point).
        assert_eq!(srid(987_396), Some(3857));
        assert_eq!(srid(1_107_462), Some(4326));
        assert_eq!(srid(4), None);
    }
}
