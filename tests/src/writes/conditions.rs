//! Generates random conditions, each in two forms: as a `where` argument and as SQL.

use serde_json::{Value as Json, json};
use sql::model::access::Access;
use sql::model::{ExposedTable, Relation, RelationKind};
use sql::postgres::catalog::ColumnId;
use sql::postgres::types::quoted;
use sql::schema::Schema;

use super::{Value, native, pool};
use crate::choices::Choices;

/// A condition on a row.
#[derive(Clone, Debug)]
pub enum Condition {
    /// All of these conditions hold.
    All(Vec<Condition>),
    /// At least one of these conditions holds.
    Any(Vec<Condition>),
    /// The condition does not hold.
    Not(Box<Condition>),
    /// A column is compared with a value.
    Compare {
        /// The column.
        column: ColumnId,
        /// Its name in GraphQL.
        name: String,
        /// The operator in GraphQL and in SQL.
        operator: (&'static str, &'static str),
        /// The value.
        value: Value,
    },
    /// A column is one of several values, or none of them.
    Among {
        /// The column.
        column: ColumnId,
        /// Its name in GraphQL.
        name: String,
        /// True for `_in`, false for `_nin`.
        is: bool,
        /// The values.
        values: Vec<Value>,
    },
    /// A column is null, or is not.
    Null {
        /// The column.
        column: ColumnId,
        /// Its name in GraphQL.
        name: String,
        /// Whether it is null.
        is: bool,
    },
    /// A condition holds for some related row.
    Related {
        /// The relation's name.
        relation: String,
        /// The condition on the related row.
        condition: Box<Condition>,
    },
}

const COMPARISONS: [(&str, &str); 6] = [
    ("_eq", "="),
    ("_neq", "<>"),
    ("_gt", ">"),
    ("_gte", ">="),
    ("_lt", "<"),
    ("_lte", "<="),
];
const PATTERNS: [(&str, &str); 5] = [
    ("_like", "LIKE"),
    ("_nlike", "NOT LIKE"),
    ("_ilike", "ILIKE"),
    ("_similar", "SIMILAR TO"),
    ("_regex", "~"),
];
/// Operators of jsonb and arrays.
const CONTAINMENT: [(&str, &str); 2] = [("_contains", "@>"), ("_contained_in", "<@")];

impl Condition {
    /// A column equals a value.
    pub fn equal(column: ColumnId, name: &str, value: Value) -> Condition {
        Condition::Compare {
            column,
            name: name.to_owned(),
            operator: ("_eq", "="),
            value,
        }
    }

    /// Generates a condition on rows of a table, nested up to `depth` levels.
    pub fn random(
        access: &Access,
        exposed: &ExposedTable,
        depth: usize,
        choices: &mut Choices<'_>,
    ) -> Condition {
        let inner =
            |choices: &mut Choices<'_>| Condition::random(access, exposed, depth - 1, choices);
        let some =
            |choices: &mut Choices<'_>| (0..choices.below(4)).map(|_| inner(choices)).collect();
        match choices.below(if depth == 0 { 7 } else { 12 }) {
            0 => Condition::All(vec![]),
            1..=6 => Condition::leaf(access, exposed, choices).unwrap_or(Condition::All(vec![])),
            7 => Condition::All(some(choices)),
            8 => Condition::Any(some(choices)),
            9 => Condition::Not(Box::new(inner(choices))),
            _ => {
                let relations: Vec<_> = exposed
                    .relations
                    .iter()
                    .filter(|r| is_sure(access, r))
                    .collect();
                match choices
                    .pick(&relations)
                    .and_then(|r| Some((r, access.model().exposed(r.to)?)))
                {
                    Some((relation, there)) => Condition::Related {
                        relation: relation.name.clone(),
                        condition: Box::new(Condition::random(access, there, depth - 1, choices)),
                    },
                    None => inner(choices),
                }
            }
        }
    }

