//! Values of every type, as text that Postgres parses, or as `ROW(…)`. In arrays the last value of
//! a type follows each of the others.

/// Extensions, and every kind of user-defined type.
pub(crate) const SETUP: &str = r#"
CREATE SCHEMA ext;
CREATE EXTENSION citext SCHEMA ext;
CREATE EXTENSION cube SCHEMA ext;
CREATE EXTENSION hstore SCHEMA ext;
CREATE EXTENSION intarray SCHEMA ext;
CREATE EXTENSION isn SCHEMA ext;
CREATE EXTENSION lo SCHEMA ext;
CREATE EXTENSION ltree SCHEMA ext;
CREATE EXTENSION pg_trgm SCHEMA ext;
CREATE EXTENSION seg SCHEMA ext;
CREATE EXTENSION postgis SCHEMA ext;
CREATE EXTENSION postgis_raster SCHEMA ext;

CREATE SCHEMA "Odd ""schema";
CREATE TYPE "Odd ""schema"."Odd type" AS ENUM ('plain', 'it''s', '{"a", b}', 'NULL', '');
CREATE TYPE words AS RANGE (subtype = text);
CREATE DOMAIN percent AS numeric(5, 2) CHECK (VALUE BETWEEN 0 AND 100);
CREATE DOMAIN "Odd ""schema".ids AS int[];
CREATE DOMAIN share AS percent;
CREATE TYPE inner_row AS (n numeric, at timestamptz, tags text[]);
CREATE TYPE outer_row AS ("inner" inner_row, "o""dd" "Odd ""schema"."Odd type", many inner_row[], doc jsonb, bytes bytea, ids "Odd ""schema".ids);
CREATE TYPE lonely AS (one text);
CREATE DOMAIN boxed AS inner_row;

-- A type that passes as text, as `varchar` does, and one that passes as a number.
CREATE TYPE own_text;
CREATE FUNCTION own_text_in(cstring) RETURNS own_text LANGUAGE internal IMMUTABLE STRICT AS 'textin';
CREATE FUNCTION own_text_out(own_text) RETURNS cstring LANGUAGE internal IMMUTABLE STRICT AS 'textout';
CREATE TYPE own_text (INPUT = own_text_in, OUTPUT = own_text_out, LIKE = text, COLLATABLE = true);
CREATE CAST (own_text AS text) WITHOUT FUNCTION AS IMPLICIT;
CREATE TYPE own_number;
CREATE FUNCTION own_number_in(cstring) RETURNS own_number LANGUAGE internal IMMUTABLE STRICT AS 'int4in';
CREATE FUNCTION own_number_out(own_number) RETURNS cstring LANGUAGE internal IMMUTABLE STRICT AS 'int4out';
CREATE TYPE own_number (INPUT = own_number_in, OUTPUT = own_number_out, LIKE = int4);
CREATE CAST (own_number AS int4) WITHOUT FUNCTION AS IMPLICIT;
CREATE DOMAIN own_word AS own_text;

-- A type with a cast to json, which `to_json` prefers inside of arrays and composite values.
CREATE TYPE own_json;
CREATE FUNCTION own_json_in(cstring) RETURNS own_json LANGUAGE internal IMMUTABLE STRICT AS 'textin';
CREATE FUNCTION own_json_out(own_json) RETURNS cstring LANGUAGE internal IMMUTABLE STRICT AS 'textout';
CREATE TYPE own_json (INPUT = own_json_in, OUTPUT = own_json_out, LIKE = text, COLLATABLE = true);
CREATE FUNCTION own_as_json(own_json) RETURNS json LANGUAGE sql IMMUTABLE STRICT
  AS $$ SELECT json_build_object('v', $1::text) $$;
CREATE CAST (own_json AS text) WITHOUT FUNCTION AS IMPLICIT;
CREATE CAST (own_json AS json) WITH FUNCTION own_as_json(own_json);
CREATE TYPE own_pair AS (a own_json, b int, c own_json[]);

