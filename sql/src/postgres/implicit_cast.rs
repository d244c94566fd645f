//! Types that meet in comparisons. Postgres casts one side to the other's type where it has no operator for the two, and some
//! of these casts raise: a `numeric` of a thousand digits is no `float8`.

use crate::postgres::catalog::{Catalog, Oid, TypeKind};
use crate::postgres::spatial::Spatial;

/// What the types of some values may be cast to among each other, as far as that raises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Whole,
    Exact,
    Float,
    Object,
    Date,
    Timestamp,
    Zoned,
    Mac,
    LongMac,
    Spatial,
}

/// Pairs of which the first is cast to the second in a comparison.
const COMPARED: [(Kind, Kind); 3] =
    [(Kind::Exact, Kind::Float), (Kind::Whole, Kind::Object), (Kind::LongMac, Kind::Mac)];

/// Pairs that can be compared as they are, of which the first is cast to the second where both become one column.
const UNITED: [(Kind, Kind); 3] =
    [(Kind::Date, Kind::Timestamp), (Kind::Date, Kind::Zoned), (Kind::Timestamp, Kind::Zoned)];

/// Whether values of these types may raise where they are compared with each other, or united in one column.
pub(crate) fn raises(catalog: &Catalog, types: impl IntoIterator<Item = Oid>, united: bool) -> bool {
    let kinds: Vec<Kind> = types.into_iter().filter_map(|oid| kind(catalog, oid)).collect();
    let both = |(one, other): &(Kind, Kind)| kinds.contains(one) && kinds.contains(other);
    // Anything may become a geometry by itself.
    kinds.contains(&Kind::Spatial) || COMPARED.iter().any(both) || united && UNITED.iter().any(both)
}

fn kind(catalog: &Catalog, oid: Oid) -> Option<Kind> {
    let base = catalog.base_type(oid)?;
    if let TypeKind::Array(element) = base.kind {
        return kind(catalog, element);
    }
    if Spatial::of(base).is_some() {
        return Some(Kind::Spatial);
    }
    match (base.schema.as_str(), base.name.as_str()) {
        ("pg_catalog", "int8") => Some(Kind::Whole),
        ("pg_catalog", "numeric") => Some(Kind::Exact),
        ("pg_catalog", "float4" | "float8") => Some(Kind::Float),
        ("pg_catalog", "date") => Some(Kind::Date),
        ("pg_catalog", "timestamp") => Some(Kind::Timestamp),
        ("pg_catalog", "timestamptz") => Some(Kind::Zoned),
        ("pg_catalog", "macaddr") => Some(Kind::Mac),
        ("pg_catalog", "macaddr8") => Some(Kind::LongMac),
        ("pg_catalog", name) if name == "oid" || name.starts_with("reg") => Some(Kind::Object),
        _ => None,
    }
}
