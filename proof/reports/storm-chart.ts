import type { Answer, InjectedFault, History } from "../oracle/history.ts";

/** The data of the chart. */
export interface ChartInput {
  readonly history: History;
  readonly title: string;
  readonly subtitle: string;
  readonly stormMs: number;
  readonly quietMs: number;
}

const width = 1200;
const leftMargin = 84;
const rightMargin = 24;
const plotWidth = width - leftMargin - rightMargin;
const answersPanel = { top: 112, height: 250 };
const webhooksPanel = { top: 402, height: 90 };
const lanesTop = 532;
const laneHeight = 26;
const ink = "#1f2933";
const faint = "#7b8794";
const rule = "#e4e7eb";

/** Outcomes of a response, in the order in which the bars are stacked. */
const outcomes = [
  { name: "done", colour: "#2f9e6e" },
  { name: "refused", colour: "#8d99a6" },
  { name: "in process", colour: "#6ea8dc" },
  { name: "ask again", colour: "#f0b429" },
  { name: "no answer", colour: "#d64545" },
] as const;

type OutcomeName = (typeof outcomes)[number]["name"];

const lanes = [
  { name: "processes", colour: "#7c5cbf", matches: (kind: string) => kind.startsWith("process") },
  { name: "network", colour: "#dd8a2e", matches: (kind: string) => kind.startsWith("line") },
  { name: "provider", colour: "#3f83c4", matches: (kind: string) => kind.startsWith("provider") },
  { name: "database", colour: "#c23b4e", matches: () => true },
] as const;

/** Responses and webhooks per second, and the faults at the same time, as one SVG. */
export function drawChart(input: ChartInput): string {
  const { history, stormMs, quietMs } = input;
  const lastAnswerMs = history.answers.reduce((last, { answeredAtMs }) => Math.max(last, answeredAtMs), 0);
  const lastMs = Math.max(stormMs + quietMs, lastAnswerMs) + 1;
  const x = (ms: number): number => leftMargin + (ms / lastMs) * plotWidth;
  const height = lanesTop + lanes.length * laneHeight + 50;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, 'Helvetica Neue', Arial, sans-serif" font-size="13">`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    text(leftMargin, 36, input.title, { size: 22, weight: 600 }),
    text(leftMargin, 60, input.subtitle, { fill: faint, size: 14 }),
    legend(),
    phases(x, input, lastMs),
    buildResponseBars(history, x, lastMs),
    buildWebhookBars(history, x, lastMs),
    faultLanes(history.faults, x),
    databaseMarks(history.faults, x),
    timeAxis(x, lastMs, lanesTop + lanes.length * laneHeight),
    "</svg>",
    "",
  ].join("\n");
}

function legend(): string {
  let at = leftMargin;
  return outcomes
    .map(({ name, colour }) => {
      const legendItem = `<rect x="${at}" y="78" width="12" height="12" rx="2" fill="${colour}"/>${text(at + 18, 89, name)}`;
      at += 42 + name.length * 7.2;
      return legendItem;
    })
    .join("");
}

/** `phases` marks the end of the faults, the start of the last payment, and the time when all records were final. */
function phases(
  x: (ms: number) => number,
  { history, stormMs, quietMs }: ChartInput,
  lastMs: number,
): string {
  const faultsEndMs = Math.max(0, ...history.faults.map(({ atMs, forMs }) => atMs + forMs));
  const top = answersPanel.top;
  const bottom = webhooksPanel.top + webhooksPanel.height;
  const finalMs = stormMs + quietMs;
  const drawBand = (fromMs: number, untilMs: number, fill: string): string =>
    `<rect x="${x(fromMs)}" y="${top}" width="${x(untilMs) - x(fromMs)}" height="${bottom - top}" fill="${fill}"/>`;
  const drawLabel = (ms: number, content: string, anchor: "start" | "end"): string => {
    const at = x(ms);
    const line = `<line x1="${round(at)}" x2="${round(at)}" y1="${top - 6}" y2="${bottom}" stroke="${faint}" stroke-dasharray="2 3"/>`;
    return (
      line + text(anchor === "start" ? at + 5 : at - 5, top - 8, content, { fill: faint, size: 11, anchor })
    );
  };
  return [
    drawBand(0, faultsEndMs, "#fdf6ec"),
    drawBand(stormMs, finalMs, "#eef6f1"),
    faultsEndMs > 0 ? drawLabel(faultsEndMs, "faults over", "end") : "",
    // The two labels must not overlap if the time between them is short.
    stormMs - faultsEndMs > 3_000 ? drawLabel(stormMs, "last payment", "end") : "",
    finalMs < lastMs ? drawLabel(finalMs, "all final", x(finalMs) < width - 90 ? "start" : "end") : "",
  ].join("");
}