-- A type whose operators are in another schema, without `<>`, and a type without any.
CREATE SCHEMA operators;
CREATE TYPE own_order;
CREATE FUNCTION own_order_in(cstring) RETURNS own_order LANGUAGE internal IMMUTABLE STRICT AS 'int4in';
CREATE FUNCTION own_order_out(own_order) RETURNS cstring LANGUAGE internal IMMUTABLE STRICT AS 'int4out';
CREATE TYPE own_order (INPUT = own_order_in, OUTPUT = own_order_out, LIKE = int4);
CREATE FUNCTION operators.lt(own_order, own_order) RETURNS bool LANGUAGE internal IMMUTABLE STRICT AS 'int4lt';
CREATE FUNCTION operators.le(own_order, own_order) RETURNS bool LANGUAGE internal IMMUTABLE STRICT AS 'int4le';
CREATE FUNCTION operators.eq(own_order, own_order) RETURNS bool LANGUAGE internal IMMUTABLE STRICT AS 'int4eq';
CREATE FUNCTION operators.ge(own_order, own_order) RETURNS bool LANGUAGE internal IMMUTABLE STRICT AS 'int4ge';
CREATE FUNCTION operators.gt(own_order, own_order) RETURNS bool LANGUAGE internal IMMUTABLE STRICT AS 'int4gt';
CREATE FUNCTION operators.cmp(own_order, own_order) RETURNS int LANGUAGE internal IMMUTABLE STRICT AS 'btint4cmp';
CREATE OPERATOR operators.< (LEFTARG = own_order, RIGHTARG = own_order, FUNCTION = operators.lt);
CREATE OPERATOR operators.<= (LEFTARG = own_order, RIGHTARG = own_order, FUNCTION = operators.le);
CREATE OPERATOR operators.= (LEFTARG = own_order, RIGHTARG = own_order, FUNCTION = operators.eq);
CREATE OPERATOR operators.>= (LEFTARG = own_order, RIGHTARG = own_order, FUNCTION = operators.ge);
CREATE OPERATOR operators.> (LEFTARG = own_order, RIGHTARG = own_order, FUNCTION = operators.gt);
CREATE OPERATOR CLASS operators.own_order_ops DEFAULT FOR TYPE own_order USING btree AS
  OPERATOR 1 operators.<, OPERATOR 2 operators.<=, OPERATOR 3 operators.=, OPERATOR 4 operators.>=,
  OPERATOR 5 operators.>, FUNCTION 1 operators.cmp(own_order, own_order);
CREATE TYPE own_bare;
CREATE FUNCTION own_bare_in(cstring) RETURNS own_bare LANGUAGE internal IMMUTABLE STRICT AS 'textin';
CREATE FUNCTION own_bare_out(own_bare) RETURNS cstring LANGUAGE internal IMMUTABLE STRICT AS 'textout';
CREATE TYPE own_bare (INPUT = own_bare_in, OUTPUT = own_bare_out, LIKE = text);

-- Types for which `=` is ambiguous: a cast leads to text, or to a type that has `=` in another schema.
CREATE TYPE loud AS ENUM ('low', 'high');
CREATE CAST (loud AS text) WITH INOUT AS IMPLICIT;
CREATE TYPE site AS (a int, b text);
CREATE CAST (site AS ext.geometry) WITH INOUT AS IMPLICIT;
CREATE TYPE ambiguous_row AS (a int);
CREATE CAST (ambiguous_row AS text) WITH INOUT AS IMPLICIT;
"#;

