//! Postgres types as GraphQL scalars: their names, how values come in, and how they go out.

use std::sync::Arc;

use super::encoder::Encoder;
use crate::postgres::catalog::{Catalog, Oid, Type, TypeKind};
use crate::postgres::ltree::Ltree;
use crate::postgres::spatial::Spatial;

/// The first OID that is not built in: `FirstNormalObjectId` in Postgres' `transam.h`.
const FIRST_NORMAL_OID: Oid = 16384;

/// Everything translation wants to know of a type.
#[derive(Clone, Debug)]
pub struct Scalar {
    /// The GraphQL scalar's name: `Int`, `uuid`.
    pub name: String,
    /// The type below all domains, as SQL writes it: `int4`, `"public"."mood"`.
    pub sql: String,
    /// Whether it is built in, so that a parameter may be declared with it.
    pub builtin: bool,
    /// How values come in.
    pub input: Input,
    /// How values go out.
    pub output: Output,
    /// Which operators it has.
    pub family: Family,
    /// Which further operators it has, that not every type has.
    pub class: Class,
    /// The schema of the type below all domains.
    pub schema: String,
    /// The type of the elements of an array, or of the values that a range is over.
    pub element: Option<Oid>,
    /// For an array over a domain, how one over the domain's base type is written: what it is compared as, so that values
    /// which break the domain are only found nowhere.
    pub over_domain: Option<String>,
    /// The schema of its operators, where that is not `pg_catalog`.
    pub operator_schema: Option<String>,
    /// Whether arithmetic aggregates apply.
    pub numeric: bool,
    /// How its least and greatest value are found, if it has any.
    pub extreme: Option<MinMaxStrategy>,
    /// Which of PostGIS' types it is, if it is one.
    pub spatial: Option<Spatial>,
    /// Whether a column has to be cast to the type below its domain before it is compared: what Postgres has for all
    /// enums it does not have for domains over them.
    pub bared: bool,
}

/// Which operators a type has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// None but `IS NULL`.
    Opaque,
    /// Equality and order.
    Ordered,
    /// Equality and order of whole arrays, which no list can hold.
    Array,
    /// Equality, order and patterns.
    Text,
}

/// Which further operators a type has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// None.
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
    /// A type of PostGIS.
    Spatial(Spatial),
}

/// How the least and greatest value of a type are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MinMaxStrategy {
    /// By `min` and `max`.
    Native,
    /// By sorting; Postgres has an order for the type and no aggregate.
    Sorted,
}

/// How a value of a type goes out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// What is put around the column in the statement.
    pub cast: Cast,
    /// What makes JSON of the bytes.
    pub encoder: Encoder,
}

/// What is put around a column whose binary form has no encoder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cast {
    /// Nothing.
    None,
    /// `x::text`
    Text,
    /// `to_json(x)::text`
    Json,
    /// `ST_AsGeoJSON(x, 15, 4)`, a function of PostGIS.
    GeoJson,
    /// The same of each element, as a list.
    GeoJsonList,
}

/// Which JSON values make a value of a type, and which text they become.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Input {
    /// Whole numbers of so many bits.
    Integer {
        /// The least value.
        min: i64,
        /// The greatest value.
        max: i64,
        /// Whether digits in a string pass too, as they have to where JSON numbers lose digits.
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
    /// A list, or Postgres' text form of one.
    Array(Box<Input>),
    /// An object of these attributes, or Postgres' text form of a row.
    Composite(Arc<[(String, Input)]>),
    /// An object of texts, or the text form of an hstore.
    Hstore,
    /// A GeoJSON object; without a `crs` it is of this reference system, if not of 4326.
    GeoJson {
        /// What the column's declaration says.
        srid: Option<i32>,
    },
    /// A raster as hexadecimal digits.
    Raster,
    /// A path of labels, `a.b.c`, as ltree has them. Postgres calls others an error of syntax.
    Labels,
    /// Numbers in a list, or between blanks: `int2vector`, `oidvector`.
    Vector,
    /// As other types are, where this stands between the elements of an array.
    Delimited(char),
    /// A query about paths of labels.
    Ltree(Ltree),
    /// Text or a number, which Postgres judges when it binds the parameter.
    Other,
    /// Any text, which Postgres judges, and what else fits this.
    Loose(Box<Input>),
}

