//! Postgres types as GraphQL scalars: name, accepted input, output cast and encoder, and operators.
//!
//! The schema, the resolver and the renderer look types up here; [`crate::postgres::value`]
//! converts values by [`Input`].

use std::sync::Arc;

use super::encoder::Encoder;
use super::length_limits::LengthLimits;
use crate::postgres::catalog::{Catalog, ComparisonOperators, Oid, Type, TypeKind};
use crate::postgres::ltree::Ltree;
use crate::postgres::spatial::Spatial;

/// The first OID that is not built in: `FirstNormalObjectId` in Postgres' `transam.h`.
const FIRST_NORMAL_OID: Oid = 16384;

/// The properties of a type that translation needs.
#[derive(Clone, Debug)]
pub struct Scalar {
    /// The name of the GraphQL scalar: `Int`, `uuid`.
    pub name: String,
    /// The type below all domains, as SQL writes it: `int4`, `"public"."mood"`.
    pub sql: String,
    /// Whether it is built in, so that a parameter may be declared with it.
    pub builtin: bool,
    /// The input values that it accepts.
    pub input: Input,
    /// How values are selected and encoded.
    pub output: Output,
    /// The operators that it shares with many types.
    pub family: Family,
    /// The operators that are specific to its class.
    pub class: Class,
    /// The schema of the type below all domains.
    pub schema: String,
    /// The element type of an array, or the subtype of a range.
    pub element: Option<Oid>,
    /// For an array over a domain, the SQL name of the array over the domain's base type.
    /// Comparisons cast to it, so that a value that violates the domain matches no row instead of
    /// raising an error.
    pub over_domain: Option<String>,
    /// The schema of its operators, unless Postgres finds them without it.
    pub operator_schema: Option<String>,
    /// Whether an expression can name the operators that compare two values.
    pub comparable: bool,
    /// The functions below the operators, for a type whose operators are ambiguous.
    pub comparison_functions: Option<&'static ComparisonFunctions>,
    /// Whether the operators have one for `<>`, which PostGIS does not define.
    pub unequal: bool,
    /// Whether the operators for text ignore case.
    pub ignores_case: bool,
    /// Whether arithmetic aggregates apply.
    pub numeric: bool,
    /// How the least and greatest value are found; `None` if the type has neither.
    pub min_max: Option<MinMaxStrategy>,
    /// The PostGIS type that it is, if it is one.
    pub spatial: Option<Spatial>,
    /// The SQL name of the type that columns and operands are cast to before they are compared: the
    /// enum below a domain, because Postgres' operators for all enums do not apply to domains, or
    /// the type with whose operators values are compared. Both are no work, and an index on the
    /// column still serves.
    pub compared_as: Option<String>,
}

impl Scalar {
    /// Whether values are rows, of a composite type or of a domain over one.
    pub fn is_row(&self) -> bool {
        matches!(self.input, Input::Composite(_))
    }
}

/// Functions that compare two values, each with the symbol of its operator. They serve no index.
#[derive(Debug, PartialEq, Eq)]
pub struct ComparisonFunctions([(&'static str, &'static str); 5]);

impl ComparisonFunctions {
    /// The function of an operator: `pg_catalog.enum_gt` of `>`.
    pub fn find(&self, symbol: &str) -> Option<&'static str> {
        self.0
            .iter()
            .find(|(of, _)| *of == symbol)
            .map(|(_, function)| *function)
    }
}

const ENUM_FUNCTIONS: ComparisonFunctions = ComparisonFunctions([
    ("<", "pg_catalog.enum_lt"),
    ("<=", "pg_catalog.enum_le"),
    ("=", "pg_catalog.enum_eq"),
    (">=", "pg_catalog.enum_ge"),
    (">", "pg_catalog.enum_gt"),
]);

const RECORD_FUNCTIONS: ComparisonFunctions = ComparisonFunctions([
    ("<", "pg_catalog.record_lt"),
    ("<=", "pg_catalog.record_le"),
    ("=", "pg_catalog.record_eq"),
    (">=", "pg_catalog.record_ge"),
    (">", "pg_catalog.record_gt"),
]);

