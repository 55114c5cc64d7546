import { randomBytes } from "node:crypto";
import type { Answer } from "../../../clients/typescript/src/call.ts";
import type { KnownGateway } from "./known-gateway.ts";
import { clockPatienceMs, repeatUntil } from "./repeat-until.ts";
import { sendRaw, type RawRequest } from "./raw-call.ts";
import { controlWallet, type ProviderAnswer } from "./wallet-control.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** One step that a trigger or a scenario performs, as the command prints it. */
export interface Step {
  readonly did: string;
  readonly came: string;
}

/** An event of the merchant's feed. */
export interface ToldEvent {
  readonly cursor: string;
  readonly kind: string;
  readonly body: string;
}

/** The sandbox with all actors: the merchant as caller, the buyer, and the provider. */
export interface Sandbox {
  /** Calls an operation, and returns the response, also a rejection. */
  ask(operation: string, body: Fields): Promise<Answer<Fields>>;
  /** Like `ask`, but repeats the request until the result status is no longer `U`. */
  settle(operation: string, body: Fields): Promise<Answer<Fields>>;
  /** Like `settle`, but throws unless the result status is `S`. */
  must(operation: string, body: Fields): Promise<Answer<Fields>>;
  /** Polls without printing until `isSo` is true for the response. */
  until(operation: string, body: Fields, isSo: (answer: Fields) => boolean): Promise<Fields>;
  /** Waits for an event of this kind that contains all of these texts, since the sandbox was opened. */
  told(kind: string, ...names: readonly string[]): Promise<ToldEvent>;
  /** Acts as the buyer or the provider, through the provider's control interface. */
  wallet(line: string, body?: Fields): Promise<ProviderAnswer>;
  /** Sends a request that the client library would not send. */
  raw(request: RawRequest): Promise<Fields>;
  /** Submits the form of one of our pages, as a browser does. */
  submit(pageUrl: string, fields: Readonly<Record<string, string>>): Promise<void>;
  /** Advances the merchant's test clock. */
  advance(seconds: number): Promise<void>;
  /** A new, unused request id. */
  newId(what: string): string;
}

export async function openSandbox(gateway: KnownGateway, onStep: (step: Step) => void): Promise<Sandbox> {
  const { client, caller } = gateway;
  const { nextCursor: since = "0" } = await client.tollgate.inquiryEvents({ cursor: "latest", limit: 1 });
  const shown = async <Came extends object>(did: string, doing: Promise<Came>): Promise<Came> => {
    const came = await doing.catch((error: Error) => {
      onStep({ did, came: error.message });
      throw error;
    });
    onStep({ did, came: outcomeOf(came) });
    return came;
  };
  const call = (operation: string, body: Fields): Promise<Answer<Fields>> =>
    client.request(operation, body, { throwOnFailure: false });
  const settle = (operation: string, body: Fields, patienceMs?: number): Promise<Answer<Fields>> => {
    const isSettled = (answer: Answer<Fields>): boolean => !answer.isPending;
    return shown(
      operation,
      repeatUntil(() => call(operation, body), isSettled, patienceMs),
    );
  };
  const must = async (operation: string, body: Fields, patienceMs?: number): Promise<Answer<Fields>> => {
    const answer = await settle(operation, body, patienceMs);
    const { resultStatus, resultCode, resultMessage } = answer.result;
    if (resultStatus !== "S") throw new Error(`${operation} was answered ${resultCode}: ${resultMessage}`);
    return answer;
  };
  return {
    ask: (operation, body) => shown(operation, call(operation, body)),
    settle: (operation, body) => settle(operation, body),
    must: (operation, body) => must(operation, body),
    until: (operation, body, isSo) => repeatUntil(() => call(operation, body), isSo),
    async told(kind, ...names) {
      const isMeant = (event: ToldEvent): boolean =>
        event.kind === kind && names.every((name) => event.body.includes(name));
      const { events = [] } = await repeatUntil(
        () => client.tollgate.inquiryEvents({ cursor: since, limit: 500 }),
        ({ events: heard = [] }) => heard.some(isMeant),
      );
      const event = events.find(isMeant);
      if (!event) throw new Error(`There was no webhook ${[kind, ...names].join(" ")}.`);
      return event;
    },
    wallet: (line, body) => shown(`wallet: ${line}`, controlWallet(gateway, line, body)),
    raw: (request) =>
      request.isQuiet ? sendRaw(caller, request) : shown(request.operation, sendRaw(caller, request)),
    async submit(pageUrl, fields) {
      const posted = fetch(pageUrl, {
        method: "POST",
        body: new URLSearchParams(fields),
        redirect: "manual",
      });
      const { status } = await shown("the buyer's page", posted);
      if (status >= 400) throw new Error(`The page answered ${status}.`);
    },
    async advance(bySeconds) {
      await must("tollgate/advanceClock", { turnRequestId: newId("cli"), bySeconds }, clockPatienceMs);
    },
    newId,
  };
}

/** Returns a new id. It is short, because a registration's id has at most 32 characters. */
function newId(what: string): string {
  return `${what}-${randomBytes(8).toString("hex")}`;
}

/**
 * Returns the result code of an API response, or the record's state from a response of the provider's control
 * interface.
 */
function outcomeOf(came: object): string {
  const { result, ...others } = came as {
    readonly result?: { readonly resultCode?: string };
    readonly [name: string]: unknown;
  };
  if (result?.resultCode !== undefined) return result.resultCode;
  const states = Object.values(others).map((each) => (each as { readonly state?: string } | null)?.state);
  return states.find((state) => typeof state === "string") ?? "done";
}