impl Input {
    /// The same for a column that was declared with this modifier.
    pub(crate) fn of_column(self, modifier: Option<i32>) -> Input {
        match self {
            Input::GeoJson { .. } => Input::GeoJson { srid: modifier.and_then(crate::postgres::spatial::srid) },
            other => other,
        }
    }
}

impl Scalar {
    /// Whether its values are true and false.
    pub fn is_boolean(&self) -> bool {
        self.input == Input::Boolean
    }

    /// Whether turning a parameter into the type may fail when the statement runs, and so tell of rows.
    /// Built-in types are read when the parameter is bound; labels of enums are checked before. An array may be given
    /// as Postgres' own text, which nobody has checked.
    pub fn raises(&self) -> bool {
        !self.builtin && !matches!(self.input, Input::Enum(_) | Input::Text)
    }

    /// The scalar of a type. A type that the catalog does not hold is opaque text.
    pub fn of(catalog: &Catalog, oid: Oid) -> Scalar {
        match (catalog.type_of(oid), catalog.base_type(oid)) {
            (Some(declared), Some(base)) => Scalar::new(catalog, declared, base),
            _ => Scalar::unknown(),
        }
    }

    /// A type of Postgres' own that nobody looked up: its name in SQL is all that is known of it.
    pub fn built_in(sql: &str) -> Scalar {
        Scalar { sql: sql.to_owned(), ..Scalar::unknown() }
    }

    fn unknown() -> Scalar {
        Scalar {
            name: "unknown".into(),
            sql: "text".into(),
            builtin: true,
            input: Input::Other,
            output: Output { cast: Cast::Json, encoder: Encoder::JsonText },
            family: Family::Opaque,
            class: Class::Plain,
            schema: "pg_catalog".into(),
            element: None,
            over_domain: None,
            operator_schema: None,
            numeric: false,
            extreme: None,
            spatial: None,
            bared: false,
        }
    }