const RANGE_FUNCTIONS: ComparisonFunctions = ComparisonFunctions([
    ("<", "pg_catalog.range_lt"),
    ("<=", "pg_catalog.range_le"),
    ("=", "pg_catalog.range_eq"),
    (">=", "pg_catalog.range_ge"),
    (">", "pg_catalog.range_gt"),
]);

const MULTIRANGE_FUNCTIONS: ComparisonFunctions = ComparisonFunctions([
    ("<", "pg_catalog.multirange_lt"),
    ("<=", "pg_catalog.multirange_le"),
    ("=", "pg_catalog.multirange_eq"),
    (">=", "pg_catalog.multirange_ge"),
    (">", "pg_catalog.multirange_gt"),
]);

/// The operators that a type shares with many types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// Only `IS NULL`.
    Opaque,
    /// Equality and order.
    Ordered,
    /// Equality and order of whole arrays, which cannot be elements of a list.
    Array,
    /// Equality, order and patterns.
    Text,
}

/// The operators that are specific to a class of types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// No further operators.
    Plain,
    /// `jsonb`
    Jsonb,
    /// An array whose elements can be compared.
    Array,
    /// A range or a multirange.
    Range,
    /// `inet` or `cidr`
    Network,
    /// `tsvector`
    Document,
    /// `ltree`
    Ltree,
    /// `hstore`
    Hstore,
    /// A PostGIS type.
    Spatial(Spatial),
}

/// How the least and greatest value of a type are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MinMaxStrategy {
    /// By `min` and `max`.
    Native,
    /// By sorting: Postgres has an order for the type, but no aggregate.
    Sorted,
}

/// How values of a type are selected and encoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// The cast in the statement's select list.
    pub cast: Cast,
    /// The encoder of the bytes as JSON.
    pub encoder: Encoder,
}

/// The cast of a column whose binary format has no encoder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cast {
    /// No cast.
    None,
    /// `x::text`
    Text,
    /// `to_json(x)::text`
    Json,
    /// `to_json(x::text[])::text`, for arrays of a type that `to_json` would write in another form
    /// than [`Cast::Text`].
    TextList,
    /// As [`Cast::Json`], for an array or a composite type that has such values inside.
    Composed(Oid),
    /// `ST_AsGeoJSON(x, 15, 4)`, a PostGIS function.
    GeoJson,
    /// [`Cast::GeoJson`] of each element, as a list.
    GeoJsonList,
}

/// Which JSON values are accepted for a type, and how they are converted to Postgres' text form.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Input {
    /// Integers in a range.
    Integer {
        /// The least value.
        min: i64,
        /// The greatest value.
        max: i64,
        /// Whether strings of digits are accepted, too, for integers that JSON numbers cannot
        /// represent exactly.
        text: bool,
    },
    /// Floating point numbers.
    Float,
    /// Decimal numbers of any length.
    Numeric,
    /// True and false.
    Boolean,
    /// Text.
    Text,
    /// A UUID.
    Uuid,
    /// A date, or a date and time.
    Date,
    /// A time of day.
    Time,
    /// Any JSON.
    Json,
    /// One of these labels.
    Enum(Arc<[String]>),
    /// A list, or an array in Postgres' text form.
    Array(Box<Input>),
    /// An object with these attributes, or a row in Postgres' text form.
    Composite(Arc<[(String, Input)]>),
    /// An object of strings, or an hstore in text form.
    Hstore,
    /// A GeoJSON object. Without a `crs` it is in this reference system, or else in 4326.
    GeoJson {
        /// The reference system from the column's type modifier.
        srid: Option<i32>,
    },
    /// A raster in hexadecimal digits.
    Raster,
    /// An ltree path of labels, `a.b.c`. Postgres rejects others as a syntax error.
    Labels,
    /// Numbers in a list, or separated by blanks: `int2vector`, `oidvector`.
    Vector,
    /// As [`Input::Other`], for a type whose array elements are separated by this delimiter.
    Delimited(char),
    /// A query on label paths.
    Ltree(Ltree),
    /// Text or a number, which only Postgres validates, when it binds the parameter.
    Other,
    /// Any text, which only Postgres validates, or a value that this input accepts.
    Loose(Box<Input>),
    /// A value that this input accepts, of a limited length. It is around all others.
    Limited(Box<(Input, LengthLimits)>),
}

