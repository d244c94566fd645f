//! The table of operators for all types except those of PostGIS.

use super::{ApplicableTypes, OperandShape, Operator, OperatorKind, Pattern, RowCost, Type};
use crate::postgres::types::Class;

const fn operator(
    name: &'static str,
    sql: &'static str,
    takes: OperandShape,
    on: ApplicableTypes,
    about: &'static str,
) -> Operator {
    Operator {
        kind: OperatorKind::Other,
        name,
        sql,
        takes,
        on,
        cost: RowCost::Varies,
        about,
    }
}

const fn with(cost: RowCost, mut operator: Operator) -> Operator {
    operator.cost = cost;
    operator
}

/// An operator of a kind that the planner or the schema asks for.
pub(super) const fn of_kind(kind: OperatorKind, mut operator: Operator) -> Operator {
    operator.kind = kind;
    operator
}

const fn equality(operator: Operator) -> Operator {
    with(RowCost::Equality, operator)
}

const fn order(operator: Operator) -> Operator {
    with(RowCost::Order, operator)
}

const fn prefix(operator: Operator) -> Operator {
    with(RowCost::Prefix, operator)
}

const fn raising(operator: Operator) -> Operator {
    with(RowCost::Raises, operator)
}

const SAME: OperandShape = OperandShape::One(Type::Same);
const LIST: OperandShape = OperandShape::List(Type::Same);
const LIKE: OperandShape = OperandShape::Pattern(Pattern::Like);
const SIMILAR: OperandShape = OperandShape::Pattern(Pattern::Similar);
const REGULAR: OperandShape = OperandShape::Pattern(Pattern::Regular);
const JSON: ApplicableTypes = ApplicableTypes::Class(Class::Jsonb);
const ARRAY: ApplicableTypes = ApplicableTypes::Class(Class::Array);
const RANGE: ApplicableTypes = ApplicableTypes::Class(Class::Range);
const NETWORK: ApplicableTypes = ApplicableTypes::Class(Class::Network);
const LTREE: ApplicableTypes = ApplicableTypes::Class(Class::Ltree);
const HSTORE: ApplicableTypes = ApplicableTypes::Class(Class::Hstore);

pub(super) const EQUAL: Operator = of_kind(
    OperatorKind::Equal,
    equality(operator(
        "_eq",
        "{x} {=} {}",
        SAME,
        ApplicableTypes::Comparable,
        "equal to",
    )),
);

