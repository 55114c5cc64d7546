/** The metrics of a connector. All labels are from closed lists. */
const metrics = {
  gateway_calls: "Requests of the gateway by call and result code.",
  provider_calls: "Messages to the provider by function and outcome.",
  provider_seconds: "Sum of the time that messages to the provider took, by function.",
  webhooks: "Webhooks of the provider by outcome.",
  callbacks: "Attempts to deliver callbacks to the gateway by outcome.",
  contradictions: "Reports of the provider that contradict the recorded state.",
  open_callbacks: "Callbacks that the gateway has not acknowledged.",
  open_webhook_events: "Webhook events that are not handled.",
  unknown_sends: "Messages to the provider without a known outcome.",
} as const;

export type MetricName = keyof typeof metrics;

export interface ConnectorMeter {
  add(name: MetricName, label: string, by?: number): void;
  set(name: MetricName, value: number): void;
  /** All metrics in the text format of Prometheus. */
  text(): string;
}

const gauges: readonly MetricName[] = ["open_callbacks", "open_webhook_events", "unknown_sends"];

export function newConnectorMeter(): ConnectorMeter {
  const values = new Map<string, number>();
  return {
    add(name, label, by = 1) {
      const series = `tollgate_connector_${name}_total{kind="${label.replaceAll(/[^\w.:-]/g, "_")}"}`;
      values.set(series, (values.get(series) ?? 0) + by);
    },
    set: (name, value) => void values.set(`tollgate_connector_${name}`, value),
    text() {
      const lines = (Object.keys(metrics) as MetricName[]).flatMap((name) => {
        const isGauge = gauges.includes(name);
        const family = `tollgate_connector_${name}${isGauge ? "" : "_total"}`;
        const series = [...values].filter(([key]) => key === family || key.startsWith(`${family}{`));
        if (series.length === 0) return [];
        const type = isGauge ? "gauge" : "counter";
        const header = [`# HELP ${family} ${metrics[name]}`, `# TYPE ${family} ${type}`];
        return [...header, ...series.map(([key, value]) => `${key} ${value}`)];
      });
      return `${lines.join("\n")}\n`;
    },
  };
}
