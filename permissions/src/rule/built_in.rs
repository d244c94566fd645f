//! The functions of Postgres that are known to read nothing but their arguments, the session and
//! the clock. What any other function reads is unknown.

use sql::postgres::catalog::Catalog;
use sqlparser::ast::ObjectName;

use super::identifiers::name_parts;

/// The functions that an unknown one may be meant for.
pub(crate) fn built_in_functions<'n>() -> impl Iterator<Item = &'n str> {
    KNOWN.into_iter()
}

/// Functions of `pg_catalog` that read only their arguments, the session and the clock; sorted.
const KNOWN: [&str; 259] = [
    "abbrev",
    "abs",
    "acos",
    "age",
    "array_agg",
    "array_append",
    "array_cat",
    "array_dims",
    "array_fill",
    "array_length",
    "array_lower",
    "array_ndims",
    "array_position",
    "array_positions",
    "array_prepend",
    "array_remove",
    "array_replace",
    "array_to_json",
    "array_to_string",
    "array_upper",
    "ascii",
    "asin",
    "atan",
    "atan2",
    "avg",
    "bit_and",
    "bit_count",
    "bit_length",
    "bit_or",
    "bool_and",
    "bool_or",
    "broadcast",
    "btrim",
    "cardinality",
    "cbrt",
    "ceil",
    "ceiling",
    "char_length",
    "character_length",
    "chr",
    "clock_timestamp",
    "coalesce",
    "concat",
    "concat_ws",
    "convert_from",
    "convert_to",
    "corr",
    "cos",
    "count",
    "cume_dist",
    "current_setting",
    "date",
    "date_bin",
    "date_part",
    "date_trunc",
    "daterange",
    "decode",
    "degrees",
    "dense_rank",
    "div",
    "encode",
    "every",
    "exp",
    "extract",
    "family",
    "first_value",
    "floor",
    "format",
    "gcd",
    "gen_random_uuid",
    "generate_series",
    "generate_subscripts",
    "get_bit",
    "get_byte",
    "greatest",
    "grouping",
    "host",
    "hostmask",
    "inet_merge",
    "inet_same_family",
    "initcap",
    "int4range",
    "int8range",
    "isempty",
    "isfinite",
    "json_agg",
    "json_array_elements",
    "json_array_elements_text",
    "json_array_length",
    "json_build_array",
    "json_build_object",
    "json_each",
    "json_each_text",
    "json_extract_path",
    "json_extract_path_text",
    "json_object",
    "json_object_agg",
    "json_object_keys",
    "json_strip_nulls",
    "json_typeof",
    "jsonb_agg",
    "jsonb_array_elements",
    "jsonb_array_elements_text",
    "jsonb_array_length",
    "jsonb_build_array",
    "jsonb_build_object",
    "jsonb_each",
    "jsonb_each_text",
    "jsonb_exists",
    "jsonb_exists_all",
    "jsonb_exists_any",
    "jsonb_extract_path",
    "jsonb_extract_path_text",
    "jsonb_insert",
    "jsonb_object",
    "jsonb_object_agg",
    "jsonb_object_keys",
    "jsonb_path_exists",
    "jsonb_path_match",
    "jsonb_path_query",
    "jsonb_path_query_array",
    "jsonb_path_query_first",
    "jsonb_pretty",
    "jsonb_set",
    "jsonb_set_lax",
    "jsonb_strip_nulls",
    "jsonb_typeof",
    "justify_days",
    "justify_hours",
    "justify_interval",
    "lag",
    "last_value",
    "lcm",
    "lead",
    "least",
    "left",
    "length",
    "ln",
    "log",
    "log10",
    "lower",
    "lower_inc",
    "lower_inf",
    "lpad",
    "ltrim",
    "make_date",
    "make_interval",
    "make_time",
    "make_timestamp",
    "make_timestamptz",
    "masklen",
    "max",
    "md5",
    "min",
    "mod",
    "mode",
    "multirange",
    "netmask",
    "network",
    "normalize",
    "now",
    "nth_value",
    "ntile",
    "nullif",
    "num_nonnulls",
    "num_nulls",
    "numrange",
    "octet_length",
    "overlay",
    "percent_rank",
    "percentile_cont",
    "percentile_disc",
    "phraseto_tsquery",
    "pi",
    "plainto_tsquery",
    "position",
    "pow",
    "power",
    "quote_ident",
    "quote_literal",
    "quote_nullable",
    "radians",
    "random",
    "range_agg",
    "range_intersect_agg",
    "range_merge",
    "rank",
    "regexp_count",
    "regexp_instr",
    "regexp_like",
    "regexp_match",
    "regexp_matches",
    "regexp_replace",
    "regexp_split_to_array",
    "regexp_split_to_table",
    "regexp_substr",
    "repeat",
    "replace",
    "reverse",
    "right",
    "round",
    "row",
    "row_number",
    "row_to_json",
    "rpad",
    "rtrim",
    "scale",
    "set_masklen",
    "sha224",
    "sha256",
    "sha384",
    "sha512",
    "sign",
    "sin",
    "split_part",
    "sqrt",
    "starts_with",
    "statement_timestamp",
    "stddev",
    "stddev_pop",
    "stddev_samp",
    "string_agg",
    "string_to_array",
    "string_to_table",
    "strpos",
    "substr",
    "substring",
    "sum",
    "tan",
    "text",
    "timeofday",
    "timezone",
    "to_char",
    "to_date",
    "to_hex",
    "to_json",
    "to_jsonb",
    "to_number",
    "to_timestamp",
    "to_tsquery",
    "to_tsvector",
    "transaction_timestamp",
    "translate",
    "trim_array",
    "trim_scale",
    "trunc",
    "ts_rank",
    "ts_rank_cd",
    "tsrange",
    "tstzrange",
    "unnest",
    "upper",
    "upper_inc",
    "upper_inf",
    "var_pop",
    "var_samp",
    "variance",
    "websearch_to_tsquery",
    "width_bucket",
];

/// The functions in `KNOWN` whose result differs between calls.
const VOLATILE: [&str; 4] = ["clock_timestamp", "gen_random_uuid", "random", "timeofday"];

/// Whether a call reads only its arguments, the session and the clock: the function is in `KNOWN`,
/// and none that the database declares can be meant instead.
pub(super) fn reads_only_arguments(function: &ObjectName, catalog: &Catalog) -> bool {
    let is_known = |name: &str| KNOWN.binary_search(&name).is_ok();
    match name_parts(function).as_deref() {
        Some([name]) => {
            let is_declared = catalog
                .functions
                .iter()
                .any(|declared| declared.name == *name);
            is_known(name) && !is_declared
        }
        Some([schema, name]) => schema == "pg_catalog" && is_known(name),
        _ => false,
    }
}

/// Whether the function's result differs between calls.
pub(super) fn is_volatile(function: &ObjectName) -> bool {
    is_named(function, &VOLATILE)
}

/// Whether the function reads a setting of the server or of the session.
pub(super) fn reads_setting(function: &ObjectName) -> bool {
    is_named(function, &["current_setting"])
}

fn is_named(function: &ObjectName, names: &[&str]) -> bool {
    name_parts(function).is_some_and(|parts| {
        parts
            .last()
            .is_some_and(|name| names.contains(&name.as_str()))
    })
}

#[cfg(test)]
mod tests {
    use super::{KNOWN, VOLATILE};

    #[test]
    fn known_functions_are_sorted() {
        assert!(KNOWN.is_sorted());
        assert!(
            VOLATILE
                .iter()
                .all(|name| KNOWN.binary_search(name).is_ok())
        );
    }
}
