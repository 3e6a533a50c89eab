{{- define "muster.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end }}

{{- define "muster.name" -}}
{{- if contains "muster" .Release.Name }}{{ .Release.Name | trunc 40 | trimSuffix "-" }}{{ else }}{{ printf "%s-muster" .Release.Name | trunc 40 | trimSuffix "-" }}{{ end -}}
{{- end }}

{{- define "muster.labels" -}}
app.kubernetes.io/name: muster
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "muster.select" -}}
app.kubernetes.io/name: muster
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "muster.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
seccompProfile: {type: RuntimeDefault}
{{- end }}

{{- define "muster.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
runAsNonRoot: true
capabilities: {drop: [ALL]}
seccompProfile: {type: RuntimeDefault}
{{- end }}

{{- define "muster.placing" -}}
{{- with .nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- end }}

{{- define "muster.check" -}}
{{- if not (or .Values.server.enabled .Values.agent.enabled) }}{{ fail "enable server, agent, or both" }}{{ end -}}
{{- if .Values.agent.enabled }}
{{- if not (has .Values.agent.mode (list "observe" "kueue" "manage")) }}{{ fail (printf "agent.mode is %q; it can be observe, kueue or manage" .Values.agent.mode) }}{{ end -}}
{{- if and (not .Values.agent.server) (not (and .Values.server.enabled .Values.server.agents.enabled)) }}{{ fail "agent.server: name the server as host:port, since this release has none that takes agents" }}{{ end -}}
{{- end }}
{{- if .Values.server.enabled }}
{{- $tls := .Values.server.tls }}
{{- if and .Values.server.agents.tlsSecret (not .Values.server.agents.clusters) }}{{ fail "server.agents.clusters: name the clusters that may join; the authority of tlsSecret signs for others, too" }}{{ end -}}
{{- if not (has $tls.by (list "self" "secret" "certManager" "proxy")) }}{{ fail (printf "server.tls.by is %q; it can be self, secret, certManager or proxy" $tls.by) }}{{ end -}}
{{- if and (gt (int .Values.server.replicas) 1) (not .Values.server.journal.dsnSecret) }}{{ fail "server.replicas: several servers need the journal in PostgreSQL; name the Secret with its address in server.journal.dsnSecret" }}{{ end -}}
{{- if and (gt (int .Values.server.replicas) 1) (eq $tls.by "self") }}{{ fail "server.tls.by: several servers need one certificate; set it to secret, certManager or proxy" }}{{ end -}}
{{- if and (gt (int .Values.server.replicas) 1) .Values.server.agents.enabled (not .Values.server.agents.tlsSecret) }}{{ fail "server.agents.tlsSecret: several servers need one authority for agents; name the Secret with ca.crt, tls.crt and tls.key, or set server.agents.enabled=false" }}{{ end -}}
{{- $oidc := .Values.server.oidc }}
{{- if not (or .Values.server.tokensSecret $oidc.issuer) }}{{ fail "server.tokensSecret: name the Secret with tokens.yaml, or the provider where people sign in (server.oidc.issuer); the server is reached over the network" }}{{ end -}}
{{- if ne (empty $oidc.issuer) (empty $oidc.clientID) }}{{ fail "server.oidc: issuer and clientID belong together; give both" }}{{ end -}}
{{- if and $oidc.issuer (gt (int .Values.server.replicas) 1) (not .Values.server.sessions.keySecret) }}{{ fail "server.sessions.keySecret: several servers need one key of sessions; name the Secret with session.key (openssl rand 32)" }}{{ end -}}
{{- $waiting := .Values.server.mostWaiting }}
{{- if and $waiting (lt (int $waiting) 1) }}{{ fail (printf "server.mostWaiting is %v; give a number of workloads, as 10000" $waiting) }}{{ end -}}
{{- range .Values.server.tokenReview.clusters }}
{{- if not (and .name .kubeconfigSecret) }}{{ fail "server.tokenReview.clusters: each needs name and kubeconfigSecret" }}{{ end -}}
{{- end }}
{{- if and (eq $tls.by "secret") (not $tls.secret) }}{{ fail "server.tls.secret: name the Secret with tls.crt and tls.key" }}{{ end -}}
{{- if and $tls.trustedProxies (ne $tls.by "proxy") }}{{ fail "server.tls.trustedProxies: names the proxies in front of the server; set server.tls.by=proxy, too" }}{{ end -}}
{{- if and (eq $tls.by "certManager") (not $tls.certManager.issuer) }}{{ fail "server.tls.certManager.issuer: name the Issuer that signs the server's certificate" }}{{ end -}}
{{- end }}
{{- if .Values.agent.enabled }}
{{- $by := .Values.agent.admission.by }}
{{- if not (has $by (list "policy" "webhook")) }}{{ fail (printf "agent.admission.by is %q; it can be policy or webhook" $by) }}{{ end -}}
{{- if not (has .Values.agent.admission.failurePolicy (list "Fail" "Ignore")) }}{{ fail "agent.admission.failurePolicy: Fail or Ignore" }}{{ end -}}
{{- if eq (include "muster.admits" .) "true" }}
{{- if and (eq $by "policy") (semverCompare "<1.36.0-0" .Capabilities.KubeVersion.Version) }}{{ fail (printf "agent.admission.by: Kubernetes %s has no MutatingAdmissionPolicy of version v1; set it to webhook" .Capabilities.KubeVersion.Version) }}{{ end -}}
{{- if and (eq $by "webhook") (not .Values.agent.admission.webhook.tlsSecret) }}{{ fail "agent.admission.webhook.tlsSecret: name the Secret with tls.crt and tls.key by which the API server knows the webhook" }}{{ end -}}
{{- if and (eq $by "webhook") (not .Values.agent.admission.webhook.caBundle) (not .Values.agent.admission.webhook.annotations) }}{{ fail "agent.admission.webhook: give caBundle (base64 of the authority's PEM), or annotations by which cert-manager writes it" }}{{ end -}}
{{- end }}
{{- if not (has .Values.agent.bind (list "direct" "scheduler")) }}{{ fail (printf "agent.bind is %q; it can be direct (Muster binds pods) or scheduler (kube-scheduler does)" .Values.agent.bind) }}{{ end -}}
{{- if and .Values.agent.fenceAfter (ne .Values.agent.mode "manage") }}{{ fail "agent.fenceAfter: nodes are fenced in mode manage alone" }}{{ end -}}
{{- if and .Values.agent.visitJobs.enabled (ne .Values.agent.mode "manage") }}{{ fail "agent.visitJobs: Jobs of visits are made in mode manage alone; set agent.mode=manage" }}{{ end -}}
{{- end }}
{{- range .Values.server.clusters }}
{{- if not (and .name .kubeconfigSecret (has .mode (list "observe" "kueue" "manage"))) }}{{ fail "server.clusters: each needs name, kubeconfigSecret, and mode observe, kueue or manage" }}{{ end -}}
{{- end }}
{{- end }}

{{- /* How the API speaks: http or https. */}}
{{- define "muster.scheme" -}}
{{- if eq .Values.server.tls.by "proxy" }}http{{ else }}https{{ end -}}
{{- end }}

{{- /* The Secret with the certificate of the API and the pages; none where it is made elsewhere. */}}
{{- define "muster.tlsSecret" -}}
{{- if eq .Values.server.tls.by "secret" }}{{ .Values.server.tls.secret }}{{ end -}}
{{- if eq .Values.server.tls.by "certManager" }}{{ include "muster.name" . }}-tls{{ end -}}
{{- end }}

{{- /* Whether the server asks API servers of clusters itself. */}}
{{- define "muster.asks" -}}
{{- if or .Values.server.clusters .Values.server.tokenReview.inCluster .Values.server.tokenReview.clusters }}true{{ end -}}
{{- end }}

{{- /* Whether several servers run, of which one leads. */}}
{{- define "muster.several" -}}
{{- if gt (int .Values.server.replicas) 1 }}true{{ end -}}
{{- end }}

{{- /* Where agents of this release dial in: at each server, as any of them may lead. */}}
{{- define "muster.agentsAt" -}}
{{- $name := include "muster.name" . -}}
{{- $ns := .Release.Namespace -}}
{{- if include "muster.several" . -}}
{{- range $i := until (int .Values.server.replicas) }}{{ if $i }},{{ end }}{{ $name }}-server-{{ $i }}.{{ $name }}-servers.{{ $ns }}.svc:6879{{ end -}}
{{- else -}}
{{ $name }}-agents.{{ $ns }}.svc:6879
{{- end -}}
{{- end }}

{{- /* Whether pods of this cluster are made to wait for Muster. */}}
{{- define "muster.admits" -}}
{{- and .Values.agent.enabled (eq .Values.agent.mode "manage") .Values.agent.admission.enabled -}}
{{- end }}

{{- /* Whether Muster binds pods by itself. */}}
{{- define "muster.binds" -}}
{{- and .Values.agent.enabled (eq .Values.agent.mode "manage") (eq .Values.agent.bind "direct") -}}
{{- end }}

{{- /* Whether kubectl muster may ask the server of this release through the API server. */}}
{{- define "muster.through" -}}
{{- and .Values.server.enabled .Values.agent.enabled .Values.agent.signpost.enabled .Values.agent.signpost.throughAPIServer -}}
{{- end }}