    fn leaf(
        access: &Access,
        exposed: &ExposedTable,
        choices: &mut Choices<'_>,
    ) -> Option<Condition> {
        let schema = Schema::new(access);
        let model = access.model();
        let columns = schema.columns(exposed.table);
        let (column, name) = *choices.pick(&columns)?;
        let entry = model.table(exposed.table).column(column);
        let kind = model
            .catalog()
            .type_of(entry.r#type)
            .map_or("", |entry| entry.name.as_str());
        let name = name.to_owned();
        let comparisons: &[_] = match kind {
            "jsonb" | "_text" => &CONTAINMENT,
            "text" if entry.name != "priority" && choices.percent(25) => &PATTERNS,
            "mood" => &COMPARISONS[..2],
            "text" if entry.name == "priority" => &COMPARISONS[..2],
            "json" | "citext" | "sku" | "percent" | "_int4" | "_mood" | "bytea" | "interval"
            | "int4range" => &[],
            _ => &COMPARISONS,
        };
        match choices.below(4) {
            0 => Some(Condition::Null {
                column,
                name,
                is: choices.percent(50),
            }),
            1 if comparisons.len() > 2 => {
                let values = (0..choices.below(3))
                    .map(|_| pool(model.catalog(), entry, choices))
                    .collect();
                Some(Condition::Among {
                    column,
                    name,
                    is: choices.percent(60),
                    values,
                })
            }
            _ => {
                let operator = *choices.pick(comparisons)?;
                let value = if PATTERNS.contains(&operator) {
                    pattern(choices)
                } else {
                    pool(model.catalog(), entry, choices)
                };
                Some(Condition::Compare {
                    column,
                    name,
                    operator,
                    value,
                })
            }
        }
    }

    /// The condition as an argument.
    pub fn json(&self) -> Json {
        let list = |items: &[Condition]| items.iter().map(Condition::json).collect::<Vec<_>>();
        match self {
            Condition::All(items) if items.is_empty() => json!({}),
            Condition::All(items) => json!({ "_and": list(items) }),
            Condition::Any(items) => json!({ "_or": list(items) }),
            Condition::Not(item) => json!({ "_not": item.json() }),
            Condition::Compare {
                name,
                operator,
                value,
                ..
            } => json!({ name: { operator.0: value.json } }),
            Condition::Among {
                name, is, values, ..
            } => {
                let values: Vec<_> = values.iter().map(|value| &value.json).collect();
                json!({ name: { if *is { "_in" } else { "_nin" }: values } })
            }
            Condition::Null { name, is, .. } => json!({ name: { "_is_null": is } }),
            Condition::Related {
                relation,
                condition,
            } => json!({ relation: condition.json() }),
        }
    }

    /// The argument with the operator names of a table that uses another spelling.
    pub fn spelled(&self, spelling: sql::model::names::Spelling) -> Json {
        fn words(value: &Json, spelling: sql::model::names::Spelling) -> Json {
            match value {
                Json::Object(fields) => {
                    let word = |key: &String| {
                        if key.starts_with('_') {
                            WORDS
                                .iter()
                                .find(|word| *word == key)
                                .map_or(key.clone(), |w| spelling.field(w).into())
                        } else {
                            key.clone()
                        }
                    };
                    Json::Object(
                        fields
                            .iter()
                            .map(|(key, value)| (word(key), words(value, spelling)))
                            .collect(),
                    )
                }
                Json::Array(items) => items.iter().map(|item| words(item, spelling)).collect(),
                plain => plain.clone(),
            }
        }
        words(&self.json(), spelling)
    }

    /// The condition as SQL about the row `row`.
    pub fn sql(&self, access: &Access, exposed: &ExposedTable, row: &str, depth: usize) -> String {
        let table = access.model().table(exposed.table);
        let column = |column: &ColumnId| format!("{row}.{}", quoted(&table.column(*column).name));
        let typed = |of: &ColumnId, value: &Value| {
            let scalar = Schema::new(access).column_scalar(exposed.table, *of);
            format!("{}::{}", value.literal(), scalar.sql)
        };
        let list = |items: &[Condition], word: &str, none: &str| {
            let items: Vec<_> = items
                .iter()
                .map(|item| item.sql(access, exposed, row, depth))
                .collect();
            if items.is_empty() {
                none.to_owned()
            } else {
                format!("({})", items.join(word))
            }
        };
        match self {
            Condition::All(items) => list(items, " AND ", "true"),
            Condition::Any(items) => list(items, " OR ", "false"),
            Condition::Not(item) => format!("NOT {}", item.sql(access, exposed, row, depth)),
            Condition::Compare {
                column: of,
                operator,
                value,
                ..
            } => {
                format!("({} {} {})", column(of), operator.1, typed(of, value))
            }
            Condition::Among { is, values, .. } if values.is_empty() => (!is).to_string(),
            Condition::Among {
                column: of,
                is,
                values,
                ..
            } => {
                let values: Vec<_> = values.iter().map(|value| typed(of, value)).collect();
                format!(
                    "({} {} ({}))",
                    column(of),
                    if *is { "IN" } else { "NOT IN" },
                    values.join(", ")
                )
            }
            Condition::Null { column: of, is, .. } => {
                format!("({} IS {}NULL)", column(of), if *is { "" } else { "NOT " })
            }
            Condition::Related {
                relation,
                condition,
            } => {
                let there = exposed
                    .relation(relation)
                    .and_then(|r| Some((r, access.model().exposed(r.to)?)));
                there.map_or("false".into(), |(relation, there)| {
                    related(access, exposed, relation, there, condition, row, depth)
                })
            }
        }
    }
}

/// The keywords of conditions in snake case.
const WORDS: [&str; 19] = [
    "_and",
    "_or",
    "_not",
    "_eq",
    "_neq",
    "_gt",
    "_gte",
    "_lt",
    "_lte",
    "_like",
    "_nlike",
    "_ilike",
    "_similar",
    "_regex",
    "_contains",
    "_contained_in",
    "_in",
    "_nin",
    "_is_null",
];

/// `EXISTS (SELECT FROM (SELECT * FROM t WHERE rule) r1 WHERE r1.a = t.b AND condition)`
fn related(
    access: &Access,
    exposed: &ExposedTable,
    relation: &Relation,
    there: &ExposedTable,
    condition: &Condition,
    row: &str,
    depth: usize,
) -> String {
    let here = access.model().table(exposed.table);
    let table = access.model().table(there.table);
    let rule = access
        .select(there.table)
        .map_or("false".into(), |select| native(&select.rows));
    let alias = format!("r{depth}");
    let pair = |(from, to): &(ColumnId, ColumnId)| {
        format!(
            "{alias}.{} = {row}.{}",
            quoted(&table.column(*to).name),
            quoted(&here.column(*from).name)
        )
    };
    let on = relation
        .on
        .iter()
        .map(pair)
        .collect::<Vec<_>>()
        .join(" AND ");
    let condition = condition.sql(access, there, &alias, depth + 1);
    let from = format!("{}.{}", quoted(&table.schema), quoted(&table.name));
    format!(
        "EXISTS (SELECT FROM (SELECT * FROM {from} WHERE {rule}) {alias} WHERE {on} AND \
             {condition})"
    )
}

/// Whether the relation is deterministic: a manual relation may match several rows and return any
/// of them, and rows that the role may not read do not exist for it.
fn is_sure(access: &Access, relation: &Relation) -> bool {
    access.select(relation.to).is_some()
        && !matches!(relation.kind, RelationKind::Object { unique: false, .. })
}

fn pattern(choices: &mut Choices<'_>) -> Value {
    let text = choices
        .pick(&["%i%", "d", "_i_", "[a-m]%", "%"])
        .copied()
        .unwrap_or_default();
    Value {
        json: json!(text),
        text: Some(text.to_owned()),
    }
}