impl Input {
    /// The input for a column that was declared with this type modifier.
    pub(crate) fn for_column(self, modifier: Option<i32>) -> Input {
        match self {
            Input::GeoJson { .. } => Input::GeoJson {
                srid: modifier.and_then(crate::postgres::spatial::srid),
            },
            other => other,
        }
    }

    /// The input for values that are no longer than these limits.
    pub(crate) fn limited(self, limits: LengthLimits) -> Input {
        match self {
            input if limits.is_empty() => input,
            Input::Limited(limited) => {
                let (input, others) = *limited;
                Input::Limited(Box::new((input, limits.lesser(others))))
            }
            input => Input::Limited(Box::new((input, limits))),
        }
    }

    /// The input without limits on the length.
    pub(crate) fn unlimited(&self) -> &Input {
        match self {
            Input::Limited(limited) => &limited.0,
            input => input,
        }
    }
}

impl Scalar {
    /// Whether the type is Boolean.
    pub fn is_boolean(&self) -> bool {
        self.input == Input::Boolean
    }

    /// Whether casting a parameter to the type may raise an error while the statement runs, and so
    /// reveal something about rows. Built-in types are parsed when the parameter is bound; labels
    /// of enums are validated before. An array may be in Postgres' text form, which is not fully
    /// validated.
    pub fn raises(&self) -> bool {
        !self.builtin && !matches!(self.input, Input::Enum(_) | Input::Text)
    }

    /// The scalar of a type. A type that is not in the catalog becomes opaque text.
    pub fn from_oid(catalog: &Catalog, oid: Oid) -> Scalar {
        match (catalog.type_of(oid), catalog.base_type(oid)) {
            (Some(declared), Some(base)) => Scalar::new(catalog, declared, base),
            _ => Scalar::unknown(),
        }
    }

    /// A built-in type outside the catalog, of which only the SQL name is known.
    pub fn built_in(sql: &str) -> Scalar {
        Scalar {
            sql: sql.to_owned(),
            ..Scalar::unknown()
        }
    }

    fn unknown() -> Scalar {
        Scalar {
            name: "unknown".into(),
            sql: "text".into(),
            builtin: true,
            input: Input::Other,
            output: Output {
                cast: Cast::Json,
                encoder: Encoder::JsonText,
            },
            family: Family::Opaque,
            class: Class::Plain,
            schema: "pg_catalog".into(),
            element: None,
            over_domain: None,
            operator_schema: None,
            comparable: true,
            comparison_functions: None,
            unequal: true,
            ignores_case: false,
            numeric: false,
            min_max: None,
            spatial: None,
            compared_as: None,
        }
    }

    fn new(catalog: &Catalog, declared: &Type, base: &Type) -> Scalar {
        let is_enum_domain = declared.oid != base.oid && matches!(base.kind, TypeKind::Enum(_));
        let compared_as = match &base.comparison {
            _ if is_enum_domain => Some(sql_name(catalog, base)),
            ComparisonOperators::Qualified {
                passes_as: Some((schema, name)),
                ..
            } => Some(qualified(schema, name)),
            _ => None,
        };
        let extreme = extreme(catalog, base);
        Scalar {
            name: graphql_name(declared),
            sql: sql_name(catalog, base),
            builtin: is_builtin_throughout(catalog, base),
            input: input(catalog, base),
            output: declared_output(catalog, declared, base),
            family: family(catalog, base),
            class: class(catalog, base),
            schema: base.schema.clone(),
            element: element(base),
            over_domain: over_domain(catalog, base),
            operator_schema: operator_schema(base),
            comparable: !matches!(
                base.comparison,
                ComparisonOperators::Ambiguous | ComparisonOperators::None
            ),
            comparison_functions: comparison_functions(base),
            unequal: !matches!(
                base.comparison,
                ComparisonOperators::Qualified { unequal: false, .. }
            ) && Spatial::from_type(base).is_none(),
            ignores_case: !is_builtin(base) && compared_name(base).1 == "citext",
            numeric: is_numeric(base),
            min_max: if is_enum_domain {
                extreme.map(|_| MinMaxStrategy::Sorted)
            } else {
                extreme
            },
            spatial: Spatial::from_type(base),
            compared_as,
        }
    }

