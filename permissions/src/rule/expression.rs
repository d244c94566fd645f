//! Renders expressions of every supported kind; any other kind is a fault that names it.

use sql::postgres::types::quoted;
use sqlparser::ast::{
    AccessExpr, Array, BinaryOperator, CaseWhen, CastKind, CeilFloorKind, DataType, DateTimeField,
    DuplicateTreatment, Expr, ExtractSyntax, Function, FunctionArg, FunctionArgExpr,
    FunctionArgOperator, FunctionArgumentClause, FunctionArgumentList, FunctionArguments, Ident,
    Interval, ObjectName, ObjectNamePart, Spanned, Subscript, TypedString, UnaryOperator, Value,
    ValueWithSpan, WindowFrame, WindowFrameBound, WindowSpec, WindowType,
};
use sqlparser::tokenizer::Span;

use super::data_type;
use super::identifiers::{folded, name_of, plain_name};
use super::writer::Writer;
use crate::clock_literals::clock_word;

/// Functions that are called without parentheses.
const BARE: [&str; 11] = [
    "current_catalog",
    "current_date",
    "current_role",
    "current_schema",
    "current_time",
    "current_timestamp",
    "current_user",
    "localtime",
    "localtimestamp",
    "session_user",
    "user",
];

impl Writer<'_, '_, '_> {
    /// Renders an expression.
    pub(super) fn expression(&mut self, expression: &Expr) {
        self.judge_comparison(expression);
        self.term(expression, |writer| writer.any(expression));
    }

    fn any(&mut self, expression: &Expr) {
        match expression {
            Expr::Identifier(ident) => self.identifier(ident),
            Expr::CompoundIdentifier(idents) => self.compound(idents),
            Expr::CompoundFieldAccess { root, access_chain } => self.access(root, access_chain),
            Expr::Value(value) => self.value(value),
            Expr::Nested(inner) => self.around("(", inner, ")"),
            Expr::UnaryOp { op, expr } => self.unary(*op, expr),
            Expr::BinaryOp { left, op, right } => self.binary(left, op, right),
            Expr::IsFalse(inner) => self.around("", inner, " IS FALSE"),
            Expr::IsNotFalse(inner) => self.around("", inner, " IS NOT FALSE"),
            Expr::IsTrue(inner) => self.around("", inner, " IS TRUE"),
            Expr::IsNotTrue(inner) => self.around("", inner, " IS NOT TRUE"),
            Expr::IsNull(inner) => self.around("", inner, " IS NULL"),
            Expr::IsNotNull(inner) => self.around("", inner, " IS NOT NULL"),
            Expr::IsUnknown(inner) => self.around("", inner, " IS UNKNOWN"),
            Expr::IsNotUnknown(inner) => self.around("", inner, " IS NOT UNKNOWN"),
            Expr::IsDistinctFrom(left, right) => self.between(left, " IS DISTINCT FROM ", right),
            Expr::IsNotDistinctFrom(left, right) => {
                self.between(left, " IS NOT DISTINCT FROM ", right);
            }
            Expr::AtTimeZone {
                timestamp,
                time_zone,
            } => self.between(timestamp, " AT TIME ZONE ", time_zone),
            Expr::InList {
                expr,
                list,
                negated,
            } => {
                self.around("", expr, negated_word(*negated, " IN (", " NOT IN ("));
                self.expressions(list);
                self.sql(")");
            }
            Expr::InSubquery {
                expr,
                subquery,
                negated,
            } => {
                self.around("", expr, negated_word(*negated, " IN ", " NOT IN "));
                self.seek(expr);
                self.values_of(subquery);
            }
            Expr::Between {
                expr,
                negated,
                low,
                high,
            } => {
                self.around(
                    "",
                    expr,
                    negated_word(*negated, " BETWEEN ", " NOT BETWEEN "),
                );
                self.between(low, " AND ", high);
            }
            Expr::Like {
                negated,
                any,
                expr,
                pattern,
                escape_char,
            } => {
                let word = negated_word(*negated, " LIKE ", " NOT LIKE ");
                self.like(word, *any, expr, pattern, escape_char.as_deref());
            }
            Expr::ILike {
                negated,
                any,
                expr,
                pattern,
                escape_char,
            } => {
                let word = negated_word(*negated, " ILIKE ", " NOT ILIKE ");
                self.like(word, *any, expr, pattern, escape_char.as_deref());
            }
            Expr::SimilarTo {
                negated,
                expr,
                pattern,
                escape_char,
            } => {
                let word = negated_word(*negated, " SIMILAR TO ", " NOT SIMILAR TO ");
                self.like(word, false, expr, pattern, escape_char.as_deref());
            }
            Expr::AnyOp {
                left,
                compare_op,
                right,
                is_some,
            } => {
                self.quantified(
                    left,
                    compare_op,
                    if *is_some { "SOME" } else { "ANY" },
                    right,
                );
            }
            Expr::AllOp {
                left,
                compare_op,
                right,
            } => self.quantified(left, compare_op, "ALL", right),
            Expr::Exists { subquery, negated } => {
                self.sql(negated_word(*negated, "EXISTS ", "NOT EXISTS "));
                self.dependent(subquery, true, |writer| writer.subquery(subquery));
            }
            Expr::Subquery(query) => self.values_of(query),
            Expr::Tuple(items) => {
                self.no_whole_row(items);
                self.enclosed("(", items, ")");
            }
            Expr::Array(Array { elem, named }) => {
                self.enclosed(if *named { "ARRAY[" } else { "[" }, elem, "]");
            }
            Expr::Function(function) => self.function(function),
            Expr::Case {
                case_token: _,
                end_token: _,
                operand,
                conditions,
                else_result,
            } => {
                self.case(operand.as_deref(), conditions, else_result.as_deref());
            }
            other => self.special(other),
        }
    }

    /// Renders expressions with special syntax.
    fn special(&mut self, expression: &Expr) {
        match expression {
            Expr::Cast {
                kind,
                expr,
                data_type,
                format: None,
            } => self.cast(kind, expr, data_type),
            // As a cast, so that the check of the rule can put a parameter in place of the literal.
            Expr::TypedString(TypedString {
                data_type,
                value,
                uses_odbc_syntax: false,
            }) if clock_word(&value.to_string()).is_some() => {
                self.value(value);
                self.sql("::");
                self.data_type(data_type, value.span);
            }
            Expr::TypedString(TypedString {
                data_type,
                value,
                uses_odbc_syntax: false,
            }) => {
                self.data_type(data_type, value.span);
                self.sql(" ");
                self.value(value);
            }
            Expr::Interval(interval) => self.interval(interval),
            Expr::Collate { expr, collation } => {
                self.around("", expr, " COLLATE ");
                self.object_name(collation);
            }
            Expr::Extract {
                field,
                syntax: ExtractSyntax::From,
                expr,
            } => self.extract(field, expr),
            Expr::Ceil {
                expr,
                field: CeilFloorKind::DateTimeField(DateTimeField::NoDateTime),
            } => {
                self.around("ceil(", expr, ")");
            }
            Expr::Floor {
                expr,
                field: CeilFloorKind::DateTimeField(DateTimeField::NoDateTime),
            } => {
                self.around("floor(", expr, ")");
            }
            Expr::Position { expr, r#in } => {
                self.sql("position(");
                self.between(expr, " IN ", r#in);
                self.sql(")");
            }
            Expr::Substring {
                expr,
                substring_from,
                substring_for,
                special,
                shorthand,
            } => {
                let name = if *shorthand { "substr(" } else { "substring(" };
                let [from, length] = if *special {
                    [", ", ", "]
                } else {
                    [" FROM ", " FOR "]
                };
                self.around(name, expr, "");
                if let Some(start) = substring_from {
                    self.around(from, start, "");
                }
                if let Some(count) = substring_for {
                    self.around(length, count, "");
                }
                self.sql(")");
            }
            Expr::Trim {
                trim_where,
                trim_what,
                expr,
                trim_characters,
            } => {
                let side = trim_where
                    .as_ref()
                    .map_or_else(String::new, |side| format!("{side} "));
                self.sql(&format!("trim({side}"));
                if let Some(what) = trim_what {
                    self.around("", what, " FROM ");
                }
                self.expression(expr);
                for characters in trim_characters.iter().flatten() {
                    self.around(", ", characters, "");
                }
                self.sql(")");
            }
            Expr::Overlay {
                expr,
                overlay_what,
                overlay_from,
                overlay_for,
            } => {
                self.around("overlay(", expr, " PLACING ");
                self.between(overlay_what, " FROM ", overlay_from);
                if let Some(length) = overlay_for {
                    self.around(" FOR ", length, "");
                }
                self.sql(")");
            }
            Expr::IsNormalized {
                expr,
                form,
                negated,
            } => {
                let form = form
                    .as_ref()
                    .map_or_else(String::new, |form| format!("{form} "));
                self.around("", expr, negated_word(*negated, " IS ", " IS NOT "));
                self.sql(&format!("{form}NORMALIZED"));
            }
            other => self.refuse(
                &format!("`{}`", shortened(&other.to_string())),
                other.span(),
            ),
        }
    }

    /// Renders expressions separated by commas.
    pub(super) fn expressions(&mut self, items: &[Expr]) {
        self.list(items, |writer, item| writer.expression(item));
    }

    fn enclosed(&mut self, before: &str, items: &[Expr], after: &str) {
        self.sql(before);
        self.expressions(items);
        self.sql(after);
    }

    fn around(&mut self, before: &str, expression: &Expr, after: &str) {
        if !before.is_empty() {
            self.sql(before);
        }
        self.expression(expression);
        if !after.is_empty() {
            self.sql(after);
        }
    }

    fn between(&mut self, left: &Expr, word: &str, right: &Expr) {
        self.around("", left, word);
        self.expression(right);
    }

    fn unary(&mut self, op: UnaryOperator, inner: &Expr) {
        match op {
            UnaryOperator::BangNot
            | UnaryOperator::PGPostfixFactorial
            | UnaryOperator::PGPrefixFactorial => {
                self.refuse(&format!("the operator `{op}`"), inner.span());
            }
            // The space keeps `- -1` from becoming a comment.
            UnaryOperator::Minus | UnaryOperator::Plus if matches!(inner, Expr::Value(_)) => {
                self.around(&op.to_string(), inner, "");
            }
            _ => self.around(&format!("{op} "), inner, ""),
        }
    }

    fn binary(&mut self, left: &Expr, op: &BinaryOperator, right: &Expr) {
        self.expression(left);
        self.operator(op, right.span());
        self.expression(right);
    }

    fn operator(&mut self, op: &BinaryOperator, span: Span) {
        let not_of_postgres = matches!(
            op,
            BinaryOperator::Spaceship
                | BinaryOperator::Xor
                | BinaryOperator::DuckIntegerDivide
                | BinaryOperator::MyIntegerDivide
                | BinaryOperator::Match
                | BinaryOperator::Regexp
                | BinaryOperator::Glob
                | BinaryOperator::Assignment
        );
        let custom = match op {
            BinaryOperator::PGCustomBinaryOperator(parts) => {
                parts.iter().all(|part| is_plain(part))
            }
            BinaryOperator::Custom(name) => is_symbol(name),
            _ => true,
        };
        if not_of_postgres || !custom {
            return self.refuse(&format!("the operator `{op}`"), span);
        }
        self.sql(&format!(" {op} "));
    }

    fn like(
        &mut self,
        word: &str,
        any: bool,
        expression: &Expr,
        pattern: &Expr,
        escape: Option<&Expr>,
    ) {
        self.around("", expression, word);
        match (any, pattern) {
            (false, _) => self.expression(pattern),
            (true, Expr::Nested(_) | Expr::Tuple(_) | Expr::Subquery(_)) => {
                self.around("ANY ", pattern, "");
            }
            (true, _) => self.around("ANY (", pattern, ")"),
        }
        if let Some(escape) = escape {
            self.around(" ESCAPE ", escape, "");
        }
    }

    fn quantified(&mut self, left: &Expr, op: &BinaryOperator, word: &str, right: &Expr) {
        self.expression(left);
        self.operator(op, right.span());
        self.sql(word);
        match right {
            Expr::Subquery(query) => {
                self.seek(left);
                self.values_of(query);
            }
            _ => self.around("(", right, ")"),
        }
    }

    fn case(&mut self, operand: Option<&Expr>, conditions: &[CaseWhen], otherwise: Option<&Expr>) {
        self.sql("CASE");
        if let Some(operand) = operand {
            self.around(" ", operand, "");
        }
        for CaseWhen { condition, result } in conditions {
            self.around(" WHEN ", condition, " THEN ");
            self.expression(result);
        }
        if let Some(otherwise) = otherwise {
            self.around(" ELSE ", otherwise, "");
        }
        self.sql(" END");
    }

    fn cast(&mut self, kind: &CastKind, expression: &Expr, data_type: &DataType) {
        let span = expression.span();
        match kind {
            CastKind::DoubleColon => {
                self.around("", expression, "::");
                self.data_type(data_type, span);
            }
            CastKind::Cast => {
                self.around("CAST(", expression, " AS ");
                self.data_type(data_type, span);
                self.sql(")");
            }
            CastKind::TryCast | CastKind::SafeCast => self.refuse("a cast that may fail", span),
        }
    }

    /// Renders a type.
    pub(super) fn data_type(&mut self, data_type: &DataType, span: Span) {
        match data_type::written(data_type) {
            Some(text) => self.sql_at(&text, span),
            None => self.refuse(
                &format!("the type `{}`", shortened(&data_type.to_string())),
                span,
            ),
        }
    }

    /// Renders a literal. Strings have one form, which is independent of server settings.
    pub(super) fn value(&mut self, value: &ValueWithSpan) {
        let text = match &value.value {
            Value::Number(number, false) => number.clone(),
            Value::SingleQuotedString(text)
            | Value::EscapedStringLiteral(text)
            | Value::UnicodeStringLiteral(text)
            | Value::NationalStringLiteral(text) => literal(text),
            Value::DollarQuotedString(text) => literal(&text.value),
            Value::SingleQuotedByteStringLiteral(bits) => format!("B{}", literal(bits)),
            Value::HexStringLiteral(digits) => format!("X{}", literal(digits)),
            Value::Boolean(boolean) => boolean.to_string(),
            Value::Null => "NULL".to_owned(),
            Value::Placeholder(name) if self.is_statement() => {
                return self.parameter(name, value.span);
            }
            Value::Placeholder(name) => {
                let what = format!("the parameter `{name}`");
                return self.refuse(&what, value.span);
            }
            other => {
                let what = format!("the literal `{}`", shortened(&other.to_string()));
                return self.refuse(&what, value.span);
            }
        };
        if text.contains('\0') {
            return self.refuse("the character NUL", value.span);
        }
        self.sql_at(&text, value.span);
    }

    fn interval(&mut self, interval: &Interval) {
        let Interval {
            value,
            leading_field,
            leading_precision,
            last_field,
            fractional_seconds_precision,
        } = interval;
        let plain = matches!(**value, Expr::Value(_)) && leading_precision.is_none();
        let fields = [leading_field, last_field].into_iter().flatten();
        if !plain
            || fractional_seconds_precision.is_some()
            || !fields.clone().all(|field| is_plain(&field.to_string()))
        {
            return self.refuse("an interval of this form", value.span());
        }
        self.around("INTERVAL ", value, "");
        let fields: Vec<String> = fields.map(ToString::to_string).collect();
        if !fields.is_empty() {
            self.sql(&format!(" {}", fields.join(" TO ")));
        }
    }

    fn extract(&mut self, field: &DateTimeField, expression: &Expr) {
        let text = match field {
            DateTimeField::Custom(ident) => name_of(&folded(ident), ident.quote_style.is_some()),
            DateTimeField::Week(Some(_)) => String::new(),
            field => field.to_string().to_lowercase(),
        };
        if text.is_empty() {
            return self.refuse("extracting this field", expression.span());
        }
        self.around(&format!("extract({text} FROM "), expression, ")");
    }

    /// `(u.address).city`, `session.ids[1]`, `tags[1:2]`
    fn access(&mut self, root: &Expr, chain: &[AccessExpr]) {
        let (root, chain) = leading_names(root, chain);
        let wrap = matches!(&root, Expr::CompoundIdentifier(idents) if idents.first().is_some_and(is_session));
        self.around(
            if wrap { "(" } else { "" },
            &root,
            if wrap { ")" } else { "" },
        );
        for step in chain {
            match step {
                AccessExpr::Dot(Expr::Identifier(ident)) => {
                    self.sql(&format!(".{}", quoted(&folded(ident))));
                }
                AccessExpr::Dot(other) => self.refuse("a field of this form", other.span()),
                AccessExpr::Subscript(Subscript::Index { index }) => self.around("[", index, "]"),
                AccessExpr::Subscript(Subscript::Slice {
                    lower_bound,
                    upper_bound,
                    stride: None,
                }) => {
                    self.sql("[");
                    lower_bound.iter().for_each(|bound| self.expression(bound));
                    self.sql(":");
                    upper_bound.iter().for_each(|bound| self.expression(bound));
                    self.sql("]");
                }
                AccessExpr::Subscript(other) => self.refuse(&format!("`[{other}]`"), root.span()),
            }
        }
    }

    fn object_name(&mut self, name: &ObjectName) {
        match plain_name(name) {
            Some(text) => self.sql_at(&text, name.span()),
            None => self.refuse("a name of this form", name.span()),
        }
    }

    /// Renders a call of a database function, or expands a named rule.
    fn function(&mut self, function: &Function) {
        let Function {
            name,
            uses_odbc_syntax,
            parameters,
            args,
            within_group,
            filter,
            null_treatment,
            over,
        } = function;
        let span = name.span();
        if *uses_odbc_syntax
            || null_treatment.is_some()
            || !matches!(parameters, FunctionArguments::None)
        {
            return self.refuse("a function call of this form", span);
        }
        if let [ObjectNamePart::Identifier(ident)] = name.0.as_slice()
            && self.is_named_rule(&folded(ident))
        {
            let plain = within_group.is_empty() && filter.is_none() && over.is_none();
            return self.named_rule(&folded(ident), args, plain, span);
        }
        match args {
            FunctionArguments::None => return self.write_bare_name(name),
            FunctionArguments::Subquery(query) => {
                if plain_name(name).as_deref() != Some("array") {
                    return self.refuse("a function over a bare subquery", span);
                }
                self.sql_at("ARRAY", span);
                return self.values_of(query);
            }
            FunctionArguments::List(list) => {
                self.object_name(name);
                if plain_name(name).as_deref() == Some("row") {
                    self.no_whole_row(list.args.iter().filter_map(|arg| match arg {
                        FunctionArg::Unnamed(FunctionArgExpr::Expr(expression)) => Some(expression),
                        _ => None,
                    }));
                }
                self.arguments(list, span);
            }
        }
        if !within_group.is_empty() {
            self.sql(" WITHIN GROUP (ORDER BY ");
            self.order(within_group);
            self.sql(")");
        }
        if let Some(filter) = filter {
            self.around(" FILTER (WHERE ", filter, ")");
        }
        if let Some(over) = over {
            self.over(over);
        }
    }

    fn is_named_rule(&self, name: &str) -> bool {
        self.rules.named.contains_key(name)
    }

    fn named_rule(&mut self, name: &str, args: &FunctionArguments, plain: bool, span: Span) {
        if let Some(named) = self.rules.named.get(name) {
            named.is_used.set(true);
        }
        let list = match args {
            FunctionArguments::List(list) => list,
            _ => return self.refuse(&format!("named rule `{name}` without parentheses"), span),
        };
        let expression = |arg: &'_ FunctionArg| match arg {
            FunctionArg::Unnamed(FunctionArgExpr::Expr(expression)) => Some(expression.clone()),
            _ => None,
        };
        let expressions: Option<Vec<Expr>> = list.args.iter().map(expression).collect();
        match expressions {
            Some(expressions)
                if plain && list.clauses.is_empty() && list.duplicate_treatment.is_none() =>
            {
                self.call(name, &expressions.iter().collect::<Vec<_>>(), span);
            }
            _ => self.refuse(
                &format!("named rule `{name}` with anything but expressions"),
                span,
            ),
        }
    }

    fn write_bare_name(&mut self, name: &ObjectName) {
        match plain_name(name).filter(|name| BARE.contains(&name.as_str())) {
            Some(text) => self.sql_at(&text, name.span()),
            None => self.refuse(&format!("`{name}` without parentheses"), name.span()),
        }
    }

    fn arguments(&mut self, list: &FunctionArgumentList, span: Span) {
        let FunctionArgumentList {
            duplicate_treatment,
            args,
            clauses,
        } = list;
        self.sql(match duplicate_treatment {
            Some(DuplicateTreatment::Distinct) => "(DISTINCT ",
            Some(DuplicateTreatment::All) => "(ALL ",
            None => "(",
        });
        self.function_arguments(args);
        for clause in clauses {
            match clause {
                FunctionArgumentClause::OrderBy(order) => {
                    self.sql(" ORDER BY ");
                    self.order(order);
                }
                other => self.refuse(&format!("`{}`", shortened(&other.to_string())), span),
            }
        }
        self.sql(")");
    }

    /// Renders the arguments of a function.
    pub(super) fn function_arguments(&mut self, args: &[FunctionArg]) {
        self.list(args, |writer, arg| match arg {
            FunctionArg::Unnamed(arg) => writer.function_argument(arg),
            FunctionArg::Named {
                name,
                arg,
                operator: FunctionArgOperator::RightArrow | FunctionArgOperator::Assignment,
            }
            | FunctionArg::ExprNamed {
                name: Expr::Identifier(name),
                arg,
                operator: FunctionArgOperator::RightArrow | FunctionArgOperator::Assignment,
            } => {
                writer.sql(&format!("{} => ", quoted(&folded(name))));
                writer.function_argument(arg);
            }
            other => writer.refuse(
                &format!("the argument `{}`", shortened(&other.to_string())),
                other.span(),
            ),
        });
    }

    fn function_argument(&mut self, arg: &FunctionArgExpr) {
        match arg {
            FunctionArgExpr::Expr(expression) => self.expression(expression),
            FunctionArgExpr::Wildcard => self.sql("*"),
            other => self.refuse(
                &format!("the argument `{}`", shortened(&other.to_string())),
                other.span(),
            ),
        }
    }

    fn over(&mut self, over: &WindowType) {
        match over {
            WindowType::NamedWindow(name) => self.sql(&format!(" OVER {}", quoted(&folded(name)))),
            WindowType::WindowSpec(window) => {
                self.sql(" OVER ");
                self.window(window);
            }
        }
    }

    /// `(PARTITION BY … ORDER BY …)`
    pub(super) fn window(&mut self, window: &WindowSpec) {
        let WindowSpec {
            window_name,
            partition_by,
            order_by,
            window_frame,
        } = window;
        self.sql("(");
        if let Some(name) = window_name {
            self.sql(&quoted(&folded(name)));
        }
        if !partition_by.is_empty() {
            self.enclosed(" PARTITION BY ", partition_by, "");
        }
        if !order_by.is_empty() {
            self.sql(" ORDER BY ");
            self.order(order_by);
        }
        if let Some(frame) = window_frame {
            self.window_frame(frame);
        }
        self.sql(")");
    }

    fn window_frame(&mut self, frame: &WindowFrame) {
        let WindowFrame {
            units,
            start_bound,
            end_bound,
        } = frame;
        self.sql(&format!(" {units} "));
        match end_bound {
            Some(end) => {
                self.sql("BETWEEN ");
                self.window_bound(start_bound);
                self.sql(" AND ");
                self.window_bound(end);
            }
            None => self.window_bound(start_bound),
        }
    }

    fn window_bound(&mut self, bound: &WindowFrameBound) {
        match bound {
            WindowFrameBound::CurrentRow => self.sql("CURRENT ROW"),
            WindowFrameBound::Preceding(None) => self.sql("UNBOUNDED PRECEDING"),
            WindowFrameBound::Following(None) => self.sql("UNBOUNDED FOLLOWING"),
            WindowFrameBound::Preceding(Some(rows)) => self.around("", rows, " PRECEDING"),
            WindowFrameBound::Following(Some(rows)) => self.around("", rows, " FOLLOWING"),
        }
    }
}

