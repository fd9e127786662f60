{{- define "mynah.name" -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" }}-mynah
{{- end }}

{{- /* Labels of a part: (dict "root" $ "part" "gateway"). */}}
{{- define "mynah.selector" -}}
app.kubernetes.io/name: mynah
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .part }}
{{- end }}

{{- define "mynah.labels" -}}
{{ include "mynah.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end }}

{{- define "mynah.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "mynah.containerSecurity" -}}
readOnlyRootFilesystem: true
allowPrivilegeEscalation: false
capabilities: { drop: [ALL] }
{{- end }}

{{- define "mynah.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- /* Environment of gateways and workers: (dict "root" $ "settings" …). */}}
{{- define "mynah.environment" -}}
- { name: MYNAH_LOG_FORMAT, value: json }
# A folder that the server creates with mode 0700.
- { name: MYNAH_DATA, value: /data/mynah }
- name: MYNAH_NATS_URL
{{- if .root.Values.nats.enabled }}
  value: nats://{{ include "mynah.name" .root }}-nats:4222
{{- else }}
  valueFrom: { secretKeyRef: { name: {{ .root.Values.existingSecret }}, key: MYNAH_NATS_URL } }
{{- end }}
{{- range $name, $value := .settings }}
- name: {{ $name }}
  value: {{ $value | toString | quote }}
{{- end }}
{{- end }}

{{- define "mynah.mounts" -}}
- { name: data, mountPath: /data }
- { name: temporary, mountPath: /tmp }
- { name: models, mountPath: /models }
{{- end }}

{{- define "mynah.volumes" -}}
- { name: data, emptyDir: {} }
- { name: temporary, emptyDir: {} }
- name: models
{{- if .Values.models.existingClaim }}
  persistentVolumeClaim: { claimName: {{ .Values.models.existingClaim }} }
{{- else }}
  emptyDir: {}
{{- end }}
{{- end }}