    /// The function that compares two values, if the operator with this symbol is ambiguous.
    pub fn comparison_function(&self, symbol: &str) -> Option<&'static str> {
        self.comparison_functions?.find(symbol)
    }

    /// The SQL name of the type that values pass as when they are compared or sorted, for a type
    /// without operators.
    pub fn passes_as(&self) -> Option<&str> {
        self.compared_as
            .as_deref()
            .filter(|compared_as| *compared_as != self.sql)
    }

    /// The input for a column of this type that was declared with this type modifier.
    pub fn column_input(&self, modifier: Option<i32>) -> Input {
        self.input.clone().for_column(modifier)
    }
}

fn is_builtin(base: &Type) -> bool {
    base.oid < FIRST_NORMAL_OID && base.schema == "pg_catalog"
}

fn is_builtin_throughout(catalog: &Catalog, base: &Type) -> bool {
    match base.kind {
        TypeKind::Array(element) => catalog.type_of(element).is_some_and(is_builtin),
        _ => is_builtin(base),
    }
}

/// Whether a type is the built-in `json` or `jsonb`.
pub fn is_json(base: &Type) -> bool {
    is_builtin(base) && matches!(base.name.as_str(), "json" | "jsonb")
}

/// The name of the GraphQL scalar: `Int` for `int4` and so on, as in Hasura; else the type's own
/// name, made valid in GraphQL.
pub fn graphql_name(declared: &Type) -> String {
    match (declared.schema.as_str(), declared.name.as_str()) {
        ("pg_catalog", "int4") => "Int".into(),
        ("pg_catalog", "int2") => "smallint".into(),
        ("pg_catalog", "int8") => "bigint".into(),
        ("pg_catalog", "bool") => "Boolean".into(),
        ("pg_catalog", "float4") => "Float".into(),
        ("pg_catalog", "text" | "varchar") => "String".into(),
        // A row type has the name of its table, which the GraphQL type of the table's rows uses.
        (_, name) if matches!(declared.kind, TypeKind::Composite(_)) => {
            format!("{}_scalar", to_graphql_name(name))
        }
        (_, name) => to_graphql_name(name),
    }
}

/// Replaces the characters of a name that GraphQL forbids.
fn to_graphql_name(name: &str) -> String {
    let valid = |(i, c): (usize, char)| {
        c == '_' || c.is_ascii_alphabetic() || (i > 0 && c.is_ascii_digit())
    };
    let name: String = name
        .chars()
        .enumerate()
        .map(|(i, c)| if valid((i, c)) { c } else { '_' })
        .collect();
    if name.starts_with("__") {
        format!("t{name}")
    } else {
        name
    }
}

fn sql_name(catalog: &Catalog, base: &Type) -> String {
    // An array of a domain is a different type than an array of the domain's base type.
    if let TypeKind::Array(element) = base.kind
        && let Some(element) = catalog.type_of(element)
    {
        return format!("{}[]", sql_name(catalog, element));
    }
    qualified(&base.schema, &base.name)
}

/// A type as SQL writes it, by its schema and name.
fn qualified(schema: &str, name: &str) -> String {
    // Without quotes these two mean `char(1)` and `bit(1)`.
    let plain = |name: &str| {
        !matches!(name, "char" | "bit")
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    };
    match (schema, name) {
        ("pg_catalog", name) if plain(name) => name.to_owned(),
        ("pg_catalog", name) => quoted(name),
        (schema, name) => format!("{}.{}", quoted(schema), quoted(name)),
    }
}

/// The schema that the operators of a type are qualified with.
fn operator_schema(base: &Type) -> Option<String> {
    match &base.comparison {
        // Of a built-in type that the type passes as.
        ComparisonOperators::Qualified {
            schema,
            passes_as: Some(_),
            ..
        } if schema == "pg_catalog" => None,
        ComparisonOperators::Qualified { schema, .. } => Some(schema.clone()),
        ComparisonOperators::Native
        | ComparisonOperators::Ambiguous
        | ComparisonOperators::None => {
            (!is_builtin(base) && base.kind == TypeKind::Base).then(|| base.schema.clone())
        }
    }
}