/// The types of columns: neither arrays, which are derived from these, nor row types of tables.
pub(crate) const TYPES: &str = "
SELECT format('%I.%I', n.nspname, t.typname), format('%s.%s', n.nspname, t.typname), t.typname::text
FROM pg_type t
JOIN pg_namespace n ON n.oid = t.typnamespace
LEFT JOIN pg_class c ON c.oid = t.typrelid
LEFT JOIN pg_type e ON e.oid = t.typelem AND e.typarray = t.oid
WHERE t.typtype IN ('b', 'c', 'd', 'e', 'm', 'r') AND e.oid IS NULL AND (t.typtype <> 'c' OR c.relkind = 'c')
  AND n.nspname IN ('pg_catalog', 'public', 'ext', 'Odd \"schema')
ORDER BY 1";

/// Types without values of their own: they are internal to indexes and statistics, or cannot be
/// written.
pub(crate) const EMPTY: &[&str] = &[
    "box2df",
    "ghstore",
    "gidx",
    "gtrgm",
    "gtsvector",
    "intbig_gkey",
    "ltree_gist",
    "pg_brin_bloom_summary",
    "pg_brin_minmax_multi_summary",
    "pg_dependencies",
    "pg_mcv_list",
    "pg_ndistinct",
    "pg_node_tree",
];

/// The samples of a type.
pub(crate) fn of(name: &str) -> Option<&'static [&'static str]> {
    SAMPLES
        .iter()
        .find(|(known, _)| known.contains(&name))
        .map(|(_, samples)| *samples)
}

const TEXTS: &[&str] = &[
    "",
    "plain",
    "two words",
    "NULL",
    "null",
    "a,b",
    "{}",
    "{a}",
    "(a)",
    "\"quoted\"",
    "back\\slash\\",
    "tab\tline\nreturn\r",
    "it's",
    " blanks ",
    "\u{e9}\u{1f600}\u{7f}",
];

