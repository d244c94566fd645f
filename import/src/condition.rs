//! Translates boolean expressions of the metadata to SQL conditions on a row.
//!
//! A relationship becomes `EXISTS`. Columns of the rule's own table are unqualified outside
//! subqueries and qualified with the table's name inside them; every other table has an alias.

use serde_json::{Map, Value};
use sql::postgres::catalog::{Catalog, Function, TableId};

use crate::expression::{Condition, Expression};
use crate::names::{self, Name, from, ident};
use crate::operators::{self, COLUMNS, Operand};
use crate::relationship::Relationship;
use crate::tables::{Computed, Tables};
use crate::value::{Kind, prefix};

/// Translates conditions on the rows of one table.
pub(crate) struct Conditions<'t> {
    pub(crate) catalog: &'t Catalog,
    pub(crate) tables: &'t Tables<'t>,
    pub(crate) root: TableId,
}

/// The table that names in an expression refer to.
#[derive(Clone, Debug)]
struct Scope {
    table: TableId,
    /// The table's alias; `None` for the rule's own table.
    alias: Option<String>,
    /// The aliases of the enclosing tables, innermost last.
    around: Vec<String>,
}

/// A condition, or the reason why it cannot be translated.
type ConditionResult<T = Condition> = Result<T, String>;

