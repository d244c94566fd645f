{{- define "postern.name" -}}
{{- if contains "postern" .Release.Name -}}{{ .Release.Name }}{{- else -}}{{ printf "%s-postern" .Release.Name | trunc 63 | trimSuffix "-" }}{{- end -}}
{{- end -}}

{{- define "postern.selector" -}}
app.kubernetes.io/name: postern
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "postern.labels" -}}
{{ include "postern.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{/* A key of TOML. */}}
{{- define "postern.key" -}}
{{- if regexMatch "^[A-Za-z0-9_-]+$" . -}}{{ . }}{{- else -}}{{ toJson . }}{{- end -}}
{{- end -}}

{{/*
A value of TOML. Strings and numbers are those of JSON. Helm's `toToml` writes each number of a YAML file as a float
(`pool_size = 10.0`), because YAML is read into floats.
*/}}
{{- define "postern.value" -}}
{{- if kindIs "map" . -}}
{{- $entries := list -}}
{{- range $key, $value := . -}}
{{- if not (kindIs "invalid" $value) -}}
{{- $entries = append $entries (printf "%s = %s" (include "postern.key" $key) (include "postern.value" $value)) -}}
{{- end -}}
{{- end -}}
{{ printf "{ %s }" (join ", " $entries) }}
{{- else if kindIs "slice" . -}}
{{- $items := list -}}
{{- range . -}}{{- $items = append $items (include "postern.value" .) -}}{{- end -}}
{{ printf "[%s]" (join ", " $items) }}
{{- else if kindIs "invalid" . -}}
{{ fail "settings: a list contains null, which TOML does not have" }}
{{- else -}}
{{ toJson . }}
{{- end -}}
{{- end -}}

{{/* The keys of a table, one on each line. */}}
{{- define "postern.table" -}}
{{- range $key, $value := . }}
{{- if not (kindIs "invalid" $value) }}
{{ include "postern.key" $key }} = {{ include "postern.value" $value }}
{{- end }}
{{- end }}
{{- end -}}

{{/* The settings file. Keys that are no table come first: after the head of a table they would belong to it. */}}
{{- define "postern.settings" -}}
{{- if .Values.config -}}
{{ .Values.config }}
{{- else -}}
{{- $plain := dict -}}
{{- $tables := "" -}}
{{- range $key, $value := .Values.settings -}}
{{- $first := "" -}}
{{- if kindIs "slice" $value -}}{{- $first = first $value -}}{{- end -}}
{{- if kindIs "map" $value -}}
{{- $tables = printf "%s\n\n[%s]%s" $tables (include "postern.key" $key) (include "postern.table" $value) -}}
{{- else if kindIs "map" $first -}}
{{- range $value -}}
{{- $tables = printf "%s\n\n[[%s]]%s" $tables (include "postern.key" $key) (include "postern.table" .) -}}
{{- end -}}
{{- else -}}
{{- $_ := set $plain $key $value -}}
{{- end -}}
{{- end -}}
{{- if .Values.permissions -}}{{- $_ := set $plain "permissions" "permissions.toml" -}}{{- end -}}
{{- if .Values.restMap -}}{{- $_ := set $plain "rest_map" "rest-map.toml" -}}{{- end -}}
{{ include "postern.table" $plain | trim }}{{ $tables }}
{{- end -}}
{{- end -}}

{{/* A number of seconds in `settings` or `config`. */}}
{{- define "postern.seconds" -}}
{{- $text := "" -}}
{{- if .root.Values.config -}}
{{- $line := regexFind (printf "(?m)^%s\\s*=\\s*[0-9.]+" .key) .root.Values.config -}}
{{- $text = regexFind "[0-9.]+$" $line -}}
{{- else -}}
{{- $value := get (default dict .root.Values.settings) .key -}}
{{- $text = kindIs "invalid" $value | ternary "" (toString $value) -}}
{{- end -}}
{{ default .default $text | float64 | ceil }}
{{- end -}}

{{/* The settings whose value is a secret. A test compares them with the program. */}}
{{- define "postern.secretSettings" -}}
admin_secret auth_hook cursor_secret database_url direct_url jwt_secret metrics_secret otlp_endpoint otlp_headers redis_url replica_url signing_key
{{- end -}}

{{/*
Refuses a TOML file whose text contains a secret, because a ConfigMap is readable where a Secret is not. A string with
`${NAME}` takes the secret from a variable.
*/}}
{{- define "postern.refuseSecrets" -}}
{{- $file := .file -}}
{{- $hint := "would be readable in the ConfigMap: name a variable of extraEnv by ${NAME}, or leave the setting out, add it to existingSecret and name it in secrets" -}}
{{- $text := regexReplaceAll "[a-z_]+_from_env\"?\\s*=\\s*(\\[[^\\]]*\\]|\"[^\"]*\"|'[^']*')" .text "" -}}
{{- $string := "\"\"\"(?s:.*?)\"\"\"|'''(?s:.*?)'''|\"(?:[^\"\\\\]|\\\\.)*\"|'[^'\\n]*'" -}}
{{- $settings := include "postern.secretSettings" . | splitList " " | join "|" -}}
{{- $named := printf "\\b(%s|[a-z_]*(secret|password)|identity_key|key)\"?\\s*=\\s*(%s)|\\b(replica_url|secrets)\"?\\s*=\\s*\\[[^\\[\\]]*\\]" $settings $string -}}
{{- range regexFindAll $named $text -1 -}}
{{- $key := regexFind "^[a-z_]+" . -}}
{{- range regexFindAll $string (regexReplaceAll "^[a-z_]+\"?\\s*=" . "") -1 -}}
{{- if not (contains "${" .) -}}{{ fail (printf "%s: the value of %s %s" $file $key $hint) }}{{- end -}}
{{- end -}}
{{- end -}}
{{- range regexFindAll "\\{[^{}]*\\bname\"?\\s*=\\s*[\"'](?i:[^\"']*(authorization|cookie|key|token|secret)[^\"']*)[\"'][^{}]*\\}" $text -1 -}}
{{- if regexMatch "\\bvalue\"?\\s*=\\s*[\"'][^$\"']+[\"']" . -}}{{ fail (printf "%s: the value of a header (%s) %s" $file (regexFind "name\"?\\s*=\\s*[\"'][^\"']+" .) $hint) }}{{- end -}}
{{- end -}}
{{- if regexMatch "://[^/@\\s\"':]*:[^$/@\\s\"'][^/@\\s\"']*@|\\bpassword=[^$\\s\"']" $text -}}{{ fail (printf "%s: a password in a URL %s" $file $hint) }}{{- end -}}
{{- end -}}

{{/* The data of the ConfigMap. The number after `|` is the indentation: a text may begin with spaces. A key of a ConfigMap
may contain no `/`, so that of a file is a hash of its path. A number would change when another file is added, while pods of
the last revision still mount by it. */}}
{{- define "postern.files" -}}
{{- $settings := include "postern.settings" . -}}
{{- include "postern.refuseSecrets" (dict "file" (.Values.config | empty | ternary "settings" "config") "text" $settings) -}}
{{- range $name, $text := .Values.files -}}
{{- if hasSuffix ".toml" $name -}}{{- include "postern.refuseSecrets" (dict "file" (printf "files.%s" $name) "text" $text) -}}{{- end -}}
{{- end -}}
{{- if .Values.config -}}
{{- range $value, $line := dict "permissions" "permissions = \"permissions.toml\"" "restMap" "rest_map = \"rest-map.toml\"" -}}
{{- if and (get $.Values $value) (not (contains $line $.Values.config)) -}}{{ fail (printf "config does not have the line `%s`, so that the file of %s would not be read" $line $value) }}{{- end -}}
{{- end -}}
{{- end -}}
gateway.toml: |2
  {{- $settings | nindent 2 }}
{{- with .Values.permissions }}
permissions.toml: |2
  {{- . | nindent 2 }}
{{- end }}
{{- with .Values.restMap }}
rest-map.toml: |2
  {{- . | nindent 2 }}
{{- end }}
{{- range $name, $text := .Values.files }}
file-{{ sha256sum $name | trunc 32 }}: |2
  {{- $text | nindent 2 }}
{{- end }}
{{- end -}}

{{/* The parts of a pod that the gateway and `postern migrate` have in common. */}}
{{- define "postern.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "postern.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{- define "postern.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}

{{/* Variables of both. The argument has `root` and `secrets`, the keys of the secret that are used. */}}
{{- define "postern.env" -}}
- name: POSTERN_CONFIG
  value: /etc/postern/gateway.toml
- name: POSTERN_LOG_FORMAT
  value: json
{{- range .secrets }}
{{- if not (has . (include "postern.secretSettings" $ | splitList " ")) }}{{ fail (printf "secrets: %s is not a setting whose value is a secret" .) }}{{ end }}
- name: POSTERN_{{ . | upper }}_FILE
  value: /run/secrets/postern/{{ . }}
{{- end }}
{{- if .root.Values.databaseCA.name }}
- name: PGSSLROOTCERT
  value: /run/postern/database-ca/{{ .root.Values.databaseCA.key }}
- name: PGSSLMODE
  value: verify-full
{{- end }}
{{- with .root.Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "postern.volumeMounts" -}}
- name: config
  mountPath: /etc/postern
  readOnly: true
- name: secrets
  mountPath: /run/secrets/postern
  readOnly: true
{{- if .Values.databaseCA.name }}
- name: database-ca
  mountPath: /run/postern/database-ca
  readOnly: true
{{- end }}
{{- with .Values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* The argument has `root`, `configMap` and `secret`. */}}
{{- define "postern.volumes" -}}
- name: config
  configMap:
    name: {{ .configMap }}
    items:
      - {key: gateway.toml, path: gateway.toml}
      {{- if .root.Values.permissions }}
      - {key: permissions.toml, path: permissions.toml}
      {{- end }}
      {{- if .root.Values.restMap }}
      - {key: rest-map.toml, path: rest-map.toml}
      {{- end }}
      {{- range $name, $_ := .root.Values.files }}
      - {key: file-{{ sha256sum $name | trunc 32 }}, path: {{ $name | quote }}}
      {{- end }}
- name: secrets
  secret:
    secretName: {{ .secret }}
    defaultMode: 0440
{{- with .root.Values.databaseCA }}
{{- if .name }}
- name: database-ca
  {{- if eq .kind "Secret" }}
  secret:
    secretName: {{ .name }}
  {{- else }}
  configMap:
    name: {{ .name }}
  {{- end }}
{{- end }}
{{- end }}
{{- with .root.Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end -}}