const SAMPLES: &[(&[&str], &[&str])] = &[
    (
        &[
            "text",
            "varchar",
            "bpchar",
            "name",
            "citext",
            "refcursor",
            "own_text",
            "own_word",
            "own_bare",
        ],
        TEXTS,
    ),
    (&["own_json"], &["", "a", "{\"a\": 1}", "two words"]),
    (&["own_number", "own_order"], &["0", "-7", "12"]),
    (&["loud"], &["low", "high"]),
    (&["site"], &["ROW(1, 'a')", "ROW(2, 'b')"]),
    (&["ambiguous_row"], &["ROW(1)", "ROW(2)"]),
    (
        &["own_pair"],
        &["ROW('a', 1, '{b,NULL}')", "ROW('', 2, '{}')"],
    ),
    (&["Odd type"], &["plain", "it's", "{\"a\", b}", "NULL", ""]),
    (&["char"], &["", "x", "\\", "\"", ",", " "]),
    (&["bool"], &["true", "false"]),
    (&["int2"], &["0", "-32768", "32767"]),
    (&["int4"], &["0", "-2147483648", "2147483647"]),
    (
        &["int8"],
        &["0", "-9223372036854775808", "9223372036854775807"],
    ),
    (&["oid", "lo"], &["0", "4294967295"]),
    (
        &["float4"],
        &[
            "0",
            "-0",
            "0.1",
            "3.4028235e38",
            "1e-45",
            "NaN",
            "Infinity",
            "-Infinity",
        ],
    ),
    (
        &["float8"],
        &[
            "0",
            "-0",
            "0.1",
            "1.7976931348623157e308",
            "5e-324",
            "NaN",
            "Infinity",
            "-Infinity",
            "1e15",
        ],
    ),
    (
        &["numeric"],
        &[
            "0",
            "0.000",
            "1.50",
            "-1e-300",
            "1e300",
            "NaN",
            "Infinity",
            "-Infinity",
            "12345678901234567890.12345678901234567890",
        ],
    ),
    (&["percent", "share"], &["0", "12.50", "100"]),
    (
        &["money"],
        &["0", "$1,234.50", "-$0.01", "$92233720368547758.07"],
    ),
    (
        &["uuid"],
        &[
            "00000000-0000-0000-0000-000000000000",
            "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11",
        ],
    ),
    (
        &["date"],
        &[
            "2024-02-29",
            "infinity",
            "-infinity",
            "0001-02-29 BC",
            "4714-11-24 BC",
            "5874897-12-31",
        ],
    ),
    (&["time"], &["00:00", "24:00:00", "12:34:56.789012"]),
    (
        &["timetz"],
        &[
            "00:00:00+00",
            "24:00:00-15:59:59",
            "12:34:56.5+05:30",
            "00:00:00+15:59:59",
        ],
    ),
    (
        &["timestamp"],
        &[
            "2024-02-29 12:34:56.789012",
            "infinity",
            "-infinity",
            "4714-11-24 00:00:00 BC",
            "294276-12-31 23:59:59.999999",
        ],
    ),
    (
        &["timestamptz"],
        &[
            "2024-02-29 12:34:56.789012+05:30",
            "infinity",
            "-infinity",
            "0005-02-28 00:00:00+00 BC",
            "294276-12-31 23:59:59.999999+00",
        ],
    ),
    (
        &["interval"],
        &[
            "0",
            "1 year -2 mons 3 days -04:05:06.789",
            "-178000000 years",
            "00:00:00.000001",
            "-1 day +1 hour",
        ],
    ),
    (
        &["json"],
        &[
            "1.50",
            "\"te\\\"xt\"",
            " { \"b\" : [1, {\"c\": null}], \"a\" : \"\\u00e9\\n\" } ",
            "[]",
            "true",
            "\"{}\"",
            "{}",
        ],
    ),
    (
        &["jsonb"],
        &[
            "1.50",
            "1e400",
            "\"te\\\"xt\"",
            "{\"b\": [1, {\"c\": null}], \"a\": \"\\n\", \"\": \"\"}",
            "\"{}\"",
            "true",
            "{}",
        ],
    ),
    (
        &["jsonpath"],
        &[
            "$",
            "strict $.\"a\"[*] ? (@.\"b\" > 1 && @.\"c\" == \"x\\\"y\")",
        ],
    ),
    (&["bytea"], &["", "\\x00ff5c22", "abc"]),
    (&["bit", "varbit"], &["0", "1", "10110"]),
    (&["xml"], &["", "<a b=\"c\">x &amp; 'y'</a>", "only text"]),
    (
        &["inet"],
        &["10.0.0.1", "10.0.0.1/24", "::1", "fe80::1/64", "0.0.0.0/0"],
    ),
    (
        &["cidr"],
        &["10.0.0.0/8", "10.0.0.1/32", "2001:db8::/32", "::/0"],
    ),
    (&["macaddr"], &["08:00:2b:01:02:03"]),
    (&["macaddr8"], &["08:00:2b:01:02:03:04:05"]),
    (&["point"], &["(1,2)", "(-0.5,1e300)", "(NaN,Infinity)"]),
    (&["box"], &["(1,1),(0,0)", "(2.5,1),(-1,-1e10)"]),
    (&["lseg"], &["[(1,2),(3,4)]"]),
    (&["line"], &["{1,2,3}", "{0,-1,0.5}"]),
    (&["path"], &["[(1,2),(3,4)]", "((1,2),(3,4))"]),
    (&["polygon"], &["((1,2),(3,4),(5,6))"]),
    (&["circle"], &["<(1,2),3>"]),
    (
        &["tsvector"],
        &["", "'a b':1A,2 'c''d':3B \"e\"", "'\\\\':1"],
    ),
    (
        &["tsquery"],
        &["", "fat & (rat | !cat:ab*) <-> 'two words'", "'it''s'"],
    ),
    (&["int2vector", "oidvector"], &["1 2 3", "7", ""]),
    (&["tid"], &["(0,1)", "(4294967295,65535)"]),
    (&["cid", "xid"], &["0", "4294967295"]),
    (&["xid8"], &["0", "18446744073709551615"]),
    (&["pg_lsn"], &["0/0", "16/B374D848"]),
    (
        &["pg_snapshot", "txid_snapshot"],
        &["10:10:", "10:20:10,14,15"],
    ),
    (
        &["aclitem"],
        &["=r/pg_monitor", "pg_monitor=r*w/pg_monitor"],
    ),
    (
        &["regclass"],
        &[
            "-",
            "pg_class",
            "information_schema.\"tables\"",
            "4294967295",
        ],
    ),
    (&["regcollation"], &["-", "\"C\""]),
    (&["regconfig"], &["english"]),
    (&["regdictionary"], &["simple"]),
    (
        &["regnamespace"],
        &["-", "pg_catalog", "\"Odd \"\"schema\""],
    ),
    (&["regoper"], &["0", "||/"]),
    (
        &["regoperator"],
        &["0", "+(integer,integer)", "!!(NONE,tsquery)"],
    ),
    (&["regproc"], &["-", "pg_backend_pid"]),
    (&["regprocedure"], &["-", "substring(text,integer,integer)"]),
    (&["regrole"], &["-", "pg_monitor"]),
    (
        &["regtype"],
        &["-", "integer[]", "\"char\"", "time with time zone"],
    ),
    (
        &["int4range", "int8range"],
        &["empty", "(,)", "[1,5)", "(,5)"],
    ),
    (
        &["numrange"],
        &["empty", "(,)", "[1.50,2.5]", "(-Infinity,NaN)"],
    ),
    (
        &["daterange"],
        &["empty", "[2024-01-01,infinity]", "(,2024-02-29)"],
    ),
    (
        &["tsrange"],
        &[
            "empty",
            "[2024-01-01 00:00,2024-01-02 12:34:56.5]",
            "(,infinity)",
        ],
    ),
    (
        &["tstzrange"],
        &[
            "empty",
            "[2024-01-01 00:00+02,2024-01-02 12:34:56.5Z]",
            "(,infinity]",
        ],
    ),
    (
        &["words"],
        &[
            "empty",
            "(,)",
            "[\"a,b\",\"c\\\"d\")",
            "[\"\",\"]\"]",
            "[\"(\",\"\\\\\"]",
        ],
    ),
    (
        &["int4multirange", "int8multirange"],
        &["{}", "{[1,5),[7,9)}", "{(,)}"],
    ),
    (&["nummultirange"], &["{}", "{[1.50,2.5],(3,)}"]),
    (
        &["datemultirange"],
        &["{}", "{[2024-01-01,2024-02-29),[2025-01-01,)}"],
    ),
    (&["tsmultirange"], &["{}", "{[2024-01-01,2024-02-29)}"]),
    (
        &["tstzmultirange"],
        &["{}", "{[2024-01-01 00:00+02,2024-02-29 00:00+02)}"],
    ),
    (
        &[
            "words_multirange",
            "wordsmultirange",
            "multirange_of_words",
            "words_mr",
        ],
        &["{}", "{[\"a,b\",\"c\\\"d\"),(x,)}"],
    ),
    (
        &["hstore"],
        &["", "a=>1", "\"a\\\"b,\"=>\"=> {c}\", \"\"=>\"\", n=>NULL"],
    ),
    (&["ltree"], &["", "a.b_1.C"]),
    (&["lquery"], &["a.*{1,2}.!b@|c*"]),
    (&["ltxtquery"], &["a & !b* | c@"]),
    (&["query_int"], &["1&(2|!3)"]),
    (&["cube"], &["(1, 2),(3, 4.5)", "(0)"]),
    (&["seg"], &["1.5 .. 2.50", "<3", "~4.0"]),
    (&["ean13", "isbn13"], &["978-0-393-04002-9"]),
    (&["isbn"], &["0-393-04002-X"]),
    (&["ismn13"], &["979-0-2600-0043-8"]),
    (&["ismn"], &["M-2600-0043-8"]),
    (&["issn13"], &["977-1436-452-00-8"]),
    (&["issn"], &["1436-4522"]),
    (&["upc"], &["220500896617"]),
    (&["ids"], &["{}", "{1,NULL,3}", "{{1,2},{3,4}}"]),
    (
        &["inner_row", "boxed"],
        &[
            "ROW(1.50, '2024-01-01Z', '{a,NULL,\"b \\\"c\"}')",
            "ROW(NULL, NULL, NULL)",
            "ROW('NaN', 'infinity', '{}')",
        ],
    ),
    (&["lonely"], &["ROW(NULL)", "ROW('')", "ROW('a(b)')"]),
    (
        &["outer_row"],
        &[
            "ROW(ROW(1.50, '2024-01-01Z', '{a}'), 'it''s', ARRAY[NULL, ROW(2, NULL, \
             NULL)]::inner_row[], '{\"a\": [1, \"\\\"x\\\"\"]}', '\\x00ff', '{1,2}')",
            "ROW(NULL, '', '{}', '[]', '', '{}')",
        ],
    ),
    (
        &["geometry"],
        &[
            "SRID=4326;POINT (1 2)",
            "SRID=3857;POINT Z (0.1 -2.5e-7 123456.789012345)",
            "SRID=4326;LINESTRING (0 0, 1 1)",
            "SRID=4326;POLYGON ((0 0, 9 0, 9 9, 0 9, 0 0), (1 1, 2 1, 2 2, 1 1))",
            "SRID=4326;MULTIPOINT Z ((0 0 1), (1 1 2))",
            "SRID=4326;MULTILINESTRING ((0 0, 1 1), (2 2, 3 3))",
            "SRID=4326;MULTIPOLYGON (((0 0, 9 0, 9 9, 0 0)))",
            "SRID=4326;GEOMETRYCOLLECTION (POINT (1 2), LINESTRING (0 0, 1 1))",
            "SRID=4326;POLYGON EMPTY",
            "SRID=4326;POINT (10 20)",
        ],
    ),
    (
        &["geography"],
        &[
            "SRID=4326;POINT (1.5 -2.25)",
            "SRID=4326;POLYGON Z ((0 0 1, 9 0 1, 9 9 1, 0 0 1))",
            "SRID=4326;GEOMETRYCOLLECTION (POINT (1 2), LINESTRING (0 0, 1 1))",
            "SRID=4326;LINESTRING EMPTY",
            "SRID=4326;POINT (10 20)",
        ],
    ),
    (
        &["raster"],
        &[
            "0100000000000000000000F03F000000000000F0BF0000000000000000000000000000000000000000000000000000000000000000E610000001000100",
        ],
    ),
    (&["box2d"], &["BOX(1 2,3 4)"]),
    (&["box3d"], &["BOX3D(1 2 3,4 5 6)"]),
    (
        &["spheroid"],
        &["SPHEROID(\"GRS_1980\",6378137,298.257222101)"],
    ),
    (
        &["geometry_dump"],
        &["ROW('{1,2}', 'SRID=4326;POINT (1 2)'::ext.geometry)"],
    ),
    (
        &["geomval"],
        &["ROW('SRID=4326;POINT (1 2)'::ext.geometry, 1.5)"],
    ),
    (
        &["valid_detail"],
        &["ROW(false, 'because', 'SRID=4326;POINT (1 2)'::ext.geometry)"],
    ),
    (&["addbandarg"], &["ROW(1, '8BUI', 0.5, NULL)"]),
    (&["agg_count"], &["ROW(1, 2, true, 0.5)"]),
    (&["agg_samealignment"], &["ROW(NULL, true)"]),
    (&["rastbandarg"], &["ROW(NULL, 1)"]),
    (&["reclassarg"], &["ROW(1, 'a:b', '8BUI', 0.5)"]),
    (&["summarystats"], &["ROW(1, 2, 3, 4, 5, 6)"]),
    (&["unionarg"], &["ROW(1, 'LAST')"]),
];
