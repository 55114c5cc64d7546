{{- define "tollgate.name" -}}
{{- if contains "tollgate" .Release.Name }}{{ .Release.Name }}{{ else }}{{ printf "%s-tollgate" .Release.Name }}{{ end -}}
{{- end -}}

{{- define "tollgate.image" -}}
{{- with .Values.image -}}
{{ .repository }}{{ if .digest }}@{{ .digest }}{{ else }}:{{ .tag | default $.Chart.AppVersion }}{{ end -}}
{{- end -}}
{{- end -}}

{{- /* Labels that select the pods of one component. Parameters: root, component. */ -}}
{{- define "tollgate.selector" -}}
app.kubernetes.io/name: tollgate
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{- define "tollgate.labels" -}}
{{ include "tollgate.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- end -}}

{{- /* Secrets are mounted for this group, with mode 0440. */ -}}
{{- define "tollgate.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "tollgate.containerSecurity" -}}
allowPrivilegeEscalation: false
privileged: false
readOnlyRootFilesystem: true
runAsNonRoot: true
capabilities:
  drop: [ALL]
{{- end -}}

{{- /* Common part of every pod. Parameter: root. */ -}}
{{- define "tollgate.pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  {{- include "tollgate.podSecurity" . | nindent 2 }}
{{- end -}}

{{- /* Secrets as files that only the gateway may read. Parameters: root, and the login of the database URL. */ -}}
{{- define "tollgate.volumes" -}}
{{- $login := index .root.Values.secrets .login -}}
{{- if ne .component "migrate" }}
- name: key
  secret:
    secretName: {{ .root.Values.secrets.key.secret }}
    defaultMode: 0400
    optional: false
    items: [{ key: {{ .root.Values.secrets.key.item }}, path: key }]
{{- end }}
- name: url
  secret:
    secretName: {{ $login.secret }}
    defaultMode: 0400
    optional: false
    items: [{ key: {{ $login.item }}, path: url }]
{{- with .root.Values.databaseCa }}
- name: database-ca
  configMap:
    name: {{ . }}
{{- end }}
{{- end -}}

{{- define "tollgate.mounts" -}}
{{- if ne .component "migrate" }}
- { name: key, mountPath: /secrets/key, subPath: key, readOnly: true }
{{- end }}
- { name: url, mountPath: /secrets/url, subPath: url, readOnly: true }
{{- if .root.Values.databaseCa }}
- { name: database-ca, mountPath: /database-ca, readOnly: true }
{{- end }}
{{- end -}}

{{- /* Spreads the pods of one component over nodes and zones, separately for each release. */ -}}
{{- define "tollgate.spread" -}}
{{- range $key := list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
- maxSkew: 1
  topologyKey: {{ $key }}
  whenUnsatisfiable: {{ $.root.Values.spread.whenUnsatisfiable }}
  matchLabelKeys: [pod-template-hash]
  labelSelector:
    matchLabels:
      {{- include "tollgate.selector" $ | nindent 6 }}
{{- end }}
{{- end -}}

{{- /* Health checks use the operators' port, which returns the reason. Merchants cannot reach it. */ -}}
{{- define "tollgate.probes" -}}
startupProbe:
  httpGet: { path: /livez, port: operators }
  periodSeconds: 2
  failureThreshold: 60
livenessProbe:
  httpGet: { path: /livez, port: operators }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
readinessProbe:
  httpGet: { path: /readyz, port: operators }
  periodSeconds: 2
  timeoutSeconds: 2
  failureThreshold: 2
{{- end -}}
