//! Finds in a plan the columns by which each scan selects its rows, as far as they are compared
//! with parameters of the query: then a changed row can only touch the subscribers whose parameter
//! equals a value of the row.
//!
//! ```text
//! Index Scan on users _0      Index Cond: (_0.id = $1001)        users.id is $1
//!   SubPlan
//!     Seq Scan on posts _1    Filter: (_1.user_id = _0.id)       posts.user_id is $1 as well
//! ```
//!
//! The conditions of a scan are connected by AND, so a row that fails one of them is not used,
//! whatever else the plan does with the rows. An equality of a join holds for the rows below it
//! that cannot reach the result without it. `$1` is also how Postgres writes values that one part
//! of a plan passes to another, so the parameters of the query have higher numbers in a plan that
//! is read here.

use std::collections::HashMap;

use serde_json::Value;

use super::key_type::KeyType;

/// The number of the parameter before the first one of the query.
pub(super) const BEFORE_PARAMETERS: usize = 1000;

/// A scan of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Scan<'p> {
    /// The schema and the name of the table.
    pub(super) table: (&'p str, &'p str),
    alias: &'p str,
    /// The columns that equal something, by their names.
    equalities: Vec<(&'p str, Operand<'p>)>,
    /// Whether the alias stands for rows of other scans too: of the other parts of an `Append`.
    is_member: bool,
}

/// What a column equals, as it is written in the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operand<'p> {
    One(&'p str),
    /// One of the rows of a part of the plan that runs first.
    AnyOf(&'p str),
}

/// What a column equals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Term<'p> {
    /// A column of a scan, by alias and name.
    Column(&'p str, &'p str),
    /// A parameter by its index, and the type that it is cast to.
    Parameter(usize, Option<KeyType>),
}

/// A column of a scan that equals a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ScanKey<'p> {
    /// The name of the column.
    pub(super) column: &'p str,
    /// The index of the parameter.
    pub(super) position: usize,
    /// The type of the column.
    pub(super) key_type: KeyType,
}

/// The scans of a plan, and the parts to which their conditions refer.
#[derive(Debug, Default)]
pub(super) struct Scans<'p> {
    pub(super) scans: Vec<Scan<'p>>,
    /// The output columns of each `WITH` query; none if there are several of this name.
    with_queries: HashMap<&'p str, Option<&'p Value>>,
    /// The `WITH` query that an alias reads.
    with_aliases: HashMap<&'p str, &'p str>,
    /// The output columns of the parts that run first, by what stands for them: `$2`, or from
    /// version 17 on `InitPlan 2`.
    init_plans: HashMap<&'p str, &'p Value>,
}

/// The conditions of a scan.
const SCAN_CONDITIONS: [&str; 4] = ["Index Cond", "Filter", "Recheck Cond", "TID Cond"];

/// The conditions of a join.
const JOIN_CONDITIONS: [&str; 3] = ["Hash Cond", "Merge Cond", "Join Filter"];

/// The nodes that return rows of the node below them, neither choosing nor counting them.
const TRANSPARENT: [&str; 6] = [
    "Hash",
    "Sort",
    "Incremental Sort",
    "Materialize",
    "Memoize",
    "Gather",
];

/// How many parts of the plan may be between a column and what it equals.
const MAX_PLAN_DEPTH: usize = 16;

impl Scan<'_> {
    /// Whether a column is compared with a parameter, of whatever type.
    pub(super) fn compares_parameters(&self, scans: &Scans<'_>) -> bool {
        self.equalities
            .iter()
            .any(|(_, operand)| matches!(scans.resolve(*operand), Some(Term::Parameter(..))))
    }
}

