import { randomBytes } from "node:crypto";
import type { Answer } from "../../../clients/typescript/src/call.ts";
import type { ConfiguredGateway } from "./configured-gateway.ts";
import { clockPatienceMs, repeatUntil } from "./repeat-until.ts";
import { sendRaw, type RawRequest } from "./signed-request.ts";
import { controlProvider, type ControlAnswer } from "./provider-control.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** One step that a trigger or a scenario performs, as the command prints it. */
export interface Step {
  readonly action: string;
  readonly outcome: string;
}

/** An event of the merchant's feed. */
export interface SandboxEvent {
  readonly cursor: string;
  readonly kind: string;
  readonly body: string;
}

/** The sandbox with all actors: the merchant as caller, the buyer, and the provider. */
export interface Sandbox {
  readonly clientId: string;
  /** Calls an operation, and returns the response, also a rejection. */
  send(operation: string, body: Fields): Promise<Answer<Fields>>;
  /** Like `send`, but repeats the request until the result status is no longer `U`. */
  settle(operation: string, body: Fields): Promise<Answer<Fields>>;
  /** Like `settle`, but throws unless the result status is `S`. */
  requestSuccess(operation: string, body: Fields): Promise<Answer<Fields>>;
  /** Polls without printing until `isDone` is true for the response. */
  until(operation: string, body: Fields, isDone: (answer: Fields) => boolean): Promise<Fields>;
  /** Waits for an event of this kind that contains all of these texts, since the sandbox was opened. */
  waitForWebhook(kind: string, ...names: readonly string[]): Promise<SandboxEvent>;
  /** Acts as the buyer or the provider, through the provider's control interface. */
  controlProvider(line: string, body?: Fields): Promise<ControlAnswer>;
  /** Sends a request that the client library would not send. */
  raw(request: RawRequest): Promise<Fields>;
  /** Submits the form of one of our pages, as a browser does. */
  submit(pageUrl: string, fields: Readonly<Record<string, string>>): Promise<void>;
  /** Advances the merchant's test clock. */
  advance(seconds: number): Promise<void>;
  /** A new, unused request id. */
  newId(what: string): string;
}

export async function openSandbox(
  gateway: ConfiguredGateway,
  onStep: (step: Step) => void,
): Promise<Sandbox> {
  const { client, caller } = gateway;
  const { nextCursor: since = "0" } = await client.tollgate.inquiryEvents({ cursor: "latest", limit: 1 });
  const reportStep = async <Result extends object>(
    action: string,
    pending: Promise<Result>,
  ): Promise<Result> => {
    const result = await pending.catch((error: Error) => {
      onStep({ action, outcome: error.message });
      throw error;
    });
    onStep({ action, outcome: describeResult(result) });
    return result;
  };
  const requestOperation: Sandbox["send"] = (operation, body) =>
    client.request(operation, body, { throwOnFailure: false });
  const settle = (operation: string, body: Fields, patienceMs?: number): Promise<Answer<Fields>> => {
    const isSettled = (answer: Answer<Fields>): boolean => !answer.isPending;
    return reportStep(
      operation,
      repeatUntil(() => requestOperation(operation, body), isSettled, patienceMs),
    );
  };
  const mustSucceed = async (
    operation: string,
    body: Fields,
    patienceMs?: number,
  ): Promise<Answer<Fields>> => {
    const answer = await settle(operation, body, patienceMs);
    const { resultStatus, resultCode, resultMessage } = answer.result;
    if (resultStatus !== "S") throw new Error(`${operation} was answered ${resultCode}: ${resultMessage}`);
    return answer;
  };
  return {
    clientId: caller.clientId,
    send: (operation, body) => reportStep(operation, requestOperation(operation, body)),
    settle: (operation, body) => settle(operation, body),
    requestSuccess: (operation, body) => mustSucceed(operation, body),
    until: (operation, body, isDone) => repeatUntil(() => requestOperation(operation, body), isDone),
    async waitForWebhook(kind, ...names) {
      const isExpected = (event: SandboxEvent): boolean =>
        event.kind === kind && names.every((name) => event.body.includes(name));
      const { events = [] } = await repeatUntil(
        () => client.tollgate.inquiryEvents({ cursor: since, limit: 500 }),
        ({ events: received = [] }) => received.some(isExpected),
      );
      const event = events.find(isExpected);
      if (!event) throw new Error(`There was no webhook ${[kind, ...names].join(" ")}.`);
      return event;
    },
    controlProvider: (line, body) => reportStep(`wallet: ${line}`, controlProvider(gateway, line, body)),
    raw: (request) =>
      request.isQuiet ? sendRaw(caller, request) : reportStep(request.operation, sendRaw(caller, request)),
    async submit(pageUrl, fields) {
      const body = new URLSearchParams(fields);
      const response = fetch(pageUrl, { method: "POST", body, redirect: "manual" });
      const { status } = await reportStep("the buyer's page", response);
      if (status >= 400) throw new Error(`The page answered ${status}.`);
    },
    async advance(bySeconds) {
      await mustSucceed("tollgate/advanceClock", { turnRequestId: newId("cli"), bySeconds }, clockPatienceMs);
    },
    newId,
  };
}

/** Returns a new id. It is short, because a registration's id has at most 32 characters. */
function newId(prefix: string): string {
  return `${prefix}-${randomBytes(8).toString("hex")}`;
}

/**
 * Returns the result code of an API response, or the record's state from a response of the provider's control
 * interface.
 */
function describeResult(response: object): string {
  const { result, ...records } = response as {
    readonly result?: { readonly resultCode?: string };
    readonly [name: string]: unknown;
  };
  if (result?.resultCode !== undefined) return result.resultCode;
  const states = Object.values(records).map((each) => (each as { readonly state?: string } | null)?.state);
  return states.find((state) => typeof state === "string") ?? "done";
}