    fn new(catalog: &Catalog, declared: &Type, base: &Type) -> Scalar {
        let builtin = is_builtin(base);
        let own_operators = !builtin && base.kind == TypeKind::Base;
        let bared = declared.oid != base.oid && matches!(base.kind, TypeKind::Enum(_));
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
            operator_schema: own_operators.then(|| base.schema.clone()),
            numeric: is_numeric(base),
            extreme: if bared { extreme.map(|_| MinMaxStrategy::Sorted) } else { extreme },
            spatial: Spatial::of(base),
            bared,
        }
    }

    /// How values for a column of this type come in, given the modifier that the column was declared with.
    pub fn column_input(&self, modifier: Option<i32>) -> Input {
        self.input.clone().of_column(modifier)
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

/// Whether a type is Postgres' own `json` or `jsonb`.
pub fn is_json(base: &Type) -> bool {
    is_builtin(base) && matches!(base.name.as_str(), "json" | "jsonb")
}

/// `Int` for `int4` and so on, as Hasura calls them; else the type's own name, made a GraphQL name.
pub fn graphql_name(declared: &Type) -> String {
    match (declared.schema.as_str(), declared.name.as_str()) {
        ("pg_catalog", "int4") => "Int".into(),
        ("pg_catalog", "int2") => "smallint".into(),
        ("pg_catalog", "int8") => "bigint".into(),
        ("pg_catalog", "bool") => "Boolean".into(),
        ("pg_catalog", "float4") => "Float".into(),
        ("pg_catalog", "text" | "varchar") => "String".into(),
        // A row type is called like its table, whose name stands for the type of its rows.
        (_, name) if matches!(declared.kind, TypeKind::Composite(_)) => format!("{}_scalar", to_graphql_name(name)),
        (_, name) => to_graphql_name(name),
    }
}

/// The name with what GraphQL forbids in it replaced.
fn to_graphql_name(name: &str) -> String {
    let valid = |(i, c): (usize, char)| c == '_' || c.is_ascii_alphabetic() || (i > 0 && c.is_ascii_digit());
    let name: String = name.chars().enumerate().map(|(i, c)| if valid((i, c)) { c } else { '_' }).collect();
    if name.starts_with("__") { format!("t{name}") } else { name }
}

fn sql_name(catalog: &Catalog, base: &Type) -> String {
    // An array of a domain is another type than one of what lies below the domain.
    if let TypeKind::Array(element) = base.kind
        && let Some(element) = catalog.type_of(element)
    {
        return format!("{}[]", sql_name(catalog, element));
    }
    // Without quotes these two mean `char(1)` and `bit(1)`.
    let plain =
        |name: &str| !matches!(name, "char" | "bit") && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    match (base.schema.as_str(), base.name.as_str()) {
        ("pg_catalog", name) if plain(name) => name.to_owned(),
        ("pg_catalog", name) => quoted(name),
        (schema, name) => format!("{}.{}", quoted(schema), quoted(name)),
    }
}

/// The name of a type that is a domain, as SQL writes it.
pub fn domain_name(catalog: &Catalog, oid: Oid) -> Option<String> {
    let declared = catalog.type_of(oid).filter(|declared| matches!(declared.kind, TypeKind::Domain(_)))?;
    Some(sql_name(catalog, declared))
}

/// An identifier in quotes, its own quotes doubled.
pub fn quoted(identifier: &str) -> String {
    format!("\"{}\"", identifier.replace('"', "\"\""))
}

fn input(catalog: &Catalog, base: &Type) -> Input {
    match &base.kind {
        TypeKind::Enum(labels) => return Input::Enum(labels.as_slice().into()),
        TypeKind::Array(element) => {
            let element = catalog.base_type(*element);
            return Input::Array(Box::new(element.map_or(Input::Other, |element| input(catalog, element))));
        }
        TypeKind::Composite(fields) => {
            let of = |oid| catalog.base_type(oid).map_or(Input::Other, |base| input(catalog, base));
            return Input::Composite(fields.iter().map(|field| (field.name.clone(), of(field.r#type))).collect());
        }
        _ => {}
    }
    let integer = |min, max, text| Input::Integer { min, max, text };
    let other = || base.delimiter.map_or(Input::Other, Input::Delimited);
    if !is_builtin(base) {
        return match (Spatial::of(base), base.name.as_str()) {
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

/// The output of the type below a domain, whose OID stands in records.
fn declared_output(catalog: &Catalog, declared: &Type, base: &Type) -> Output {
    match output(catalog, base) {
        Output { cast: Cast::None, encoder } if declared.oid != base.oid => {
            Output { cast: Cast::None, encoder: Encoder::Domain(declared.oid, Box::new(encoder)) }
        }
        output => output,
    }
}

fn output(catalog: &Catalog, base: &Type) -> Output {
    let plain = |encoder| Output { cast: Cast::None, encoder };
    let cast = |cast, encoder| Output { cast, encoder };
    match &base.kind {
        TypeKind::Enum(_) => return cast(Cast::Text, Encoder::Text),
        TypeKind::Array(element) => {
            // The driver would look up the type of an array that is not built in.
            let builtin = is_builtin_throughout(catalog, base);
            let element = catalog.base_type(*element).map(|element| output(catalog, element));
            return match element {
                Some(Output { cast: Cast::None, encoder }) if builtin => plain(Encoder::Array(Box::new(encoder))),
                Some(Output { cast: Cast::GeoJson, .. }) => cast(Cast::GeoJsonList, Encoder::JsonText),
                _ => cast(Cast::Json, Encoder::JsonText),
            };
        }
        TypeKind::Composite(_) => return cast(Cast::Json, Encoder::JsonText),
        _ => {}
    }
    if !is_builtin(base) {
        return match (Spatial::of(base), base.name.as_str()) {
            (Some(Spatial::Geometry | Spatial::Geography), _) => cast(Cast::GeoJson, Encoder::JsonText),
            (None, "hstore") => cast(Cast::Json, Encoder::JsonText),
            _ => cast(Cast::Text, Encoder::Text),
        };
    }
    match base.name.as_str() {
        "bool" => plain(Encoder::Bool),
        "int2" => plain(Encoder::Int2),
        "int4" => plain(Encoder::Int4),
        "int8" => plain(Encoder::Int8),
        "float4" => plain(Encoder::Float4),
        "float8" => plain(Encoder::Float8),
        "numeric" => plain(Encoder::Numeric),
        "text" | "varchar" | "bpchar" | "name" => plain(Encoder::Text),
        "uuid" => plain(Encoder::Uuid),
        "date" => plain(Encoder::Date),
        "time" => plain(Encoder::Time),
        "timestamp" => plain(Encoder::Timestamp),
        "timestamptz" => plain(Encoder::TimestampTz),
        "json" => plain(Encoder::Json),
        "jsonb" => plain(Encoder::Jsonb),
        "bytea" => plain(Encoder::Bytea),
        // What `to_json` does with any type without a rule of its own, and all of these have a text form.
        // For `inet` a cast to text is something else than its text form: it adds the length of the mask.
        "oid" | "inet" | "int2vector" | "oidvector" => cast(Cast::Json, Encoder::JsonText),
        _ => cast(Cast::Text, Encoder::Text),
    }
}

fn family(catalog: &Catalog, base: &Type) -> Family {
    match &base.kind {
        TypeKind::Enum(_) | TypeKind::Range(_) | TypeKind::Multirange(_) => Family::Ordered,
        TypeKind::Array(element) => match catalog.base_type(*element).map(|element| family(catalog, element)) {
            Some(Family::Opaque) | None => Family::Opaque,
            Some(_) => Family::Array,
        },
        TypeKind::Composite(fields) if base.ordered && !fields.is_empty() => {
            let opaque = |oid| catalog.base_type(oid).is_none_or(|base| family(catalog, base) == Family::Opaque);
            if fields.iter().any(|field| opaque(field.r#type)) { Family::Opaque } else { Family::Ordered }
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
        _ => Spatial::of(base).map_or(Class::Plain, Class::Spatial),
    }
}

fn element(base: &Type) -> Option<Oid> {
    match base.kind {
        TypeKind::Array(element) | TypeKind::Range(element) => Some(element),
        _ => None,
    }
}

fn over_domain(catalog: &Catalog, base: &Type) -> Option<String> {
    let TypeKind::Array(element) = base.kind else { return None };
    let (declared, below) = (catalog.type_of(element)?, catalog.base_type(element)?);
    // There are no arrays of arrays that such an array could be compared as.
    let plain = matches!(declared.kind, TypeKind::Domain(_)) && !matches!(below.kind, TypeKind::Array(_));
    plain.then(|| format!("{}[]", sql_name(catalog, below)))
}

fn is_text(base: &Type) -> bool {
    match is_builtin(base) {
        true => matches!(base.name.as_str(), "text" | "varchar" | "bpchar"),
        false => base.name == "citext",
    }
}

/// Comparing two values of these may raise, which would tell of hidden rows (docs/decisions/0014). The order of
/// hstores has operators of other names.
fn comparable_without_error(base: &Type) -> bool {
    !matches!(base.name.as_str(), "record" | "circle" | "box" | "hstore")
}

fn is_numeric(base: &Type) -> bool {
    is_builtin(base) && matches!(base.name.as_str(), "int2" | "int4" | "int8" | "float4" | "float8" | "numeric")
}

fn extreme(catalog: &Catalog, base: &Type) -> Option<MinMaxStrategy> {
    if family(catalog, base) == Family::Opaque
        || matches!(base.name.as_str(), "bool" | "jsonb" | "oidvector")
        || Spatial::of(base).is_some()
    {
        return None;
    }
    let native = match &base.kind {
        TypeKind::Enum(_) | TypeKind::Array(_) => true,
        TypeKind::Base if is_builtin(base) => NATIVE_EXTREMES.contains(&base.name.as_str()),
        _ => false,
    };
    Some(if native { MinMaxStrategy::Native } else { MinMaxStrategy::Sorted })
}

/// The built-in types that `min` and `max` exist for in Postgres 13 to 17.
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
    /// The same, with numbers that lose digits in JavaScript as strings.
    pub fn stringified(self) -> Output {
        Output { cast: self.cast, encoder: stringified(self.encoder) }
    }
}

fn stringified(encoder: Encoder) -> Encoder {
    match encoder {
        Encoder::Int8 | Encoder::Numeric | Encoder::Float8 => Encoder::Quoted(Box::new(encoder)),
        Encoder::Array(element) => Encoder::Array(Box::new(stringified(*element))),
        Encoder::Domain(oid, inner) => Encoder::Domain(oid, Box::new(stringified(*inner))),
        other => other,
    }
}