impl<'p> Scans<'p> {
    /// Reads the output of `EXPLAIN (VERBOSE, FORMAT JSON)`.
    pub(super) fn new(plan: &'p Value) -> Scans<'p> {
        let mut scans = Scans::default();
        if let Some(plan) = plan.get(0).and_then(|plan| plan.get("Plan")) {
            scans.collect(plan, &[], false);
        }
        scans
    }

    /// Collects the scans of a node and of those below it. `inherited` are the conditions of joins
    /// above it, without which no row of the node is used.
    fn collect(&mut self, node: &'p Value, inherited: &[&'p str], is_member: bool) {
        let text = |key: &str| node.get(key).and_then(Value::as_str);
        let kind = text("Node Type").unwrap_or_default();
        if let (Some(schema), Some(name), Some(alias)) =
            (text("Schema"), text("Relation Name"), text("Alias"))
        {
            let mut scan = Scan {
                table: (schema, name),
                alias,
                is_member,
                ..Scan::default()
            };
            for condition in SCAN_CONDITIONS
                .iter()
                .filter_map(|key| text(key))
                .chain(inherited.iter().copied())
            {
                conjuncts(condition, &mut |part| {
                    scan.equalities.extend(equality(alias, part));
                });
            }
            self.scans.push(scan);
        }
        if let (Some(name), Some(alias), false) = (text("CTE Name"), text("Alias"), is_member) {
            self.with_aliases.insert(alias, name);
        }
        if let (Some(name), Some(output)) = (text("Subplan Name"), node.get("Output")) {
            if let Some(name) = name.strip_prefix("CTE ") {
                self.with_queries
                    .entry(name)
                    .and_modify(|known| *known = None)
                    .or_insert(Some(output));
            } else {
                // `InitPlan 2 (returns $2)`
                let returned = name
                    .split_once(" (returns ")
                    .map(|(_, returned)| returned.trim_end_matches(')'));
                self.init_plans.insert(returned.unwrap_or(name), output);
            }
        }
        let own: Vec<&str> = JOIN_CONDITIONS.iter().filter_map(|key| text(key)).collect();
        let both: Vec<&str> = inherited.iter().chain(&own).copied().collect();
        let of_join = |relationship: &str| match (text("Join Type"), relationship) {
            (Some("Inner" | "Semi"), "Outer" | "Inner") => &both[..],
            // Rows of the other side are used without a match, too.
            (Some("Left" | "Anti"), "Inner") | (Some("Right"), "Outer") => &own[..],
            (Some("Left" | "Anti"), "Outer") | (Some("Right"), "Inner") => inherited,
            _ => &[],
        };
        for below in node
            .get("Plans")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            let relationship = below
                .get("Parent Relationship")
                .and_then(Value::as_str)
                .unwrap_or_default();
            let is_apart = matches!(relationship, "InitPlan" | "SubPlan");
            let passed = match kind {
                "Nested Loop" | "Hash Join" | "Merge Join" => of_join(relationship),
                kind if TRANSPARENT.contains(&kind) && relationship == "Outer" => inherited,
                _ => &[],
            };
            let is_part = matches!(
                kind,
                "Append" | "Merge Append" | "Recursive Union" | "SetOp"
            );
            self.collect(below, passed, !is_apart && (is_member || is_part));
        }
    }

    /// What an operand stands for, if it is a column of a scan or a parameter.
    fn resolve(&self, operand: Operand<'p>) -> Option<Term<'p>> {
        match operand {
            Operand::One(text) => self.term(text, MAX_PLAN_DEPTH),
            Operand::AnyOf(text) => self.term(self.init_plan(text)?, MAX_PLAN_DEPTH),
        }
    }

    fn term(&self, text: &'p str, depth: usize) -> Option<Term<'p>> {
        let depth = depth.checked_sub(1)?;
        let text = unwrapped(text);
        if let Some(output) = self.init_plan(text) {
            return self.term(output, depth);
        }
        let (inner, cast) = match split_at_top(text, "::") {
            Some((inner, cast)) => (unwrapped(inner), Some(KeyType::from_cast(cast)?)),
            None => (text, None),
        };
        if let Some(number) = inner.strip_prefix('$') {
            let index = number
                .parse::<usize>()
                .ok()?
                .checked_sub(BEFORE_PARAMETERS + 1)?;
            return Some(Term::Parameter(index, cast));
        }
        let (alias, column) = column(inner)?;
        match self.with_aliases.get(alias) {
            // Postern names the columns of its `WITH` queries by their places: `_0 (c0, c1)`.
            Some(query) if cast.is_none() && query.starts_with('_') => {
                let position: usize = column.strip_prefix('c')?.parse().ok()?;
                self.term(
                    self.with_queries
                        .get(query)?
                        .as_ref()?
                        .get(position)?
                        .as_str()?,
                    depth,
                )
            }
            Some(_) => None,
            // The only type with a cast that keeps the text is `varchar`.
            None => cast
                .is_none_or(|cast| cast == KeyType::Text)
                .then_some(Term::Column(alias, column)),
        }
    }

    /// The output of a part of the plan that runs first.
    fn init_plan(&self, text: &str) -> Option<&'p str> {
        let name = match text.strip_prefix('(').and_then(|text| text.split_once(')')) {
            Some((name, ".col1")) => name,
            _ => text,
        };
        self.init_plans.get(name)?.get(0)?.as_str()
    }

    /// The compared columns of each scan, whose types have to be known.
    pub(super) fn columns(&self) -> impl Iterator<Item = (usize, &'p str)> {
        let of = |(at, scan): (usize, &Scan<'p>)| {
            scan.equalities
                .iter()
                .map(|(column, _)| (at, *column))
                .collect()
        };
        self.scans
            .iter()
            .enumerate()
            .flat_map(move |scan| -> Vec<_> { of(scan) })
    }

    /// For each scan, its columns that equal a parameter, with the indexes of these. `types` has
    /// the type of each column of a scan that has such a type, and `parameter_types` those of the
    /// parameters. A parameter of another type is cast by Postgres, so its own text need not be the
    /// one that the column has to equal (`$1::numeric::text` is `1` for `01`), except that a cast
    /// from text reads the text as the type does.
    pub(super) fn keys(
        &self,
        types: &HashMap<(usize, &'p str), KeyType>,
        parameter_types: &[Option<KeyType>],
    ) -> Vec<Vec<ScanKey<'p>>> {
        let mut keys: Vec<Vec<ScanKey<'p>>> = vec![Vec::new(); self.scans.len()];
        let by_alias: HashMap<&str, usize> = self
            .scans
            .iter()
            .enumerate()
            .map(|(at, scan)| (scan.alias, at))
            .collect();
        loop {
            let mut found = Vec::new();
            for (at, scan) in self.scans.iter().enumerate() {
                for (column, operand) in &scan.equalities {
                    let Some(key_type) = types.get(&(at, *column)).copied() else {
                        continue;
                    };
                    let places: Vec<usize> = match self.resolve(*operand) {
                        Some(Term::Parameter(index, cast)) => {
                            let is_key = match parameter_types.get(index).copied().flatten() {
                                Some(known) if known == key_type => {
                                    cast.is_none_or(|cast| cast == key_type)
                                }
                                Some(KeyType::Text) => cast == Some(key_type),
                                _ => false,
                            };
                            is_key.then_some(index).into_iter().collect()
                        }
                        Some(Term::Column(alias, other)) => {
                            let source = by_alias
                                .get(alias)
                                .filter(|source| !self.scans[**source].is_member);
                            let equal = source.into_iter().flat_map(|source| &keys[*source]);
                            let equal =
                                equal.filter(|key| key.column == other && key.key_type == key_type);
                            equal.map(|key| key.position).collect()
                        }
                        None => continue,
                    };
                    found.extend(places.into_iter().map(|position| {
                        (
                            at,
                            ScanKey {
                                column,
                                position,
                                key_type,
                            },
                        )
                    }));
                }
            }
            let before: usize = keys.iter().map(Vec::len).sum();
            for (at, key) in found {
                if !keys[at].contains(&key) {
                    keys[at].push(key);
                }
            }
            // Each round follows one more column to another; there are finitely many.
            if keys.iter().map(Vec::len).sum::<usize>() == before {
                return keys;
            }
        }
    }
}