impl Conditions<'_> {
    /// Translates an expression of the metadata.
    pub(crate) fn make(&self, expression: &Value) -> ConditionResult {
        self.expression(
            expression,
            &Scope {
                table: self.root,
                alias: None,
                around: vec![],
            },
        )
    }

    fn expression(&self, expression: &Value, scope: &Scope) -> ConditionResult {
        let Value::Object(fields) = expression else {
            return Err("a condition is not an object".to_owned());
        };
        let parts = fields.iter().map(|(key, value)| {
            self.part(key, value, scope).map_err(|why| {
                if why.starts_with('`') {
                    why
                } else {
                    format!("`{key}`: {why}")
                }
            })
        });
        Ok(Condition::all(parts.collect::<ConditionResult<Vec<_>>>()?))
    }

    fn part(&self, key: &str, value: &Value, scope: &Scope) -> ConditionResult {
        match operators::word(key).as_str() {
            "_and" => Ok(Condition::all(self.each(value, scope)?)),
            "_or" => Ok(Condition::any(self.each(value, scope)?)),
            "_not" => Ok(self.expression(value, scope)?.negated()),
            "_exists" => self.exists(value, scope),
            _ => self.field(key, value, scope),
        }
    }

    fn each(&self, value: &Value, scope: &Scope) -> ConditionResult<Vec<Condition>> {
        match value {
            Value::Array(items) => items
                .iter()
                .map(|item| self.expression(item, scope))
                .collect(),
            one => Ok(vec![self.expression(one, scope)?]),
        }
    }

    /// Translates `{"_table": …, "_where": {…}}`.
    fn exists(&self, value: &Value, scope: &Scope) -> ConditionResult {
        let Value::Object(fields) = value else {
            return Err("`_exists` takes an object".to_owned());
        };
        let field = |name: &str| {
            fields
                .iter()
                .find(|(key, _)| operators::word(key) == name)
                .map(|(_, value)| value)
        };
        if fields
            .keys()
            .any(|key| !["_table", "_where"].contains(&operators::word(key).as_str()))
        {
            return Err("`_exists` takes `_table` and `_where`".to_owned());
        }
        let name = field("_table")
            .and_then(Name::read)
            .ok_or("`_exists` names no table")?;
        let table = name
            .find(self.catalog)
            .ok_or_else(|| format!("there is no table `{}`", name.key()))?;
        let (from, inner) = self.opened(table, scope);
        let condition = field("_where").map_or(Ok(Condition::Always(true)), |value| {
            self.expression(value, &inner)
        })?;
        let exists = Condition::Exists {
            from,
            on: vec![],
            inner: Box::new(condition),
        };
        // The permission compiler refuses a condition that depends neither on the row nor on the
        // session, unless it is a rule marked as constant.
        let around: Vec<String> = scope
            .around
            .iter()
            .chain([&self.catalog.table(self.root).name])
            .cloned()
            .collect();
        match exists.clone().expression().without(&around) {
            Some(sql) => Ok(Condition::Test(Expression::constant(sql))),
            None => Ok(exists),
        }
    }

    fn field(&self, key: &str, value: &Value, scope: &Scope) -> ConditionResult {
        let table = self.catalog.table(scope.table);
        if let Some(column) = table.find(key) {
            let operand = Operand {
                sql: self.column(key, scope),
                r#type: table.column(column).r#type,
            };
            return self.tests(&operand, value, scope);
        }
        if let Some(relationship) = self.tables.relationship(scope.table, key) {
            return self.related(relationship, value, scope);
        }
        if let Some(computed) = self.tables.computed(scope.table, key) {
            return self.computed(computed, value, scope);
        }
        let of_array = key
            .strip_suffix("_aggregate")
            .and_then(|name| self.tables.relationship(scope.table, name));
        match of_array.filter(|relationship| relationship.array) {
            Some(relationship) => self.aggregates(relationship, value, scope),
            None => Err("there is no such column, relationship or computed field".to_owned()),
        }
    }

    /// Translates `{"_gt": 1, "_lt": 3}`, or a bare value, which means equality.
    fn tests(&self, operand: &Operand, value: &Value, scope: &Scope) -> ConditionResult {
        let Value::Object(fields) = value else {
            return operators::test(self.catalog, operand, "_eq", value);
        };
        let tests = fields
            .iter()
            .map(|(key, value)| self.test(operand, &operators::word(key), value, scope));
        Ok(Condition::all(tests.collect::<ConditionResult<Vec<_>>>()?))
    }

    fn test(&self, operand: &Operand, word: &str, value: &Value, scope: &Scope) -> ConditionResult {
        if let Some((_, operator)) = COLUMNS.iter().find(|(known, _)| *known == word) {
            let other = self.other_column(value, scope)?;
            if other == operand.sql {
                // A value equals itself and is not greater. CASE without ELSE keeps null null, also
                // under NOT.
                let always = matches!(*operator, "=" | ">=" | "<=");
                let test = Expression::sql("CASE WHEN ")
                    .and(other)
                    .then(&format!(" IS NOT NULL THEN {always} END"));
                return Ok(Condition::Test(test));
            }
            return Ok(Condition::Test(
                operand
                    .sql
                    .clone()
                    .then(&format!(" {operator} "))
                    .and(other),
            ));
        }
        if word != "_cast" {
            return operators::test(self.catalog, operand, word, value);
        }
        let Value::Object(casts) = value else {
            return Err("`_cast` takes an object".to_owned());
        };
        let tests = casts
            .iter()
            .map(|(to, value)| self.tests(&self.cast(operand, to)?, value, scope));
        Ok(Condition::all(tests.collect::<ConditionResult<Vec<_>>>()?))
    }

    /// Reads the right-hand column: of this table, or `["$", "c"]` for one of the rule's own table.
    fn other_column(&self, value: &Value, scope: &Scope) -> ConditionResult<Expression> {
        let root = Scope {
            table: self.root,
            alias: None,
            around: scope.around.clone(),
        };
        let path: Vec<&str> = match value {
            Value::String(column) => vec![column],
            Value::Array(path) => path.iter().filter_map(Value::as_str).collect(),
            _ => vec![],
        };
        let (scope, column) = match path.as_slice() {
            ["$", column] => (&root, *column),
            [column] => (scope, *column),
            _ => return Err("a column is a name, or `[\"$\", name]`".to_owned()),
        };
        let table = self.catalog.table(scope.table);
        match table.find(column) {
            Some(_) => Ok(self.column(column, scope)),
            None => Err(format!("there is no column `{column}` in `{}`", table.name)),
        }
    }

    fn cast(&self, operand: &Operand, to: &str) -> ConditionResult<Operand> {
        let base = self.catalog.base_type(operand.r#type);
        let of_extension = |name: &str| {
            let schema = base.map(|base| base.schema.as_str());
            self.catalog
                .types
                .iter()
                .find(|found| found.name == name && Some(found.schema.as_str()) == schema)
        };
        let kind = Kind::from_oid(self.catalog, operand.r#type);
        let (r#type, name) = match (kind, to) {
            (Kind::Jsonb | Kind::Json, "String" | "text") => {
                (crate::session::TEXT, "text".to_owned())
            }
            (Kind::Geometry | Kind::Geography, "geometry" | "geography") => {
                let found = of_extension(to).ok_or_else(|| {
                    format!("no column has the type `{to}`, which is needed for the cast")
                })?;
                (found.oid, format!("{}{to}", prefix(self.catalog, found)))
            }
            _ => return Err(format!("the cast to `{to}` is not known")),
        };
        Ok(Operand {
            sql: operand.sql.clone().then(&format!("::{name}")),
            r#type,
        })
    }

    /// Translates a relationship: `EXISTS (SELECT FROM articles WHERE articles.author_id =
    /// authors.id AND …)`.
    fn related(
        &self,
        relationship: &Relationship,
        value: &Value,
        scope: &Scope,
    ) -> ConditionResult {
        let (from, inner) = self.opened(relationship.to, scope);
        let on = self.joined(relationship, scope, &inner);
        Ok(Condition::Exists {
            from,
            on,
            inner: Box::new(self.expression(value, &inner)?),
        })
    }

    fn joined(&self, relationship: &Relationship, outer: &Scope, inner: &Scope) -> Vec<String> {
        let pair = |(own, theirs): &(String, String)| {
            let outer = Scope {
                around: inner.around.clone(),
                ..outer.clone()
            };
            format!(
                "{} = {}",
                self.column_text(theirs, inner),
                self.column_text(own, &outer)
            )
        };
        relationship.on.iter().map(pair).collect()
    }

    /// Adds a table in FROM with an alias that is distinct from those of the enclosing tables.
    fn opened(&self, table: TableId, scope: &Scope) -> (String, Scope) {
        let from = from(self.catalog, table);
        let name = self.catalog.table(table).name.clone();
        let alias = self.free(&name, scope);
        let written = if alias == name {
            from
        } else {
            format!("{from} AS {}", ident(&alias))
        };
        (written, self.inside(table, alias, scope))
    }

    fn inside(&self, table: TableId, alias: String, scope: &Scope) -> Scope {
        let mut around = scope.around.clone();
        around.push(alias.clone());
        Scope {
            table,
            alias: Some(alias),
            around,
        }
    }

    fn free(&self, name: &str, scope: &Scope) -> String {
        let root = &self.catalog.table(self.root).name;
        let taken =
            |alias: &String| alias == root || alias == "session" || scope.around.contains(alias);
        let numbered = (2..).map(|number| format!("{name}_{number}"));
        std::iter::once(name.to_owned())
            .chain(numbered)
            .find(|alias| !taken(alias))
            .unwrap_or_default()
    }

    fn column(&self, column: &str, scope: &Scope) -> Expression {
        Expression::sql(self.column_text(column, scope))
    }

    fn column_text(&self, column: &str, scope: &Scope) -> String {
        let qualified = |table: &str| format!("{}.{}", ident(table), ident(column));
        match &scope.alias {
            Some(alias) => qualified(alias),
            None if scope.around.is_empty() => ident(column),
            None => qualified(&self.catalog.table(scope.table).name),
        }
    }

    fn computed(&self, computed: &Computed, value: &Value, scope: &Scope) -> ConditionResult {
        let function = computed.function(self.catalog)?;
        if computed.session.is_some() {
            return Err("it takes the whole session, which is not available in rules".to_owned());
        }
        let call = self.call(computed, function, scope)?;
        let Some(table) = names::returned(self.catalog, function) else {
            return self.tests(
                &Operand {
                    sql: call,
                    r#type: function.result,
                },
                value,
                scope,
            );
        };
        let alias = self.free(&self.catalog.table(table).name, scope);
        let inner = self.inside(table, alias.clone(), scope);
        let call = call.then(&format!(" AS {}", ident(&alias)));
        let condition = self.expression(value, &inner)?;
        let test = Expression::sql("EXISTS (SELECT FROM ").and(call);
        Ok(Condition::Test(match condition {
            Condition::Always(true) => test.then(")"),
            condition => test.then(" WHERE ").and(condition.expression()).then(")"),
        }))
    }

    /// Writes the function call of a computed field: `full_name(users)`.
    fn call(
        &self,
        computed: &Computed,
        function: &Function,
        scope: &Scope,
    ) -> ConditionResult<Expression> {
        let index = computed
            .row_argument(function)
            .ok_or("the function does not take the row")?;
        let others = function
            .arguments
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != index);
        if others.clone().any(|(_, argument)| !argument.default) {
            return Err("the function takes more than the row".to_owned());
        }
        let name = if self.catalog.search_path.contains(&function.schema) {
            ident(&function.name)
        } else {
            format!("{}.{}", ident(&function.schema), ident(&function.name))
        };
        let row = self.row(scope);
        let named = function
            .arguments
            .get(index)
            .and_then(|argument| argument.name.as_deref());
        let argument = match (index, named) {
            (0, _) => row,
            (_, Some(named)) => format!("{} => {row}", ident(named)),
            _ => return Err("the row is not the function's first argument".to_owned()),
        };
        Ok(Expression::call(&name, vec![Expression::sql(argument)]))
    }

    /// Writes the whole row: `users`, and `ROW(id, name)::users` for the rule's own table.
    fn row(&self, scope: &Scope) -> String {
        let table = self.catalog.table(scope.table);
        match &scope.alias {
            Some(alias) if table.find(alias).is_none() => ident(alias),
            _ => {
                let columns: Vec<String> = table
                    .columns
                    .iter()
                    .map(|column| self.column_text(&column.name, scope))
                    .collect();
                format!(
                    "ROW({})::{}",
                    columns.join(", "),
                    from(self.catalog, scope.table)
                )
            }
        }
    }

    /// Translates `{"count": {"predicate": {"_gt": 1}, "filter": {…}}}`.
    fn aggregates(
        &self,
        relationship: &Relationship,
        value: &Value,
        scope: &Scope,
    ) -> ConditionResult {
        let Value::Object(fields) = value else {
            return Err("an aggregate condition is not an object".to_owned());
        };
        let conditions = fields.iter().map(|(function, value)| match value {
            Value::Object(fields) => self.aggregate(relationship, function, fields, scope),
            _ => Err(format!("`{function}` takes an object")),
        });
        Ok(Condition::all(
            conditions.collect::<ConditionResult<Vec<_>>>()?,
        ))
    }

    fn aggregate(
        &self,
        over: &Relationship,
        function: &str,
        fields: &Map<String, Value>,
        scope: &Scope,
    ) -> ConditionResult {
        const KNOWN: [&str; 4] = ["arguments", "distinct", "filter", "predicate"];
        if let Some(key) = fields.keys().find(|key| !KNOWN.contains(&key.as_str())) {
            return Err(format!("the key `{key}` is not known here"));
        }
        let (from, inner) = self.opened(over.to, scope);
        let on = self.joined(over, scope, &inner);
        let on = on
            .into_iter()
            .map(|on| Condition::Test(Expression::sql(on)));
        let filter = fields
            .get("filter")
            .map_or(Ok(Condition::Always(true)), |value| {
                self.expression(value, &inner)
            })?;
        let condition = match filter {
            // The join condition stays, or the subquery would depend on no row.
            Condition::Always(false) => {
                Condition::And(on.chain([Condition::Always(false)]).collect())
            }
            filter => Condition::all(on.chain([filter])),
        };
        let condition = condition.expression();
        let (call, r#type) = self.aggregate_call(function, fields, &inner)?;
        let subquery = Expression::sql(format!("(SELECT {call} FROM {from} WHERE "))
            .and(condition)
            .then(")");
        let predicate = fields
            .get("predicate")
            .ok_or("the key `predicate` is missing")?;
        self.tests(
            &Operand {
                sql: subquery,
                r#type,
            },
            predicate,
            scope,
        )
    }

    fn aggregate_call(
        &self,
        function: &str,
        fields: &Map<String, Value>,
        inner: &Scope,
    ) -> ConditionResult<(String, u32)> {
        const INT8: u32 = 20;
        const BOOL: u32 = 16;
        const NUMERIC: u32 = 1700;
        let names: Vec<&str> = match fields.get("arguments") {
            Some(Value::String(one)) => vec![one],
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
            _ => vec![],
        };
        let table = self.catalog.table(inner.table);
        if let Some(name) = names.iter().find(|name| table.find(name).is_none()) {
            return Err(format!("there is no column `{name}` in `{}`", table.name));
        }
        let columns: Vec<String> = names
            .iter()
            .map(|name| self.column_text(name, inner))
            .collect();
        let distinct = if fields.get("distinct").and_then(Value::as_bool) == Some(true) {
            "DISTINCT "
        } else {
            ""
        };
        let r#type = match function {
            "count" => INT8,
            "bool_and" | "bool_or" => BOOL,
            "max" | "min" => names
                .first()
                .and_then(|name| table.find(name))
                .map_or(NUMERIC, |id| table.column(id).r#type),
            "avg" | "sum" | "corr" | "covar_samp" | "stddev_samp" | "var_samp" => NUMERIC,
            _ => return Err(format!("the aggregate `{function}` is not known")),
        };
        let list = match columns.as_slice() {
            [] if function == "count" && distinct.is_empty() => "*".to_owned(),
            [] => return Err(format!("`{function}` names no column")),
            [only] => only.clone(),
            several => match function {
                "count" => format!("({})", several.join(", ")),
                _ => several.join(", "),
            },
        };
        Ok((format!("{function}({distinct}{list})"), r#type))
    }
}