/** Duration of one bar: a second, or more if bars would be narrower than three pixels. */
function barMsOf(lastMs: number): number {
  return 1_000 * Math.ceil((lastMs * 3) / plotWidth / 1_000);
}

function buildResponseBars(history: History, x: (ms: number) => number, lastMs: number): string {
  const barMs = barMsOf(lastMs);
  const rates = Array.from({ length: Math.ceil(lastMs / barMs) }, () => new Map<OutcomeName, number>());
  const count = (atMs: number, name: OutcomeName): void => {
    const bar = rates[Math.floor(atMs / barMs)];
    bar?.set(name, (bar.get(name) ?? 0) + 1_000 / barMs);
  };
  for (const answer of history.answers) count(answer.answeredAtMs, outcomeOf(answer));
  for (const atMs of history.unansweredAtMs) count(atMs, "no answer");
  const maxValue = Math.max(
    10,
    ...rates.map((bar) => [...bar.values()].reduce((sum, each) => sum + each, 0)),
  );
  const scale = scaleFor(answersPanel, maxValue);
  const barWidth = Math.max(1, (plotWidth * barMs) / lastMs - 1);
  const bars = rates.map((bar, index) => {
    let stackedValue = 0;
    return outcomes
      .map(({ name, colour }) => {
        const value = bar.get(name) ?? 0;
        if (value === 0) return "";
        stackedValue += value;
        const top = scale.y(stackedValue);
        return `<rect x="${round(x(index * barMs))}" y="${round(top)}" width="${round(barWidth)}" height="${round(scale.y(stackedValue - value) - top)}" fill="${colour}"/>`;
      })
      .join("");
  });
  return [grid(scale, answersPanel, "answers per second"), ...bars].join("");
}

function outcomeOf({ resultStatus, id, verb }: Answer): OutcomeName {
  if (resultStatus === "S") return "done";
  if (resultStatus === "F") return "refused";
  return id !== undefined && verb !== "cancel" ? "in process" : "ask again";
}

function buildWebhookBars({ notifications }: History, x: (ms: number) => number, lastMs: number): string {
  const barMs = barMsOf(lastMs);
  const rates = new Map<number, number>();
  for (const { atMs } of notifications) {
    const bar = Math.floor(atMs / barMs);
    rates.set(bar, (rates.get(bar) ?? 0) + 1_000 / barMs);
  }
  const scale = scaleFor(webhooksPanel, Math.max(10, ...rates.values()));
  const barWidth = Math.max(1, (plotWidth * barMs) / lastMs - 1);
  const bars = [...rates].map(([bar, value]) => {
    const top = scale.y(value);
    const height = webhooksPanel.top + webhooksPanel.height - top;
    return `<rect x="${round(x(bar * barMs))}" y="${round(top)}" width="${round(barWidth)}" height="${round(height)}" fill="#4c6a92"/>`;
  });
  return [grid(scale, webhooksPanel, "webhooks per second"), ...bars].join("");
}