/// The text of a statement whose parameters have numbers after [`BEFORE_PARAMETERS`].
pub(super) fn with_high_parameters(statement: &str) -> String {
    map_parameters(statement, |number| {
        Some(format!("${}", number + BEFORE_PARAMETERS))
    })
}

/// The text of a statement in which other text stands for parameters, by their numbers from 1.
pub(super) fn map_parameters(
    statement: &str,
    replacement: impl Fn(usize) -> Option<String>,
) -> String {
    let mut text = String::with_capacity(statement.len() + 64);
    let mut copied = 0;
    for (at, character) in outside_of_quotes(statement) {
        let digits = statement[at..].strip_prefix('$').unwrap_or_default();
        let digits = &digits[..digits
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(digits.len())];
        if let ('$', Some(replacement)) = (character, digits.parse().ok().and_then(&replacement)) {
            text.push_str(&statement[copied..at]);
            text.push_str(&replacement);
            copied = at + 1 + digits.len();
        }
    }
    text + &statement[copied..]
}

/// The equality of a column of this alias with something else.
fn equality<'p>(alias: &str, condition: &'p str) -> Option<(&'p str, Operand<'p>)> {
    let (left, right) = split_at_top(unwrapped(condition), " = ")?;
    let own = |text: &'p str| {
        let text = unwrapped(text);
        let inner = match split_at_top(text, "::") {
            Some((inner, "text")) => unwrapped(inner),
            Some(_) => return None,
            None => text,
        };
        column(inner)
            .filter(|(of, _)| *of == alias)
            .map(|(_, column)| column)
    };
    match (own(left), right.strip_prefix("ANY ")) {
        (Some(column), Some(any)) => Some((column, Operand::AnyOf(unwrapped(any)))),
        (Some(column), None) => Some((column, Operand::One(right))),
        (None, _) => own(right).map(|column| (column, Operand::One(left))),
    }
}

