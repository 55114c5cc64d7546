/** A seeded mistake in the rendered chart, which the examination must find. */
interface SeededMistake {
  readonly mistake: string;
  readonly original: string | RegExp;
  readonly replacement: string;
}

/** The first match is replaced. */
export const seededMistakes: readonly SeededMistake[] = [
  { mistake: "a number is a word", original: "replicas: 3", replacement: "replicas: three" },
  {
    mistake: "a field has another name",
    original: "maxUnavailable: 1\n",
    replacement: "maxUnavailables: 1\n",
  },
  { mistake: "it may run as root", original: "runAsNonRoot: true", replacement: "runAsNonRoot: false" },
  {
    mistake: "its root can be written",
    original: "readOnlyRootFilesystem: true",
    replacement: "readOnlyRootFilesystem: false",
  },
  { mistake: "it keeps capabilities", original: "drop: [ALL]", replacement: "drop: [NET_RAW]" },
  { mistake: "it may take all memory", original: /limits:\s+memory: 1Gi/, replacement: "limits: {}" },
  {
    mistake: "it has a token of the cluster",
    original: "automountServiceAccountToken: false",
    replacement: "automountServiceAccountToken: true",
  },
  {
    mistake: "serve has the owner's login",
    original: "secretName: tollgate-serve",
    replacement: "secretName: tollgate-owner",
  },
  {
    mistake: "work has the login of the operator console",
    original: "secretName: tollgate-work",
    replacement: "secretName: tollgate-staff",
  },
  {
    mistake: "staff's service leads to serve",
    original: /(kind: Service\n[^]*?spec:\n  selector:[^]*?component: )staff/,
    replacement: "$1serve",
  },
  {
    mistake: "health checks use the merchants' port",
    original: "path: /readyz, port: operators",
    replacement: "path: /readyz, port: merchants",
  },
  {
    mistake: "it is killed while it drains",
    original: "terminationGracePeriodSeconds: 45",
    replacement: "terminationGracePeriodSeconds: 10",
  },
  {
    mistake: "it leaves without draining",
    original: 'TOLLGATE_DRAIN_SECONDS: "10"',
    replacement: 'TOLLGATE_DRAIN_SECONDS: "0"',
  },
  {
    mistake: "a budget is of no pod",
    original: /(kind: PodDisruptionBudget[^]*?selector:[^]*?component: )\w+/,
    replacement: "$1server",
  },
  {
    mistake: "a policy is of no pod",
    original: /(kind: NetworkPolicy[^]*?podSelector:[^]*?component: )\w+/,
    replacement: "$1server",
  },
  {
    mistake: "merchants reach the worker",
    original: /(kind: Service\n[^]*?spec:\n  selector:[^]*?component: )serve/,
    replacement: "$1work",
  },
  {
    mistake: "the monitor finds nothing",
    original: "port: operators\n      path: /metrics",
    replacement: "port: metrics\n      path: /metrics",
  },
  {
    mistake: "migrate is no hook",
    original: "helm.sh/hook: pre-install,pre-upgrade",
    replacement: "helm.sh/hook: post-install",
  },
  {
    mistake: "a password is in a setting",
    original: 'TOLLGATE_LOG_LEVEL: "info"',
    replacement: 'TOLLGATE_LOG_LEVEL: "postgres://a:b@c/d"',
  },
];

/** Values that helm must reject, by the chart's own schema. */
export const rejectedValues: readonly string[] = [
  "environment=production",
  "image.repository=",
  "publicUrl=pay.example",
  "serve.replicas=0",
  "settings.TOLLGATE_DATABASE_URL=postgres://a:b@c/d",
  "secrets.key.name=other",
];
