//! Renders `GROUP BY`, `HAVING`, and aggregates in conditions.

use super::Render;
use crate::plan::{
    AggregatePredicate, CountedColumn, Grouping, GroupingForm, LeastGroup, Predicate, Select,
};
use crate::postgres::types::Cast;
use crate::schema::{Bucket, ConditionAggregate};

impl Render<'_> {
    /// ` GROUP BY … HAVING …`
    pub(super) fn groups(&mut self, select: &Select<'_>) {
        if !select.group_by.is_empty() {
            self.writer.syntax(" GROUP BY ");
            self.expressions(&select.group_by);
        }
        if !select.having.is_empty() {
            self.writer.syntax(" HAVING ");
            self.conjunction(&select.having, false);
        }
    }

    /// `count(*) FILTER (WHERE …) >= n`; if some rows do not count, `count(*) FILTER (WHERE (rule)
    /// IS NOT TRUE) >= n`
    pub(super) fn at_least(&mut self, least: &LeastGroup<'_>, filter: Option<&Predicate<'_>>) {
        self.writer.syntax("count(*)");
        match &least.known {
            None => self.filtered(filter),
            Some(known) => {
                self.writer.syntax(" FILTER (WHERE (");
                self.column(known);
                self.writer.syntax(") IS NOT TRUE");
                if let Some(filter) = filter {
                    self.writer.syntax(" AND ");
                    self.predicate(filter, false);
                }
                self.writer.syntax(")");
            }
        }
        self.writer.syntax(" >= ");
        self.writer.number(least.rows.into());
    }

    /// `sum(DISTINCT x) FILTER (WHERE …)`
    pub(super) fn measured(&mut self, measured: &AggregatePredicate<'_>) {
        match measured.measure {
            ConditionAggregate::Count => self.counted(&measured.columns, measured.distinct),
            ConditionAggregate::Function(function) => {
                self.writer.syntax(function.name());
                self.writer
                    .syntax(if measured.distinct { "(DISTINCT " } else { "(" });
                for (i, CountedColumn { column, .. }) in measured.columns.iter().enumerate() {
                    self.writer.syntax(if i > 0 { ", " } else { "" });
                    self.column(column);
                }
                self.writer.syntax(")");
            }
        }
        self.filtered(measured.filter.as_deref());
    }

    fn filtered(&mut self, filter: Option<&Predicate<'_>>) {
        if let Some(filter) = filter {
            self.writer.syntax(" FILTER (WHERE ");
            self.predicate(filter, false);
            self.writer.syntax(")");
        }
    }

    /// The expression of a `GROUP BY` key. Postgres recognizes it wherever it is written again.
    pub(super) fn grouped(&mut self, grouping: &Grouping<'_>) {
        let GroupingForm::Bucket(bucket) = grouping.form else {
            self.column(&grouping.column);
            match grouping.form {
                GroupingForm::Text => self.writer.syntax("::text"),
                _ => self.cast_for_sorting(&grouping.scalar),
            }
            return;
        };
        self.writer.syntax("date_trunc('");
        self.writer.syntax(bucket_name(bucket));
        self.writer.syntax("', ");
        self.column(&grouping.column);
        // `date_trunc` of a plain date would convert it to a `timestamptz` in the time zone of the
        // connection.
        self.writer.syntax(match grouping.scalar.sql.as_str() {
            "date" => "::timestamp)::date",
            "timestamptz" => ", 'UTC')",
            _ => ")",
        });
    }

    /// A `GROUP BY` key as it is sent; a key grouped by its text is cast back to its type.
    pub(super) fn key(&mut self, grouping: &Grouping<'_>, cast: Cast) {
        self.cast(cast, |render| {
            if grouping.form != GroupingForm::Text {
                return render.grouped(grouping);
            }
            render.writer.syntax("(");
            render.grouped(grouping);
            render.writer.syntax(")::");
            render.writer.type_name(&grouping.scalar.sql, "");
        });
    }
}

fn bucket_name(bucket: Bucket) -> &'static str {
    match bucket {
        Bucket::Minute => "minute",
        Bucket::Hour => "hour",
        Bucket::Day => "day",
        Bucket::Week => "week",
        Bucket::Month => "month",
        Bucket::Quarter => "quarter",
        Bucket::Year => "year",
    }
}