/// The alias and the name of a column: `_0.id`.
fn column(text: &str) -> Option<(&str, &str)> {
    let (alias, rest) = name(text)?;
    let (column, rest) = name(rest.strip_prefix('.')?)?;
    rest.is_empty().then_some((alias, column))
}

/// Calls `each` with the parts of a condition that are connected by AND.
fn conjuncts<'p>(condition: &'p str, each: &mut impl FnMut(&'p str)) {
    let condition = unwrapped(condition);
    let mut rest = condition;
    let mut parts = Vec::new();
    while let Some((part, behind)) = split_at_top(rest, " AND ") {
        parts.push(part);
        rest = behind;
    }
    if parts.is_empty() {
        return each(condition);
    }
    parts.push(rest);
    parts.into_iter().for_each(|part| conjuncts(part, each));
}

/// The text without the parentheses around all of it.
fn unwrapped(mut text: &str) -> &str {
    while let Some(inner) = text
        .strip_prefix('(')
        .and_then(|text| text.strip_suffix(')'))
    {
        let mut depth = 0_usize;
        let closes_early = outside_of_quotes(inner).any(|(_, character)| match character {
            '(' => {
                depth += 1;
                false
            }
            ')' if depth == 0 => true,
            ')' => {
                depth -= 1;
                false
            }
            _ => false,
        });
        if closes_early {
            return text;
        }
        text = inner;
    }
    text
}

/// The parts before and behind a separator that is in no parentheses and no quotes.
fn split_at_top<'p>(text: &'p str, separator: &str) -> Option<(&'p str, &'p str)> {
    let mut depth = 0_usize;
    for (at, character) in outside_of_quotes(text) {
        match character {
            '(' => depth += 1,
            ')' => depth = depth.checked_sub(1)?,
            _ if depth == 0 && text[at..].starts_with(separator) => {
                return Some((&text[..at], &text[at + separator.len()..]));
            }
            _ => {}
        }
    }
    None
}

/// The characters that are in no quotes, with their positions. A doubled quote ends the quotes and
/// begins them again.
fn outside_of_quotes(text: &str) -> impl Iterator<Item = (usize, char)> {
    let mut quote = None;
    text.char_indices()
        .filter(move |(_, character)| match (quote, *character) {
            (None, '\'' | '"') => {
                quote = Some(*character);
                false
            }
            (Some(open), character) => {
                if open == character {
                    quote = None;
                }
                false
            }
            (None, _) => true,
        })
}

