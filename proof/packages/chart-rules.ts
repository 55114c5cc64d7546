import type { Container, Labels, Manifest, PodSpec } from "../installation/manifest.ts";

type Chart = readonly Manifest[];

/** The long-running processes. */
const processes = ["serve", "staff", "work"];

/** Rules for a rendered chart, in addition to the schemas of Kubernetes. Each returns the violations. */
const chartRules: Readonly<Record<string, (chart: Chart) => readonly string[]>> = {
  "every process is confined": (chart) =>
    containersOf(chart).flatMap(({ pod, container, where }) => {
      const { securityContext: containerContext } = container;
      const isConfined =
        pod.securityContext?.runAsNonRoot === true &&
        pod.securityContext.seccompProfile?.type === "RuntimeDefault" &&
        pod.automountServiceAccountToken === false &&
        containerContext?.readOnlyRootFilesystem === true &&
        containerContext.allowPrivilegeEscalation === false &&
        containerContext.capabilities?.drop?.includes("ALL") === true;
      return isConfined ? [] : [where];
    }),
  "every process is bounded": (chart) =>
    containersOf(chart)
      .filter(
        ({ container: { resources } }) => !resources?.requests?.["cpu"] || !resources.limits?.["memory"],
      )
      .map(({ where }) => where),
  "secrets come from outside": (chart) => [
    ...chart.filter(({ kind }) => kind === "Secret").map(({ metadata }) => `Secret ${metadata.name}`),
    ...(/:\/\/[^/"\s]*:[^/"\s]*@/.test(JSON.stringify(chart)) ? ["an address with a password"] : []),
  ],
  "only migrate and operate have the owner's login": (chart) => {
    const secretsOf = (name: string): readonly string[] =>
      (podOf(chart, name)?.volumes ?? []).flatMap(({ secret }) => (secret ? [secret.secretName] : []));
    const owners = secretsOf("migrate").filter((secret) => secretsOf("operate").includes(secret));
    if (owners.length === 0) return ["no process has the owner's login"];
    return processes.filter((name) => owners.some((secret) => secretsOf(name).includes(secret)));
  },
  "only staff has the login of the operator console": (chart) => {
    const podsWithLogin = podsOf(chart).filter(({ spec }) =>
      spec.volumes?.some(({ secret }) => secret?.secretName === "tollgate-staff"),
    );
    const settings = chart.find(({ kind }) => kind === "ConfigMap")?.data ?? {};
    const isShared = Object.keys(settings).some((name) => name.startsWith("TOLLGATE_STAFF_"));
    const isExclusive = podsWithLogin.length === 1 && podsWithLogin[0]?.component === "staff";
    return isExclusive && !isShared ? [] : ["the login of the operator console"];
  },
  "health checks use the operators' port": (chart) =>
    processes.filter((name) => {
      const [container] = podOf(chart, name)?.containers ?? [];
      const probes = [container?.startupProbe, container?.livenessProbe, container?.readinessProbe];
      const hasPort = container?.ports?.some(
        (port) => port.name === "operators" && port.containerPort === 9_464,
      );
      return !hasPort || !probes.every((probe) => probe?.httpGet?.port === "operators");
    }),
  "a pod has enough time to stop": (chart) => {
    const drainSeconds = Number(
      chart.find(({ kind }) => kind === "ConfigMap")?.data?.["TOLLGATE_DRAIN_SECONDS"],
    );
    const pod = podOf(chart, "serve");
    const preStopSeconds = pod?.containers[0]?.lifecycle?.preStop?.sleep?.seconds ?? 0;
    const hasTime = (pod?.terminationGracePeriodSeconds ?? 30) >= preStopSeconds + drainSeconds + 20;
    return drainSeconds > 0 && hasTime ? [] : ["serve"];
  },
  "the pods of a process run on different nodes": (chart) =>
    processes.filter((name) => {
      const labels = labelsOf(chart, name);
      const spread = podOf(chart, name)?.topologySpreadConstraints ?? [];
      const budgets = chart.filter(
        ({ kind, spec }) => kind === "PodDisruptionBudget" && selects(spec?.selector?.matchLabels, labels),
      );
      const isSpread = spread.some(({ labelSelector }) => selects(labelSelector.matchLabels, labels));
      return budgets.length !== 1 || !isSpread;
    }),
  "every pod has its network policy": (chart) =>
    podsOf(chart)
      .filter(
        ({ labels }) =>
          !chart.some(
            ({ kind, spec }) => kind === "NetworkPolicy" && selects(spec?.podSelector?.matchLabels, labels),
          ),
      )
      .map(({ name }) => name),
  "a service leads to a port of its pods": (chart) =>
    chart
      .filter(({ kind }) => kind === "Service")
      .filter(({ spec }) => {
        const pods = podsOf(chart).filter(({ labels }) => selects(spec?.selector, labels));
        const ports = pods.flatMap(({ spec: pod }) => pod.containers.flatMap((each) => each.ports ?? []));
        return !spec?.ports?.every(({ targetPort }) => ports.some(({ name }) => name === targetPort));
      })
      .map(({ metadata }) => metadata.name),
  "merchants can only reach serve": (chart) => {
    const service = chart.find(
      ({ kind, spec }) => kind === "Service" && spec?.ports?.[0]?.name === "merchants",
    );
    const reachedPods = podsOf(chart).filter(({ labels }) => selects(service?.spec?.selector, labels));
    return reachedPods.length === 1 && reachedPods[0]?.component === "serve"
      ? []
      : ["the service of merchants"];
  },
  "the service of staff leads only to staff": (chart) => {
    const services = chart.filter(
      ({ kind, spec }) => kind === "Service" && spec?.ports?.[0]?.name === "staff",
    );
    const reachedPods = services.flatMap(({ spec }) =>
      podsOf(chart).filter(({ labels }) => selects(spec?.selector, labels)),
    );
    return reachedPods.length === 1 && reachedPods[0]?.component === "staff" ? [] : ["the service of staff"];
  },
  "the monitor finds the service of metrics": (chart) =>
    chart
      .filter(({ kind }) => kind === "ServiceMonitor")
      .filter(({ spec }) => {
        const service = chart.find(
          ({ kind, metadata }) =>
            kind === "Service" && selects(spec?.selector?.matchLabels, metadata.labels ?? {}),
        );
        return !service?.spec?.ports?.some(({ name }) => name === spec?.endpoints?.[0]?.port);
      })
      .map(({ metadata }) => metadata.name),
  "migrate completes before any other change": (chart) => {
    const job = chart.find(({ kind }) => kind === "Job");
    return job?.metadata.annotations?.["helm.sh/hook"] === "pre-install,pre-upgrade" ? [] : ["migrate"];
  },
};

