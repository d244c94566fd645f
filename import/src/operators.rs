//! Translates the comparison operators of conditions to SQL.

use serde_json::{Map, Value};
use sql::postgres::catalog::{Catalog, Oid, TypeKind};

use crate::expression::{Condition, Expression};
use crate::session::SessionType;
use crate::value::{self, Kind, prefix, session_name};

/// The left side of a comparison: a column, or a computed field.
#[derive(Clone, Debug)]
pub(crate) struct Operand {
    pub(crate) sql: Expression,
    pub(crate) r#type: Oid,
}

/// Operators with a value of the operand's type on the right.
const PLAIN: [(&str, &str); 7] = [
    ("_eq", "="),
    ("_neq", "<>"),
    ("_ne", "<>"),
    ("_gt", ">"),
    ("_lt", "<"),
    ("_gte", ">="),
    ("_lte", "<="),
];

/// Operators with a column on the right.
pub(crate) const COLUMNS: [(&str, &str); 7] = [
    ("_ceq", "="),
    ("_cneq", "<>"),
    ("_cne", "<>"),
    ("_cgt", ">"),
    ("_clt", "<"),
    ("_cgte", ">="),
    ("_clte", "<="),
];

/// Operators with a text on the right.
const TEXT: [(&str, &str); 11] = [
    ("_like", "LIKE"),
    ("_nlike", "NOT LIKE"),
    ("_ilike", "ILIKE"),
    ("_nilike", "NOT ILIKE"),
    ("_similar", "SIMILAR TO"),
    ("_nsimilar", "NOT SIMILAR TO"),
    ("_regex", "~"),
    ("_iregex", "~*"),
    ("_nregex", "!~"),
    ("_niregex", "!~*"),
    ("_has_key", "?"),
];

/// Operators with a list of texts on the right.
const KEYS: [(&str, &str); 2] = [("_has_keys_any", "?|"), ("_has_keys_all", "?&")];

/// Operators of `ltree`: the word, the SQL operator, the type on the right, and whether the right
/// side is a list of it.
const LTREE: [(&str, &str, &str, bool); 7] = [
    ("_ancestor", "@>", "ltree", false),
    ("_ancestor_any", "@>", "ltree", true),
    ("_descendant", "<@", "ltree", false),
    ("_descendant_any", "<@", "ltree", true),
    ("_matches", "~", "lquery", false),
    ("_matches_any", "?", "lquery", true),
    ("_matches_fulltext", "@", "ltxtquery", false),
];

/// Functions of PostGIS with the column and one geometry as arguments.
const SPATIAL: [(&str, &str); 8] = [
    ("_st_contains", "st_contains"),
    ("_st_crosses", "st_crosses"),
    ("_st_equals", "st_equals"),
    ("_st_intersects", "st_intersects"),
    ("_st_overlaps", "st_overlaps"),
    ("_st_touches", "st_touches"),
    ("_st_within", "st_within"),
    ("_st_3d_intersects", "st_3dintersects"),
];

const FLOAT8: Oid = 701;
const INT4: Oid = 23;

/// Normalizes an operator's word: the old spelling begins with `$`.
pub(crate) fn word(key: &str) -> String {
    key.strip_prefix('$')
        .map_or_else(|| key.to_owned(), |rest| format!("_{rest}"))
}

fn found<'w>(words: &[(&str, &'w str)], word: &str) -> Option<&'w str> {
    words
        .iter()
        .find(|(known, _)| *known == word)
        .map(|(_, sql)| *sql)
}

