/** A seeded mistake in the rendered chart, which the examination must find. */
interface ErrorInChart {
  readonly instead: string;
  readonly mistake: string | RegExp;
  readonly by: string;
}

/** The first match is replaced. */
export const errorsInChart: readonly ErrorInChart[] = [
  { instead: "a number is a word", mistake: "replicas: 3", by: "replicas: three" },
  { instead: "a field has another name", mistake: "maxUnavailable: 1\n", by: "maxUnavailables: 1\n" },
  { instead: "it may run as root", mistake: "runAsNonRoot: true", by: "runAsNonRoot: false" },
  {
    instead: "its root can be written",
    mistake: "readOnlyRootFilesystem: true",
    by: "readOnlyRootFilesystem: false",
  },
  { instead: "it keeps capabilities", mistake: "drop: [ALL]", by: "drop: [NET_RAW]" },
  { instead: "it may take all memory", mistake: /limits:\s+memory: 1Gi/, by: "limits: {}" },
  {
    instead: "it has a token of the cluster",
    mistake: "automountServiceAccountToken: false",
    by: "automountServiceAccountToken: true",
  },
  {
    instead: "serve has the owner's login",
    mistake: "secretName: tollgate-serve",
    by: "secretName: tollgate-owner",
  },
  {
    instead: "work has the login of the operator console",
    mistake: "secretName: tollgate-work",
    by: "secretName: tollgate-staff",
  },
  {
    instead: "staff's service leads to serve",
    mistake: /(kind: Service\n[^]*?spec:\n  selector:[^]*?component: )staff/,
    by: "$1serve",
  },
  {
    instead: "health checks use the merchants' port",
    mistake: "path: /readyz, port: operators",
    by: "path: /readyz, port: merchants",
  },
  {
    instead: "it is killed while it drains",
    mistake: "terminationGracePeriodSeconds: 45",
    by: "terminationGracePeriodSeconds: 10",
  },
  {
    instead: "it leaves without draining",
    mistake: 'TOLLGATE_DRAIN_SECONDS: "10"',
    by: 'TOLLGATE_DRAIN_SECONDS: "0"',
  },
  {
    instead: "a budget is of no pod",
    mistake: /(kind: PodDisruptionBudget[^]*?selector:[^]*?component: )\w+/,
    by: "$1server",
  },
  {
    instead: "a policy is of no pod",
    mistake: /(kind: NetworkPolicy[^]*?podSelector:[^]*?component: )\w+/,
    by: "$1server",
  },
  {
    instead: "merchants reach the worker",
    mistake: /(kind: Service\n[^]*?spec:\n  selector:[^]*?component: )serve/,
    by: "$1work",
  },
  {
    instead: "the monitor finds nothing",
    mistake: "port: operators\n      path: /metrics",
    by: "port: metrics\n      path: /metrics",
  },
  {
    instead: "migrate is no hook",
    mistake: "helm.sh/hook: pre-install,pre-upgrade",
    by: "helm.sh/hook: post-install",
  },
  {
    instead: "a password is in a setting",
    mistake: 'TOLLGATE_LOG_LEVEL: "info"',
    by: 'TOLLGATE_LOG_LEVEL: "postgres://a:b@c/d"',
  },
];

/** Values that helm must reject, by the chart's own schema. */
export const refusedValues: readonly string[] = [
  "environment=production",
  "image.repository=",
  "publicUrl=pay.example",
  "serve.replicas=0",
  "settings.TOLLGATE_DATABASE_URL=postgres://a:b@c/d",
  "secrets.key.name=other",
];