/** All violations, with the rule that each breaks. */
export function findChartProblems(chart: Chart): readonly string[] {
  return Object.entries(chartRules).flatMap(([rule, findViolations]) =>
    findViolations(chart).map((where) => `not so: ${rule} (${where})`),
  );
}

interface Pod {
  readonly name: string;
  readonly component: string;
  readonly labels: Labels;
  readonly spec: PodSpec;
}

function podsOf(chart: Chart): readonly Pod[] {
  return chart.flatMap(({ metadata, spec }) => {
    if (!spec?.template) return [];
    const { labels } = spec.template.metadata;
    const component = labels["app.kubernetes.io/component"] ?? "";
    return [{ name: metadata.name, component, labels, spec: spec.template.spec }];
  });
}

function podOf(chart: Chart, component: string): PodSpec | undefined {
  return podsOf(chart).find((pod) => pod.component === component)?.spec;
}

function labelsOf(chart: Chart, component: string): Labels {
  return podsOf(chart).find((pod) => pod.component === component)?.labels ?? {};
}

interface ContainerInPod {
  readonly pod: PodSpec;
  readonly container: Container;
  readonly where: string;
}

function containersOf(chart: Chart): readonly ContainerInPod[] {
  return podsOf(chart).flatMap(({ name, spec }) =>
    spec.containers.map((container) => ({ pod: spec, container, where: `${name}/${container.name}` })),
  );
}

/**
 * Returns whether a selector selects these labels. An empty or missing selector is a mistake in the chart, so it
 * selects nothing here.
 */
function selects(selector: Readonly<Record<string, unknown>> | undefined, labels: Labels): boolean {
  const selectorLabels = Object.entries(selector ?? {});
  return selectorLabels.length > 0 && selectorLabels.every(([name, value]) => labels[name] === value);
}