function faultLanes(faults: readonly InjectedFault[], x: (ms: number) => number): string {
  return lanes
    .map(({ name, colour }, index) => {
      const top = lanesTop + index * laneHeight;
      const laneFaults = faults.filter(
        ({ kind }) => lanes.find(({ matches }) => matches(kind))?.name === name,
      );
      const marks = laneFaults.map(({ kind, target, atMs, forMs }) => {
        const length = Math.max(2.5, x(atMs + forMs) - x(atMs));
        return `<rect x="${round(x(atMs))}" y="${top + 5}" width="${round(length)}" height="${laneHeight - 10}" rx="1.5" fill="${colour}" fill-opacity="0.72"><title>${escape(`${kind}: ${target}, ${Math.round(forMs)} ms`)}</title></rect>`;
      });
      return [
        `<line x1="${leftMargin}" x2="${width - rightMargin}" y1="${top + laneHeight}" y2="${top + laneHeight}" stroke="${rule}"/>`,
        text(leftMargin - 10, top + 17, name, { anchor: "end", size: 12 }),
        ...marks,
      ].join("");
    })
    .join("");
}

/** The loss of a primary has its own mark, because readers look for it first. */
function databaseMarks(faults: readonly InjectedFault[], x: (ms: number) => number): string {
  const primaryLosses = faults.filter(({ kind }) => kind.startsWith("failover") || kind === "primary killed");
  let busyUntil = 0;
  return primaryLosses
    .toSorted((a, b) => a.atMs - b.atMs)
    .map(({ kind, atMs }) => {
      const at = x(atMs);
      const hasRoom = at > busyUntil;
      if (hasRoom) busyUntil = at + kind.length * 6 + 12;
      const line = `<line x1="${round(at)}" x2="${round(at)}" y1="${answersPanel.top}" y2="${lanesTop + lanes.length * laneHeight}" stroke="#c23b4e" stroke-dasharray="4 3" stroke-opacity="0.75"/>`;
      return line + (hasRoom ? text(at + 4, lanesTop - 8, kind, { fill: "#c23b4e", size: 11 }) : "");
    })
    .join("");
}

interface Scale {
  readonly maxValue: number;
  readonly step: number;
  y(value: number): number;
}

function scaleFor({ top, height }: typeof answersPanel, maxValue: number): Scale {
  const roughStep = maxValue / 4;
  const power = 10 ** Math.floor(Math.log10(roughStep));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= roughStep) ?? roughStep;
  const roundedMax = Math.ceil(maxValue / step) * step;
  return { maxValue: roundedMax, step, y: (value) => top + height - (value / roundedMax) * height };
}

function grid({ maxValue, step, y }: Scale, panel: typeof answersPanel, title: string): string {
  const steps = Array.from({ length: Math.round(maxValue / step) + 1 }, (_, index) => index * step);
  return [
    ...steps.map(
      (value) =>
        `<line x1="${leftMargin}" x2="${width - rightMargin}" y1="${round(y(value))}" y2="${round(y(value))}" stroke="${rule}"/>${text(leftMargin - 10, y(value) + 4, String(value), { anchor: "end", fill: faint, size: 12 })}`,
    ),
    `<text transform="translate(22 ${panel.top + panel.height / 2}) rotate(-90)" text-anchor="middle" fill="${ink}" font-size="12">${title}</text>`,
  ].join("");
}

function timeAxis(x: (ms: number) => number, lastMs: number, bottom: number): string {
  const stepSeconds =
    [1, 2, 5, 10, 20, 30, 60, 120, 300, 600].find((each) => lastMs / 1_000 / each <= 14) ?? 1_200;
  const ticks = Array.from(
    { length: Math.floor(lastMs / 1_000 / stepSeconds) + 1 },
    (_, index) => index * stepSeconds,
  );
  return [
    ...ticks.map((second) =>
      text(x(second * 1_000), bottom + 20, String(second), { anchor: "middle", fill: faint, size: 12 }),
    ),
    text(leftMargin + plotWidth / 2, bottom + 40, "seconds since the first payment", {
      anchor: "middle",
      size: 12,
    }),
  ].join("");
}

interface TextStyle {
  readonly fill?: string;
  readonly size?: number;
  readonly weight?: number;
  readonly anchor?: "start" | "middle" | "end";
}

function text(x: number, y: number, content: string, style: TextStyle = {}): string {
  const { fill = ink, size = 13, weight = 400, anchor = "start" } = style;
  return `<text x="${round(x)}" y="${round(y)}" fill="${fill}" font-size="${size}" font-weight="${weight}" text-anchor="${anchor}">${escape(content)}</text>`;
}

function escape(content: string): string {
  return content.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