/// Translates `operand operator value`. Operators with a column on the right are left to the
/// caller.
pub(crate) fn test(
    catalog: &Catalog,
    operand: &Operand,
    word: &str,
    value: &Value,
) -> Result<Condition, String> {
    let Operand { sql, r#type } = operand.clone();
    let kind = Kind::from_oid(catalog, r#type);
    let binary = |operator: &str, right: Expression| {
        Condition::Test(sql.clone().then(&format!(" {operator} ")).and(right))
    };
    if let Some(operator) = found(&PLAIN, word) {
        return match (operator, value) {
            ("=", Value::Null) => Ok(Condition::Test(sql.then(null_test(catalog, r#type, true)))),
            ("<>", Value::Null) => Ok(Condition::Test(sql.then(null_test(catalog, r#type, false)))),
            _ => Ok(binary(operator, value::value(catalog, r#type, value)?)),
        };
    }
    if let Some(operator) = found(&TEXT, word) {
        return Ok(binary(operator, text(value)?));
    }
    if let Some(operator) = found(&KEYS, word) {
        return Ok(binary(operator, texts(value)?));
    }
    match (word, kind, value) {
        ("_is_null", _, Value::Bool(wanted)) => Ok(Condition::Test(
            sql.then(null_test(catalog, r#type, *wanted)),
        )),
        ("_is_null", ..) => Err("`_is_null` takes true or false".to_owned()),
        ("_in", ..) => one_of(catalog, &sql, r#type, value, false),
        ("_nin", ..) => one_of(catalog, &sql, r#type, value, true),
        ("_contains", ..) => Ok(binary("@>", value::value(catalog, r#type, value)?)),
        ("_contained_in", ..) => Ok(binary("<@", value::value(catalog, r#type, value)?)),
        (_, Kind::Ltree, _) => ltree(catalog, operand, word, value),
        (_, Kind::Geometry | Kind::Geography, _) => spatial(catalog, operand, word, value),
        (_, Kind::Raster, _) => raster(catalog, operand, word, value),
        _ => Err(format!("the operator `{word}` is not known")),
    }
}

/// Writes ` IS NULL` or ` IS NOT NULL`. Of a row, these would ask for its fields.
fn null_test(catalog: &Catalog, oid: Oid, is_null: bool) -> &'static str {
    let is_row = catalog
        .base_type(oid)
        .is_some_and(|found| matches!(found.kind, TypeKind::Composite(_)));
    match (is_row, is_null) {
        (false, true) => " IS NULL",
        (false, false) => " IS NOT NULL",
        (true, true) => " IS NOT DISTINCT FROM NULL",
        (true, false) => " IS DISTINCT FROM NULL",
    }
}

/// Writes a text on the right: a session value or a literal.
fn text(value: &Value) -> Result<Expression, String> {
    match (session_name(value), value) {
        (Some(name), _) => Ok(Expression::session(name, SessionType::TEXT)),
        (None, Value::String(text)) => Ok(Expression::sql(crate::names::literal(text))),
        _ => Err("the operator takes a text".to_owned()),
    }
}

/// Writes a list of texts: `session.keys`, or `ARRAY['a', session.b]`.
fn texts(value: &Value) -> Result<Expression, String> {
    match (session_name(value), value) {
        (Some(name), _) => Ok(Expression::session(name, SessionType::TEXTS)),
        (None, Value::Array(items)) if items.is_empty() => Ok(Expression::sql("ARRAY[]::text[]")),
        (None, Value::Array(items)) => {
            let items: Vec<Expression> = items.iter().map(text).collect::<Result<_, _>>()?;
            Ok(Expression::sql("ARRAY[")
                .and(Expression::listed(items))
                .then("]"))
        }
        _ => Err("the operator takes a list of texts".to_owned()),
    }
}

/// Writes `a IN (1, 2)`, or `a = ANY (session.ids)` for a session value.
fn one_of(
    catalog: &Catalog,
    sql: &Expression,
    oid: Oid,
    value: &Value,
    negated: bool,
) -> Result<Condition, String> {
    let word = |plain: &'static str, not: &'static str| if negated { not } else { plain };
    if let Some(name) = session_name(value) {
        let wanted = SessionType {
            array: true,
            ..SessionType::beside(catalog, oid)
        };
        let list = Expression::session(name, wanted);
        let test = sql
            .clone()
            .then(word(" = ANY (", " <> ALL ("))
            .and(list)
            .then(")");
        return Ok(Condition::Test(test));
    }
    let Value::Array(items) = value else {
        return Err("the operator takes a list".to_owned());
    };
    if items.is_empty() {
        return Ok(Condition::Always(negated));
    }
    let item = |item: &Value| match item {
        Value::Null => Ok(Expression::sql("NULL")),
        item => value::value(catalog, oid, item),
    };
    let items = items.iter().map(item).collect::<Result<Vec<_>, _>>()?;
    let list = Expression::listed(items);
    Ok(Condition::Test(
        sql.clone()
            .then(word(" IN (", " NOT IN ("))
            .and(list)
            .then(")"),
    ))
}

fn ltree(
    catalog: &Catalog,
    operand: &Operand,
    word: &str,
    value: &Value,
) -> Result<Condition, String> {
    let known = LTREE.iter().find(|(known, ..)| *known == word);
    let (_, operator, of, list) =
        known.ok_or_else(|| format!("the operator `{word}` is not known"))?;
    let base = catalog.base_type(operand.r#type);
    let prefix = base.map_or_else(String::new, |found| prefix(catalog, found));
    let right = if *list {
        texts(value)?.then(&format!("::{prefix}{of}[]"))
    } else {
        text(value)?.then(&format!("::{prefix}{of}"))
    };
    Ok(Condition::Test(
        operand
            .sql
            .clone()
            .then(&format!(" {operator} "))
            .and(right),
    ))
}

fn spatial(
    catalog: &Catalog,
    operand: &Operand,
    word: &str,
    value: &Value,
) -> Result<Condition, String> {
    let Operand { sql, r#type } = operand;
    let prefix = catalog
        .base_type(*r#type)
        .map_or_else(String::new, |found| prefix(catalog, found));
    let call = |function: &str, arguments| {
        Condition::Test(Expression::call(&format!("{prefix}{function}"), arguments))
    };
    if let Some(function) = found(&SPATIAL, word) {
        return Ok(call(
            function,
            vec![sql.clone(), value::value(catalog, *r#type, value)?],
        ));
    }
    let function = match word {
        "_st_d_within" => "st_dwithin",
        "_st_3d_d_within" => "st_3ddwithin",
        _ => return Err(format!("the operator `{word}` is not known")),
    };
    let fields = fields(value, &["distance", "from", "use_spheroid"])?;
    let from = value::value(catalog, *r#type, field(fields, "from")?)?;
    let distance = value::value(catalog, FLOAT8, field(fields, "distance")?)?;
    let mut arguments = vec![sql.clone(), from, distance];
    if let Some(spheroid) = fields.get("use_spheroid").filter(|value| !value.is_null()) {
        arguments.push(value::value(catalog, BOOL, spheroid)?);
    }
    Ok(call(function, arguments))
}

const BOOL: Oid = 16;

fn raster(
    catalog: &Catalog,
    operand: &Operand,
    word: &str,
    value: &Value,
) -> Result<Condition, String> {
    let Operand { sql, r#type } = operand;
    let prefix = catalog
        .base_type(*r#type)
        .map_or_else(String::new, |found| prefix(catalog, found));
    let geometry = |value: &Value| {
        let json = session_name(value).map_or_else(
            || Expression::sql(crate::names::literal(&value.to_string())),
            |name| Expression::session(name, SessionType::TEXT),
        );
        Expression::call(&format!("{prefix}st_geomfromgeojson"), vec![json])
    };
    let arguments = match word {
        "_st_intersects_rast" => vec![sql.clone(), text(value)?.then(&format!("::{prefix}raster"))],
        "_st_intersects_nband_geom" => {
            let fields = fields(value, &["nband", "geommin"])?;
            let band = value::value(catalog, INT4, field(fields, "nband")?)?;
            vec![sql.clone(), band, geometry(field(fields, "geommin")?)]
        }
        "_st_intersects_geom_nband" => {
            let fields = fields(value, &["nband", "geommin"])?;
            let mut arguments = vec![sql.clone(), geometry(field(fields, "geommin")?)];
            if let Some(band) = fields.get("nband").filter(|band| !band.is_null()) {
                arguments.push(value::value(catalog, INT4, band)?);
            }
            arguments
        }
        _ => return Err(format!("the operator `{word}` is not known")),
    };
    Ok(Condition::Test(Expression::call(
        &format!("{prefix}st_intersects"),
        arguments,
    )))
}

/// Reads an object with no other keys than these.
fn fields<'v>(value: &'v Value, known: &[&str]) -> Result<&'v Map<String, Value>, String> {
    let Value::Object(fields) = value else {
        return Err(format!("the operator takes an object with {known:?}"));
    };
    match fields.keys().find(|key| !known.contains(&key.as_str())) {
        Some(key) => Err(format!("the key `{key}` is not known here")),
        None => Ok(fields),
    }
}

fn field<'v>(fields: &'v Map<String, Value>, key: &str) -> Result<&'v Value, String> {
    fields
        .get(key)
        .ok_or_else(|| format!("the key `{key}` is missing"))
}