/// The functions that compare values of a type whose operators are ambiguous.
fn comparison_functions(base: &Type) -> Option<&'static ComparisonFunctions> {
    match base.kind {
        _ if base.comparison != ComparisonOperators::Ambiguous => None,
        TypeKind::Enum(_) => Some(&ENUM_FUNCTIONS),
        TypeKind::Composite(_) => Some(&RECORD_FUNCTIONS),
        TypeKind::Range(_) => Some(&RANGE_FUNCTIONS),
        TypeKind::Multirange(_) => Some(&MULTIRANGE_FUNCTIONS),
        TypeKind::Base | TypeKind::Domain(_) | TypeKind::Array(_) | TypeKind::Pseudo => None,
    }
}

/// The schema and name of the type whose operators compare values of a type.
fn compared_name(base: &Type) -> (&str, &str) {
    match &base.comparison {
        ComparisonOperators::Qualified {
            passes_as: Some((schema, name)),
            ..
        } => (schema, name),
        _ => (&base.schema, &base.name),
    }
}

/// The SQL name of a type, if it is a domain.
pub fn domain_name(catalog: &Catalog, oid: Oid) -> Option<String> {
    let declared = catalog
        .type_of(oid)
        .filter(|declared| matches!(declared.kind, TypeKind::Domain(_)))?;
    Some(sql_name(catalog, declared))
}

/// Quotes an identifier, doubling the quotes in it.
pub fn quoted(identifier: &str) -> String {
    let mut text = String::with_capacity(identifier.len() + 2);
    push_quoted(identifier, &mut text);
    text
}

/// Writes an identifier as [`quoted`] returns it.
pub(crate) fn push_quoted(identifier: &str, text: &mut String) {
    text.push('"');
    for (i, part) in identifier.split('"').enumerate() {
        text.push_str(if i > 0 { "\"\"" } else { "" });
        text.push_str(part);
    }
    text.push('"');
}

