//! Renders keyset conditions: that a row comes after a position in an order.

use super::Render;
use crate::plan::{KeysetKey, KeysetPredicate};
use crate::postgres::spatial::Spatial;
use crate::postgres::types::Scalar;
use crate::statement::Parameter;

impl Render<'_> {
    /// `(_0."a", _0."id") > ($1, $2)` if an index may serve it; otherwise key by key, with nulls
    /// where the order has them. A redundant condition on the leading key is added where an index
    /// can use it.
    pub(super) fn render_keyset(&mut self, beyond: &KeysetPredicate<'_>, fenced: bool) {
        let fenced = fenced && beyond.work.is_none();
        self.writer.syntax(if beyond.negated { "((" } else { "(" });
        match beyond.keys.as_slice() {
            [first, ..] if !is_uniform(&beyond.keys) && !first.nullable && !beyond.negated => {
                self.compared(
                    first,
                    if first.direction.descends() {
                        "<="
                    } else {
                        ">="
                    },
                    fenced,
                );
                self.writer.syntax(" AND (");
                self.key_by_key(&beyond.keys, fenced);
                self.writer.syntax(")");
            }
            keys if is_uniform(keys) => self.compare_as_tuples(keys, fenced),
            keys => self.key_by_key(keys, fenced),
        }
        self.writer.syntax(if beyond.negated {
            ") IS NOT TRUE)"
        } else {
            ")"
        });
    }

    fn compare_as_tuples(&mut self, keys: &[KeysetKey<'_>], fenced: bool) {
        self.row(keys, |render, key| render.expression(&key.expression));
        self.writer
            .syntax(if keys.iter().any(|key| key.direction.descends()) {
                " < "
            } else {
                " > "
            });
        self.row(keys, |render, key| render.keyset_value(key, fenced));
    }

    fn row(&mut self, keys: &[KeysetKey<'_>], write: impl Fn(&mut Self, &KeysetKey<'_>)) {
        let several = keys.len() > 1;
        self.writer.syntax(if several { "(" } else { "" });
        for (i, key) in keys.iter().enumerate() {
            self.writer.syntax(if i > 0 { ", " } else { "" });
            write(self, key);
        }
        self.writer.syntax(if several { ")" } else { "" });
    }

    /// After the position in the first key, or equal in it and after in the second, and so on.
    fn key_by_key(&mut self, keys: &[KeysetKey<'_>], fenced: bool) {
        for (i, key) in keys.iter().enumerate() {
            self.writer.syntax(if i > 0 { " OR (" } else { "(" });
            for equal in keys.iter().take(i) {
                self.equal_key(equal, fenced);
                self.writer.syntax(" AND ");
            }
            self.beyond_key(key, fenced);
            self.writer.syntax(")");
        }
    }

    fn equal_key(&mut self, key: &KeysetKey<'_>, fenced: bool) {
        self.writer.syntax(if key.nullable { "(" } else { "" });
        self.compared(key, "=", fenced);
        if key.nullable {
            self.writer.syntax(" OR (");
            self.expression(&key.expression);
            self.null_test(&key.scalar, true);
            self.writer.syntax(" AND ");
            self.keyset_value(key, fenced);
            self.null_test(&key.scalar, true);
            self.writer.syntax("))");
        }
    }

    fn beyond_key(&mut self, key: &KeysetKey<'_>, fenced: bool) {
        self.writer.syntax(if key.nullable { "(" } else { "" });
        self.compared(
            key,
            if key.direction.descends() { "<" } else { ">" },
            fenced,
        );
        if key.nullable {
            let last = key.direction.nulls_last();
            self.writer.syntax(" OR (");
            self.expression(&key.expression);
            self.null_test(&key.scalar, last);
            self.writer.syntax(" AND ");
            self.keyset_value(key, fenced);
            self.null_test(&key.scalar, !last);
            self.writer.syntax("))");
        }
    }

    fn compared(&mut self, key: &KeysetKey<'_>, symbol: &'static str, fenced: bool) {
        let left = |render: &mut Self| {
            render.expression(&key.expression);
            // The expression is cast already if the type passes as another one, as in the order.
            if key.scalar.passes_as().is_none() {
                render.as_compared(&key.scalar);
            }
        };
        if let Some(function) = key.scalar.comparison_function(symbol) {
            return self
                .compare_by_function(function, left, |render| render.keyset_value(key, fenced));
        }
        left(self);
        self.operator(symbol, &key.scalar);
        self.keyset_value(key, fenced);
    }

    fn keyset_value(&mut self, key: &KeysetKey<'_>, fenced: bool) {
        self.writer.syntax(if fenced { "(SELECT " } else { "" });
        self.position(&key.value, &key.scalar);
        self.writer.syntax(if fenced { ")" } else { "" });
    }

    /// A value of a cursor, or the position of a stream. Cursors have the text forms of values, as
    /// do positions after the first rows; the first position is a value of the request, for
    /// PostGIS' types GeoJSON.
    fn position(&mut self, parameter: &Parameter, scalar: &Scalar) {
        let Some(Spatial::Geometry | Spatial::Geography) = scalar.spatial else {
            return self.compared_parameter(parameter, scalar, "");
        };
        let may_be_geojson = matches!(parameter, Parameter::Position { .. });
        if may_be_geojson {
            self.writer.syntax("CASE WHEN ");
            self.writer.param(parameter, "text");
            self.writer.syntax(" ^@ '{' THEN ");
            self.parameter(parameter, scalar, "");
            self.writer.syntax(" ELSE ");
        }
        self.writer.param(parameter, "text");
        self.writer.syntax("::");
        self.writer.type_name(&scalar.sql, "");
        self.writer.syntax(if may_be_geojson { " END" } else { "" });
    }
}

/// Whether all keys have one direction, no nulls and built-in operators, so that rows are compared
/// as tuples.
fn is_uniform(keys: &[KeysetKey<'_>]) -> bool {
    let is_native = |scalar: &Scalar| {
        scalar.operator_schema.is_none()
            && scalar.compared_as.is_none()
            && scalar.over_domain.is_none()
            && scalar.comparison_functions.is_none()
    };
    let plain = |key: &KeysetKey<'_>| !key.nullable && is_native(&key.scalar);
    keys.iter().all(plain)
        && keys
            .windows(2)
            .all(|pair| matches!(pair, [a, b] if a.direction.descends() == b.direction.descends()))
}
