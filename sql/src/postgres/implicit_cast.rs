//! Implicit casts in comparisons that may raise an error.
//!
//! If Postgres has no operator for two types, it casts one side to the other's type, and some of
//! these casts raise: a `numeric` of a thousand digits is out of range for `float8`.

use crate::postgres::catalog::{Catalog, Oid, TypeKind};
use crate::postgres::spatial::Spatial;

/// Groups of types with raising casts among them. Types in no group do not raise.
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

/// Pairs of which a comparison casts the first to the second.
const COMPARED: [(Kind, Kind); 3] = [
    (Kind::Exact, Kind::Float),
    (Kind::Whole, Kind::Object),
    (Kind::LongMac, Kind::Mac),
];

/// Pairs that are compared without a cast, but of which a common result column casts the first to
/// the second.
const UNITED: [(Kind, Kind); 3] = [
    (Kind::Date, Kind::Timestamp),
    (Kind::Date, Kind::Zoned),
    (Kind::Timestamp, Kind::Zoned),
];

/// Whether comparing values of these types with each other may raise, or, if `united`, combining
/// them in one column.
pub(crate) fn raises(
    catalog: &Catalog,
    types: impl IntoIterator<Item = Oid>,
    united: bool,
) -> bool {
    let kinds: Vec<Kind> = types
        .into_iter()
        .filter_map(|oid| kind(catalog, oid))
        .collect();
    let both = |(one, other): &(Kind, Kind)| kinds.contains(one) && kinds.contains(other);
    // Postgres implicitly casts many types to geometry.
    kinds.contains(&Kind::Spatial) || COMPARED.iter().any(both) || united && UNITED.iter().any(both)
}

fn kind(catalog: &Catalog, oid: Oid) -> Option<Kind> {
    let base = catalog.base_type(oid)?;
    if let TypeKind::Array(element) = base.kind {
        return kind(catalog, element);
    }
    if Spatial::from_type(base).is_some() {
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