/// In schema order.
pub(super) static OPERATORS: &[Operator] = &[
    EQUAL,
    of_kind(
        OperatorKind::NotEqual,
        equality(operator(
            "_neq",
            "{x} {<>} {}",
            SAME,
            ApplicableTypes::Unequal,
            "not equal to",
        )),
    ),
    of_kind(
        OperatorKind::NotEqual,
        operator(
            "_neq",
            "NOT {x} {=} {}",
            SAME,
            ApplicableTypes::WithoutUnequal,
            "not equal to",
        ),
    ),
    order(operator(
        "_gt",
        "{x} {>} {}",
        SAME,
        ApplicableTypes::Comparable,
        "greater than",
    )),
    order(operator(
        "_gte",
        "{x} {>=} {}",
        SAME,
        ApplicableTypes::Comparable,
        "greater than or equal to",
    )),
    order(operator(
        "_lt",
        "{x} {<} {}",
        SAME,
        ApplicableTypes::Comparable,
        "less than",
    )),
    order(operator(
        "_lte",
        "{x} {<=} {}",
        SAME,
        ApplicableTypes::Comparable,
        "less than or equal to",
    )),
    of_kind(
        OperatorKind::In,
        equality(operator(
            "_in",
            "{x} {=} ANY ({})",
            LIST,
            ApplicableTypes::Listable,
            "equal to one of the list",
        )),
    ),
    of_kind(
        OperatorKind::NotIn,
        equality(operator(
            "_nin",
            "{x} {<>} ALL ({})",
            LIST,
            ApplicableTypes::UnequalListable,
            "equal to none of the list",
        )),
    ),
    of_kind(
        OperatorKind::NotIn,
        operator(
            "_nin",
            "NOT {x} {=} ANY ({})",
            LIST,
            ApplicableTypes::WithoutUnequalListable,
            "equal to none of the list",
        ),
    ),
    order(operator(
        "_between",
        "({x} {>=} ({})[1] AND {x} {<=} ({})[2])",
        OperandShape::Pair(Type::Same),
        ApplicableTypes::Listable,
        "from the first to the second of two values, both included",
    )),
    equality(operator(
        "_is_distinct_from",
        "({x} {=} {}) IS NOT TRUE",
        SAME,
        ApplicableTypes::Comparable,
        "not equal to, or null",
    )),
    of_kind(
        OperatorKind::IsNull,
        equality(operator(
            "_is_null",
            "{x} IS NULL",
            OperandShape::IsNull,
            ApplicableTypes::Every,
            "null, or not null when false",
        )),
    ),
    prefix(operator(
        "_like",
        "{x} {~~} {}",
        LIKE,
        ApplicableTypes::Text,
        "matches the LIKE pattern",
    )),
    operator(
        "_nlike",
        "{x} {!~~} {}",
        LIKE,
        ApplicableTypes::Text,
        "does not match the LIKE pattern",
    ),
    operator(
        "_ilike",
        "{x} {~~*} {}",
        LIKE,
        ApplicableTypes::Text,
        "matches the LIKE pattern, whatever the case",
    ),
    operator(
        "_nilike",
        "{x} {!~~*} {}",
        LIKE,
        ApplicableTypes::Text,
        "does not match the LIKE pattern, whatever the case",
    ),
    raising(operator(
        "_similar",
        "{x} {~} pg_catalog.similar_to_escape({})",
        SIMILAR,
        ApplicableTypes::Text,
        "matches the SIMILAR TO pattern",
    )),
    raising(operator(
        "_nsimilar",
        "{x} {!~} pg_catalog.similar_to_escape({})",
        SIMILAR,
        ApplicableTypes::Text,
        "does not match the SIMILAR TO pattern",
    )),
    raising(operator(
        "_regex",
        "{x} {~} {}",
        REGULAR,
        ApplicableTypes::Text,
        "matches the regular expression",
    )),
    raising(operator(
        "_nregex",
        "{x} {!~} {}",
        REGULAR,
        ApplicableTypes::Text,
        "does not match the regular expression",
    )),
    raising(operator(
        "_iregex",
        "{x} {~*} {}",
        REGULAR,
        ApplicableTypes::Text,
        "matches the regular expression, whatever the case",
    )),
    raising(operator(
        "_niregex",
        "{x} {!~*} {}",
        REGULAR,
        ApplicableTypes::Text,
        "does not match the regular expression, whatever the case",
    )),
    prefix(operator(
        "_starts_with",
        "{x} ^@ {}",
        OperandShape::One(Type::Text),
        ApplicableTypes::PlainText,
        "begins with the text",
    )),
    operator(
        "_starts_with",
        "lower({x}::text) ^@ lower({})",
        OperandShape::One(Type::Text),
        ApplicableTypes::Citext,
        "begins with the text, whatever the case",
    ),
    operator("_contains", "{x} @> {}", SAME, JSON, "contains the JSON"),
    operator(
        "_contained_in",
        "{x} <@ {}",
        SAME,
        JSON,
        "is contained in the JSON",
    ),
    operator(
        "_has_key",
        "{x} ? {}",
        OperandShape::One(Type::Text),
        JSON,
        "has the text as a key of an object, or as an element of a list",
    ),
    operator(
        "_has_keys_any",
        "{x} ?| {}",
        OperandShape::List(Type::Text),
        JSON,
        "has one of the keys",
    ),
    operator(
        "_has_keys_all",
        "{x} ?& {}",
        OperandShape::List(Type::Text),
        JSON,
        "has all of the keys",
    ),
    operator(
        "_cast",
        "{x}",
        OperandShape::Cast(&[("String", Type::Text)]),
        JSON,
        "conditions on the JSON as another type",
    ),
    operator(
        "_path",
        "{x} #> {at}",
        OperandShape::Path,
        JSON,
        "conditions on what lies at a path inside, as a type; where it is of another type, it is \
         null",
    ),
    operator(
        "_contains",
        "{x} OPERATOR(pg_catalog.@>) {}",
        SAME,
        ARRAY,
        "contains all elements of the list",
    ),
    operator(
        "_contained_in",
        "{x} OPERATOR(pg_catalog.<@) {}",
        SAME,
        ARRAY,
        "has no element that is not in the list",
    ),
    operator(
        "_overlaps",
        "{x} OPERATOR(pg_catalog.&&) {}",
        SAME,
        ARRAY,
        "has an element in common with the list",
    ),
    order(operator(
        "_contains",
        "{x} OPERATOR(pg_catalog.@>) {}",
        SAME,
        RANGE,
        "contains the range",
    )),
    order(operator(
        "_contains_element",
        "{x} OPERATOR(pg_catalog.@>) {}",
        OperandShape::One(Type::Element),
        RANGE,
        "contains the value",
    )),
    order(operator(
        "_contained_by",
        "{x} OPERATOR(pg_catalog.<@) {}",
        SAME,
        RANGE,
        "is contained in the range",
    )),
    order(operator(
        "_overlaps",
        "{x} OPERATOR(pg_catalog.&&) {}",
        SAME,
        RANGE,
        "has a value in common with the range",
    )),
    order(operator(
        "_strictly_left",
        "{x} OPERATOR(pg_catalog.<<) {}",
        SAME,
        RANGE,
        "ends before the range begins",
    )),
    order(operator(
        "_strictly_right",
        "{x} OPERATOR(pg_catalog.>>) {}",
        SAME,
        RANGE,
        "begins after the range ends",
    )),
    order(operator(
        "_not_extends_left",
        "{x} OPERATOR(pg_catalog.&>) {}",
        SAME,
        RANGE,
        "begins no earlier than the range",
    )),
    order(operator(
        "_not_extends_right",
        "{x} OPERATOR(pg_catalog.&<) {}",
        SAME,
        RANGE,
        "ends no later than the range",
    )),
    order(operator(
        "_adjacent",
        "{x} OPERATOR(pg_catalog.-|-) {}",
        SAME,
        RANGE,
        "begins where the range ends, or the reverse",
    )),
    order(operator(
        "_contains",
        "{x} >>= {}",
        SAME,
        NETWORK,
        "contains the network or address, or is it",
    )),
    order(operator(
        "_contained_by",
        "{x} <<= {}",
        SAME,
        NETWORK,
        "is contained in the network, or is it",
    )),
    operator(
        "_ancestor",
        "{x} {@>} {}",
        SAME,
        LTREE,
        "is an ancestor of the path, or is it",
    ),
    operator(
        "_ancestor_any",
        "{x} {@>} {}",
        LIST,
        LTREE,
        "is an ancestor of one of the paths, or is it",
    ),
    operator(
        "_descendant",
        "{x} {<@} {}",
        SAME,
        LTREE,
        "is a descendant of the path, or is it",
    ),
    operator(
        "_descendant_any",
        "{x} {<@} {}",
        LIST,
        LTREE,
        "is a descendant of one of the paths, or is it",
    ),
    operator(
        "_matches",
        "{x} {~} {}",
        OperandShape::One(Type::Beside("lquery")),
        LTREE,
        "matches the lquery",
    ),
    operator(
        "_matches_any",
        "{x} {?} {}",
        OperandShape::List(Type::Beside("lquery")),
        LTREE,
        "matches one of the lqueries",
    ),
    operator(
        "_matches_fulltext",
        "{x} {@} {}",
        OperandShape::One(Type::Beside("ltxtquery")),
        LTREE,
        "matches the ltxtquery",
    ),
    // hstore has an order, too, but under operators of other names.
    of_kind(
        OperatorKind::Equal,
        operator("_eq", "{x} {=} {}", SAME, HSTORE, "equal to"),
    ),
    of_kind(
        OperatorKind::NotEqual,
        operator("_neq", "{x} {<>} {}", SAME, HSTORE, "not equal to"),
    ),
    of_kind(
        OperatorKind::In,
        operator(
            "_in",
            "{x} {=} ANY ({})",
            LIST,
            HSTORE,
            "equal to one of the list",
        ),
    ),
    of_kind(
        OperatorKind::NotIn,
        operator(
            "_nin",
            "{x} {<>} ALL ({})",
            LIST,
            HSTORE,
            "equal to none of the list",
        ),
    ),
    operator(
        "_contains",
        "{x} {@>} {}",
        SAME,
        HSTORE,
        "contains all pairs of the hstore",
    ),
    operator(
        "_contained_in",
        "{x} {<@} {}",
        SAME,
        HSTORE,
        "has no pair that is not in the hstore",
    ),
    operator(
        "_has_key",
        "{x} {?} {}",
        OperandShape::One(Type::Text),
        HSTORE,
        "has the key",
    ),
    operator(
        "_has_keys_any",
        "{x} {?|} {}",
        OperandShape::List(Type::Text),
        HSTORE,
        "has one of the keys",
    ),
    operator(
        "_has_keys_all",
        "{x} {?&} {}",
        OperandShape::List(Type::Text),
        HSTORE,
        "has all of the keys",
    ),
    operator(
        "_fts",
        "{x} @@ {query}",
        OperandShape::Search,
        ApplicableTypes::Class(Class::Document),
        "matches the full-text search",
    ),
    raising(operator(
        "_fts",
        "to_tsvector({config}, {x}) @@ {query}",
        OperandShape::Search,
        ApplicableTypes::Text,
        "matches the full-text search",
    )),
];