fn input(catalog: &Catalog, base: &Type) -> Input {
    match &base.kind {
        TypeKind::Enum(labels) => return Input::Enum(labels.as_slice().into()),
        TypeKind::Array(element) => {
            let element = catalog.base_type(*element);
            return Input::Array(Box::new(
                element.map_or(Input::Other, |element| input(catalog, element)),
            ));
        }
        TypeKind::Composite(fields) => {
            let of = |oid| {
                catalog
                    .base_type(oid)
                    .map_or(Input::Other, |base| input(catalog, base))
            };
            return Input::Composite(
                fields
                    .iter()
                    .map(|field| (field.name.clone(), of(field.r#type)))
                    .collect(),
            );
        }
        _ => {}
    }
    let integer = |min, max, text| Input::Integer { min, max, text };
    let other = || base.delimiter.map_or(Input::Other, Input::Delimited);
    if !is_builtin(base) {
        return match (Spatial::from_type(base), base.name.as_str()) {
            (Some(Spatial::Raster), _) => Input::Raster,
            (Some(_), _) => Input::GeoJson { srid: None },
            (None, "citext") => Input::Text,
            (None, "hstore") => Input::Hstore,
            (None, "ltree") => Input::Labels,
            (None, "lquery") => Input::Ltree(Ltree::Query),
            (None, "ltxtquery") => Input::Ltree(Ltree::Search),
            (None, _) => other(),
        };
    }
    match base.name.as_str() {
        "int2" => integer(i16::MIN.into(), i16::MAX.into(), true),
        "int4" => integer(i32::MIN.into(), i32::MAX.into(), false),
        "int8" => integer(i64::MIN, i64::MAX, true),
        "oid" => integer(0, u32::MAX.into(), true),
        "float4" | "float8" => Input::Float,
        "numeric" => Input::Numeric,
        "bool" => Input::Boolean,
        "text" | "varchar" | "bpchar" | "name" | "char" => Input::Text,
        "uuid" => Input::Uuid,
        "date" | "timestamp" | "timestamptz" => Input::Date,
        "time" | "timetz" => Input::Time,
        "json" | "jsonb" => Input::Json,
        "int2vector" | "oidvector" => Input::Vector,
        _ => other(),
    }
}

/// The output of the domain's base type. Binary records contain the OID of the domain, so the
/// encoder needs it.
fn declared_output(catalog: &Catalog, declared: &Type, base: &Type) -> Output {
    match output(catalog, base) {
        Output {
            cast: Cast::None,
            encoder,
        } if declared.oid != base.oid => Output {
            cast: Cast::None,
            encoder: Encoder::Domain(declared.oid, Box::new(encoder)),
        },
        output => output,
    }
}

fn output(catalog: &Catalog, base: &Type) -> Output {
    let plain = |encoder| Output {
        cast: Cast::None,
        encoder,
    };
    let cast = |cast, encoder| Output { cast, encoder };
    match &base.kind {
        TypeKind::Enum(_) => return cast(Cast::Text, Encoder::Text),
        TypeKind::Array(element) => {
            // The driver would query the database for the type of an array that is not built in.
            let builtin = is_builtin_throughout(catalog, base);
            let element = catalog
                .base_type(*element)
                .map(|element| output(catalog, element));
            return match element {
                _ if has_own_json(catalog, base) && !is_composite_inside(catalog, base) => {
                    cast(Cast::TextList, Encoder::JsonText)
                }
                _ if has_own_json(catalog, base) => {
                    cast(Cast::Composed(base.oid), Encoder::JsonText)
                }
                Some(Output {
                    cast: Cast::None,
                    encoder,
                }) if builtin => plain(Encoder::Array(Box::new(encoder))),
                Some(Output {
                    cast: Cast::GeoJson,
                    ..
                }) => cast(Cast::GeoJsonList, Encoder::JsonText),
                _ => cast(Cast::Json, Encoder::JsonText),
            };
        }
        TypeKind::Composite(_) if has_own_json(catalog, base) => {
            return cast(Cast::Composed(base.oid), Encoder::JsonText);
        }
        TypeKind::Composite(_) => return cast(Cast::Json, Encoder::JsonText),
        _ => {}
    }
    if !is_builtin(base) {
        return match (Spatial::from_type(base), base.name.as_str()) {
            (Some(Spatial::Geometry | Spatial::Geography), _) => {
                cast(Cast::GeoJson, Encoder::JsonText)
            }
            (None, "hstore") => cast(Cast::Json, Encoder::JsonText),
            _ => cast(Cast::Text, Encoder::Text),
        };
    }
    if let Some(encoder) = Encoder::of_built_in(&base.name) {
        return plain(encoder);
    }
    match base.name.as_str() {
        // `to_json` writes a type without a rule of its own in its text form, as needed here. For
        // `inet` a cast to text differs from the text form: it adds the length of the mask.
        "oid" | "inet" | "int2vector" | "oidvector" => cast(Cast::Json, Encoder::JsonText),
        _ => cast(Cast::Text, Encoder::Text),
    }
}

/// Whether a type is, or contains, one that a cast of its own makes JSON, while Postern writes it
/// as text.
pub(crate) fn has_own_json(catalog: &Catalog, base: &Type) -> bool {
    let inside = |oid| {
        catalog
            .base_type(oid)
            .is_some_and(|base| has_own_json(catalog, base))
    };
    match &base.kind {
        TypeKind::Array(element) => inside(*element),
        TypeKind::Composite(fields) => fields.iter().any(|field| inside(field.r#type)),
        _ => base.json_cast && Spatial::from_type(base).is_none() && base.name != "hstore",
    }
}

/// Whether an array is one of composite values.
pub(crate) fn is_composite_inside(catalog: &Catalog, array: &Type) -> bool {
    let TypeKind::Array(element) = array.kind else {
        return false;
    };
    catalog
        .base_type(element)
        .is_some_and(|base| match base.kind {
            TypeKind::Array(_) => is_composite_inside(catalog, base),
            _ => matches!(base.kind, TypeKind::Composite(_)),
        })
}

fn family(catalog: &Catalog, base: &Type) -> Family {
    match &base.kind {
        TypeKind::Enum(_) | TypeKind::Range(_) | TypeKind::Multirange(_) => Family::Ordered,
        TypeKind::Array(element) => match catalog
            .base_type(*element)
            .map(|element| family(catalog, element))
        {
            Some(Family::Opaque) | None => Family::Opaque,
            Some(_) => Family::Array,
        },
        TypeKind::Composite(fields) if base.ordered && !fields.is_empty() => {
            let opaque = |oid| {
                catalog
                    .base_type(oid)
                    .is_none_or(|base| family(catalog, base) == Family::Opaque)
            };
            if fields.iter().any(|field| opaque(field.r#type)) {
                Family::Opaque
            } else {
                Family::Ordered
            }
        }
        TypeKind::Base if is_text(base) => Family::Text,
        TypeKind::Base if base.ordered && comparable_without_error(base) => Family::Ordered,
        _ => Family::Opaque,
    }
}

fn class(catalog: &Catalog, base: &Type) -> Class {
    match (&base.kind, base.name.as_str()) {
        (TypeKind::Array(_), _) if family(catalog, base) == Family::Array => Class::Array,
        (TypeKind::Range(_) | TypeKind::Multirange(_), _) => Class::Range,
        (TypeKind::Base, name) if is_builtin(base) => match name {
            "jsonb" => Class::Jsonb,
            "inet" | "cidr" => Class::Network,
            "tsvector" => Class::Document,
            _ => Class::Plain,
        },
        (TypeKind::Base, "ltree") => Class::Ltree,
        (TypeKind::Base, "hstore") => Class::Hstore,
        _ => Spatial::from_type(base).map_or(Class::Plain, Class::Spatial),
    }
}

fn element(base: &Type) -> Option<Oid> {
    match base.kind {
        TypeKind::Array(element) | TypeKind::Range(element) => Some(element),
        _ => None,
    }
}

fn over_domain(catalog: &Catalog, base: &Type) -> Option<String> {
    let TypeKind::Array(element) = base.kind else {
        return None;
    };
    let declared = catalog.type_of(element)?;
    let below = catalog.base_type(element)?;
    // Arrays of arrays do not exist in Postgres, so such an array has no type to be compared as.
    let plain =
        matches!(declared.kind, TypeKind::Domain(_)) && !matches!(below.kind, TypeKind::Array(_));
    plain.then(|| format!("{}[]", sql_name(catalog, below)))
}

fn is_text(base: &Type) -> bool {
    match compared_name(base) {
        ("pg_catalog", name) => matches!(name, "text" | "varchar" | "bpchar"),
        (_, name) => name == "citext",
    }
}

/// Comparing two values of one of these types may raise an error, which would reveal hidden rows
/// (docs/decisions/0014). The order of hstore has operators of other names.
fn comparable_without_error(base: &Type) -> bool {
    !matches!(base.name.as_str(), "record" | "circle" | "box" | "hstore")
}

fn is_numeric(base: &Type) -> bool {
    is_builtin(base)
        && matches!(
            base.name.as_str(),
            "int2" | "int4" | "int8" | "float4" | "float8" | "numeric"
        )
}

fn extreme(catalog: &Catalog, base: &Type) -> Option<MinMaxStrategy> {
    if family(catalog, base) == Family::Opaque
        || matches!(base.name.as_str(), "bool" | "jsonb" | "oidvector")
        || Spatial::from_type(base).is_some()
    {
        return None;
    }
    let native = match &base.kind {
        // A cast makes `min(x)` ambiguous as well as `=`.
        TypeKind::Enum(_) => base.comparison == ComparisonOperators::Native,
        TypeKind::Array(_) => true,
        TypeKind::Base if is_builtin(base) => NATIVE_EXTREMES.contains(&base.name.as_str()),
        _ => false,
    };
    Some(if native {
        MinMaxStrategy::Native
    } else {
        MinMaxStrategy::Sorted
    })
}

/// The built-in types for which Postgres 13 to 17 have `min` and `max`.
/// <https://www.postgresql.org/docs/current/functions-aggregate.html>
const NATIVE_EXTREMES: [&str; 18] = [
    "int2",
    "int4",
    "int8",
    "float4",
    "float8",
    "numeric",
    "text",
    "varchar",
    "bpchar",
    "date",
    "time",
    "timetz",
    "timestamp",
    "timestamptz",
    "interval",
    "money",
    "inet",
    "oid",
];

impl Output {
    /// The output with strings for numbers that lose digits in JavaScript.
    pub fn stringified(self) -> Output {
        Output {
            cast: self.cast,
            encoder: self.encoder.stringified(),
        }
    }
}