fn negated_word<'w>(negated: bool, plain: &'w str, with_not: &'w str) -> &'w str {
    if negated { with_not } else { plain }
}

fn is_session(ident: &Ident) -> bool {
    folded(ident) == "session" && ident.quote_style.is_none()
}

/// `session.ids[1]` is parsed as `session` with the steps `.ids` and `[1]`; joins the leading names
/// into one compound name.
fn leading_names<'e>(root: &Expr, chain: &'e [AccessExpr]) -> (Expr, &'e [AccessExpr]) {
    let mut idents = match root {
        Expr::Identifier(ident) => vec![ident.clone()],
        Expr::CompoundIdentifier(idents) => idents.clone(),
        other => return (other.clone(), chain),
    };
    let mut rest = chain;
    while let [AccessExpr::Dot(Expr::Identifier(ident)), after @ ..] = rest {
        idents.push(ident.clone());
        rest = after;
    }
    (Expr::CompoundIdentifier(idents), rest)
}

/// A string literal. With a backslash in it, the form `E'…'`, which means the same under every
/// server setting.
fn literal(text: &str) -> String {
    let doubled = text.replace('\'', "''");
    if text.contains('\\') {
        format!("E'{}'", doubled.replace('\\', "\\\\"))
    } else {
        format!("'{doubled}'")
    }
}

fn is_plain(part: &str) -> bool {
    let word = !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    word || is_symbol(part)
}

fn is_symbol(name: &str) -> bool {
    !name.is_empty()
        && name.bytes().all(|b| b"+-*/<>=~!@#%^&|`?".contains(&b))
        && !name.contains("--")
        && !name.contains("/*")
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}