/// The name at the beginning of a text, as it is stored if the quotes are only around it, and the
/// text behind it.
fn name(text: &str) -> Option<(&str, &str)> {
    match text.strip_prefix('"') {
        Some(quoted) => {
            let (name, rest) = quoted.split_once('"')?;
            // Names that contain quotes are left out.
            (!rest.starts_with('"')).then_some((name, rest))
        }
        None => {
            let end = text
                .find(|c: char| !c.is_alphanumeric() && c != '_' && c != '$')
                .unwrap_or(text.len());
            (end > 0 && !text.starts_with(|c: char| c.is_ascii_digit())).then(|| text.split_at(end))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The keys of each scan of a plan, in which every column is an integer: `users.id=0`.
    fn keys(plan: &Value) -> Vec<String> {
        let plan = json!([{ "Plan": plan }]);
        let scans = Scans::new(&plan);
        let types = scans
            .columns()
            .map(|column| (column, KeyType::Integer))
            .collect();
        let types_of_parameters = [
            KeyType::Integer,
            KeyType::Integer,
            KeyType::Uuid,
            KeyType::Text,
        ]
        .map(Some);
        let shown = |(scan, keys): (&Scan<'_>, Vec<ScanKey<'_>>)| {
            let keys: Vec<String> = keys
                .iter()
                .map(|key| format!("{}={}", key.column, key.position))
                .collect();
            format!("{} {}", scan.table.1, keys.join(" "))
        };
        scans
            .scans
            .iter()
            .zip(scans.keys(&types, &types_of_parameters))
            .map(shown)
            .collect()
    }

    fn scan(table: &str, alias: &str, condition: &str) -> Value {
        json!({"Node Type": "Seq Scan", "Schema": "public", "Relation Name": table, "Alias": alias, "Filter": condition})
    }

    fn below(mut node: Value, relationship: &str) -> Value {
        node["Parent Relationship"] = relationship.into();
        node
    }

    #[test]
    fn equalities_with_parameters_are_keys_and_other_conditions_are_not() {
        for (condition, expected) in [
            ("(_0.id = $1001)", "t id=0"),
            ("($1002 = _0.id)", "t id=1"),
            (
                r#"((_0."Odd name" = $1001) AND (_0.id = ($1002)::integer) AND (_0.size > 3))"#,
                "t Odd name=0 id=1",
            ),
            ("((_0.id = $1001) OR (_0.size = 3))", "t "),
            ("((_0.id = $1001) IS NOT TRUE)", "t "),
            ("(NOT (_0.id = $1001))", "t "),
            ("(_0.id = ANY ($1001))", "t "),
            ("(_0.id = ($1001)::numeric)", "t "),
            ("(_0.id = ($1003)::integer)", "t "),
            ("(_0.id = $1003)", "t "),
            ("(_0.id = ($1004)::integer)", "t id=3"),
            ("(_0.id = $1004)", "t "),
            ("(_0.id = $1005)", "t "),
            ("(_0.id = ($1001)::text)", "t "),
            ("((_0.id + 1) = $1001)", "t "),
            ("((_0.id)::numeric = $1001)", "t "),
            ("(_0.id = $1)", "t "),
            ("(_1.id = $1001)", "t "),
            (
                "((_0.text = ' AND (x = '::text) AND (_0.id = $1001))",
                "t id=0",
            ),
            ("(_0.text = '(_0.id = $1001)'::text)", "t "),
            (r#"("_0"."a""b" = $1001)"#, "t "),
        ] {
            assert_eq!(keys(&scan("t", "_0", condition)), [expected], "{condition}");
        }
    }

    #[test]
    fn columns_that_equal_a_key_are_keys_too() {
        let inner = below(scan("posts", "_1", "(_1.user_id = _0.id)"), "SubPlan");
        let mut outer = scan("users", "_0", "(_0.id = $1001)");
        outer["Plans"] = json!([inner]);
        assert_eq!(keys(&outer), ["users id=0", "posts user_id=0"]);
        // The column of the first part of an `Append` is written for that of any part.
        let append = json!({"Node Type": "Append", "Plans": [below(outer, "Member")]});
        assert_eq!(keys(&append), ["users id=0", "posts "]);
    }

    #[test]
    fn keys_are_followed_through_parts_that_run_first() {
        let plan = |init_plan: &str, condition: &str| {
            let mut query = below(scan("users", "_1", "(_1.id = $1001)"), "InitPlan");
            query["Subplan Name"] = "CTE _0".into();
            query["Output"] = json!(["_1.name", "_1.id"]);
            let read = json!({"Node Type": "CTE Scan", "CTE Name": "_0", "Alias": "_0_1", "Parent \
                 Relationship": "Outer"});
            let init_plan = json!({"Node Type": "Limit", "Parent Relationship": "InitPlan", "Subplan \
                 Name": init_plan,
                "Output": ["_0_1.c1"], "Plans": [read]});
            let mut posts = below(scan("posts", "_3", condition), "Member");
            posts["Plans"] = json!([init_plan]);
            json!({"Node Type": "Append", "Plans": [query, posts]})
        };
        let expected = ["users id=0", "posts user_id=0"];
        assert_eq!(
            keys(&plan("InitPlan 2 (returns $2)", "(_3.user_id = ANY ($2))")),
            expected
        );
        assert_eq!(
            keys(&plan(
                "InitPlan 2",
                "(_3.user_id = ANY ((InitPlan 2).col1))"
            )),
            expected
        );
        assert_eq!(
            keys(&plan("InitPlan 2 (returns $2)", "(_3.user_id = ANY ($3))"))[1],
            "posts "
        );
        // Two `WITH` queries of one name cannot be told apart.
        let one = plan("InitPlan 2", "(_3.user_id = ANY ((InitPlan 2).col1))");
        let twice = json!({"Node Type": "Append", "Plans": [one, plan("InitPlan 3", "true")]});
        assert_eq!(keys(&twice)[1], "posts ");
        let mut fence = scan("t", "_0", "(_0.id = $0)");
        fence["Plans"] = json!([{"Node Type": "Result", "Parent Relationship": "InitPlan",
            "Subplan Name": "InitPlan 1 (returns $0)", "Output": ["$1001"]}]);
        assert_eq!(keys(&fence), ["t id=0"]);
    }

    #[test]
    fn conditions_of_joins_hold_for_rows_that_are_useless_without_them() {
        let join = |kind: &str| {
            let users = below(scan("users", "_0", "(_0.id = $1001)"), "Outer");
            let posts = scan("posts", "_1", "(_1.size > 3)");
            let hash = json!({"Node Type": "Hash", "Parent Relationship": "Inner", "Plans": [below(posts, "Outer")]});
            json!({"Node Type": "Hash Join", "Join Type": kind, "Hash Cond": "(_0.id = _1.user_id)",
                "Plans": [users, hash]})
        };
        for kind in ["Inner", "Semi", "Left", "Anti"] {
            assert_eq!(
                keys(&join(kind)),
                ["users id=0", "posts user_id=0"],
                "{kind}"
            );
        }
        for kind in ["Right", "Full", "Right Anti"] {
            assert_eq!(keys(&join(kind)), ["users id=0", "posts "], "{kind}");
        }
        let limit =
            json!({"Node Type": "Limit", "Plans": [below(scan("posts", "_1", "true"), "Outer")]});
        let join = json!({"Node Type": "Nested Loop", "Join Type": "Inner", "Join Filter": "(_1.id \
             = $1001)",
            "Plans": [below(limit, "Inner")]});
        assert_eq!(keys(&join), ["posts "]);
    }

    #[test]
    fn parameters_of_a_statement_are_renumbered() {
        let statement = r#"SELECT '$1', "$2" FROM t WHERE a = $1::int4 AND b = $12 AND c = '''$3'"#;
        let expected =
            r#"SELECT '$1', "$2" FROM t WHERE a = $1001::int4 AND b = $1012 AND c = '''$3'"#;
        assert_eq!(with_high_parameters(statement), expected);
    }
}
