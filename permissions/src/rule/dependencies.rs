//! Records what a rule reads besides its row, while it is rendered: tables and functions.
//!
//! A function counts as reading nothing if it is built in and in `KNOWN`. What any other function
//! reads is unknown.

use std::sync::Arc;

use sql::model::access::RuleDependencies;
use sql::postgres::catalog::{TableId, TableKind};
use sqlparser::ast::{DataType, ObjectName, Spanned};
use sqlparser::tokenizer::Span;

use super::data_type;
use super::writer::{Writer, folded};

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

impl Writer<'_, '_, '_> {
    /// Records that a table is read.
    pub(super) fn reads_table(&mut self, table: TableId) {
        let read = match self.catalog().table(table).kind {
            TableKind::Table | TableKind::Partitioned | TableKind::Materialized => {
                RuleDependencies::Tables(Arc::new([table]))
            }
            TableKind::View | TableKind::Foreign | TableKind::Result => RuleDependencies::Anything,
        };
        self.reads = std::mem::take(&mut self.reads).union(read);
        self.vacuity.tables += 1;
    }

    /// Records what a function may read.
    pub(super) fn reads_through(&mut self, function: &ObjectName) {
        let parts: Option<Vec<String>> = function
            .0
            .iter()
            .map(|part| part.as_ident().map(folded))
            .collect();
        let known = |name: &String| KNOWN.binary_search(&name.as_str()).is_ok();
        let declared = |name: &String| {
            self.catalog()
                .functions
                .iter()
                .any(|function| function.name == *name)
        };
        let harmless = match parts.as_deref() {
            Some([name]) => known(name) && !declared(name),
            Some([schema, name]) => schema == "pg_catalog" && known(name),
            _ => false,
        };
        let last = parts.as_deref().and_then(<[String]>::last);
        // Settings describe the server. A row rule may read them, but the caller of a statement
        // should not.
        let harmless = harmless
            && !(self.is_statement() && last.is_some_and(|name| name == "current_setting"));
        self.volatile |= last.is_some_and(|name| VOLATILE.contains(&name.as_str()));
        if !harmless {
            let span = self.span(function.span());
            self.foreign.push((function.to_string(), span));
            self.reads = RuleDependencies::Anything;
        }
    }

    /// Records that a statement casts to a type whose values are names of database objects, which
    /// are looked up in the system catalogs.
    pub(super) fn looks_up(&mut self, data_type: &DataType, span: Span) {
        if self.is_statement() && data_type::looks_up(data_type) {
            let span = self.span(span);
            self.foreign
                .push((data_type.to_string().to_lowercase(), span));
        }
    }
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
