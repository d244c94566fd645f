//! Encodes metrics in OpenMetrics' text format, which has room for exemplars. Prometheus asks for
//! it by `Accept`. <https://prometheus.io/docs/specs/om/open_metrics_spec/>

use std::fmt::Write;

use prometheus::proto::{Histogram, LabelPair, MetricFamily, MetricType};

use super::exemplars::ExemplarIndex;
use super::operations::OPERATION_DURATION;
use super::routes::REQUEST_DURATION;

/// The histograms that have exemplars.
const WITH_EXEMPLARS: [&str; 2] = [REQUEST_DURATION, OPERATION_DURATION];

/// The metrics as text.
pub(super) fn encode(families: &[MetricFamily], exemplars: &ExemplarIndex) -> String {
    let mut text = String::with_capacity(64 << 10);
    for family in families {
        let kind = family.get_field_type();
        let name = family.name();
        // The name of a counter has no suffix, that of its sample has one. Where a gauge has the
        // name without the suffix, the counter is of unknown type.
        let base = match kind {
            MetricType::COUNTER => name
                .strip_suffix("_total")
                .filter(|base| !families.iter().any(|other| other.name() == *base))
                .unwrap_or(name),
            _ => name,
        };
        let word = match kind {
            MetricType::COUNTER if base == name => "unknown",
            MetricType::COUNTER => "counter",
            MetricType::HISTOGRAM => "histogram",
            MetricType::SUMMARY => "summary",
            MetricType::GAUGE => "gauge",
            MetricType::UNTYPED => "unknown",
        };
        let help = escape(family.help());
        // Writing to a text does not fail.
        let _ = writeln!(text, "# HELP {base} {help}\n# TYPE {base} {word}");
        for metric in family.get_metric() {
            let labels = metric.get_label();
            match kind {
                MetricType::HISTOGRAM => {
                    histogram(&mut text, name, labels, metric.get_histogram(), exemplars);
                }
                MetricType::COUNTER => {
                    let value = metric.get_counter().get_value();
                    sample(&mut text, name, labels, None, value);
                    text.push('\n');
                }
                _ => {
                    let value = metric.get_gauge().get_value();
                    sample(&mut text, base, labels, None, value);
                    text.push('\n');
                }
            }
        }
    }
    text.push_str("# EOF\n");
    text
}

fn histogram(
    text: &mut String,
    name: &str,
    labels: &[LabelPair],
    histogram: &Histogram,
    exemplars: &ExemplarIndex,
) {
    let metric = WITH_EXEMPLARS.into_iter().find(|with| *with == name);
    let exemplars = metric
        .zip(labels.first())
        .and_then(|(metric, label)| exemplars.find(metric, label.value()));
    let buckets = histogram
        .get_bucket()
        .iter()
        .map(|bucket| (bucket.upper_bound(), bucket.cumulative_count()))
        .filter(|(bound, _)| bound.is_finite());
    let last = (f64::INFINITY, histogram.get_sample_count());
    let bucket_name = format!("{name}_bucket");
    for (bound, count) in buckets.chain([last]) {
        sample(text, &bucket_name, labels, Some(bound), count as f64);
        let exemplar = exemplars
            .as_ref()
            .and_then(|exemplars| exemplars.of_bucket(bound));
        if let Some(exemplar) = exemplar {
            let _ = write!(
                text,
                " # {{trace_id=\"{:032x}\"}} {:?} {:.3}",
                exemplar.trace_id,
                exemplar.seconds,
                exemplar.timestamp()
            );
        }
        text.push('\n');
    }
    let count = histogram.get_sample_count() as f64;
    sample(text, &format!("{name}_count"), labels, None, count);
    text.push('\n');
    let sum = histogram.get_sample_sum();
    sample(text, &format!("{name}_sum"), labels, None, sum);
    text.push('\n');
}

/// `name{label="value",le="0.5"} 1`
fn sample(text: &mut String, name: &str, labels: &[LabelPair], bound: Option<f64>, value: f64) {
    text.push_str(name);
    let mut separator = '{';
    for label in labels {
        let _ = write!(
            text,
            "{separator}{}=\"{}\"",
            label.name(),
            escape(label.value())
        );
        separator = ',';
    }
    match bound {
        Some(bound) if bound.is_finite() => {
            let _ = write!(text, "{separator}le=\"{bound:?}\"}}");
        }
        Some(_) => {
            let _ = write!(text, "{separator}le=\"+Inf\"}}");
        }
        None if separator == ',' => text.push('}'),
        None => {}
    }
    let _ = write!(text, " {value}");
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace('\n', "\\n")
        .replace('"', "\\\"")
}
