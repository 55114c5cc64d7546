import { randomBytes } from "node:crypto";
import type { Answer } from "../../../clients/typescript/src/call.ts";
import type { KnownGateway } from "./known-gateway.ts";
import { clockPatienceMs, repeatUntil } from "./repeat-until.ts";
import { sendRaw, type RawRequest } from "./raw-call.ts";
import { controlWallet, type WalletAnswer } from "./wallet-control.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** One thing that was done to make something happen, as it is shown. */
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

/** The sandbox with all who act in it: the merchant who calls, the buyer, and the wallet. */
export interface Sandbox {
  /** Calls an operation, and gives the answer, a refusal as well. */
  ask(operation: string, body: Fields): Promise<Answer<Fields>>;
  /** The same, repeated until it is no longer `U`. */
  settle(operation: string, body: Fields): Promise<Answer<Fields>>;
  /** The same, and nothing but `S` will do. */
  must(operation: string, body: Fields): Promise<Answer<Fields>>;
  /** Asks quietly, again and again, until the answer is as it should be. */
  until(operation: string, body: Fields, isSo: (answer: Fields) => boolean): Promise<Fields>;
  /** Until the merchant has been told something of this kind that names all of these, since the sandbox was opened. */
  told(kind: string, ...names: readonly string[]): Promise<ToldEvent>;
  /** Says what the buyer or the wallet does, through the wallet's door for tests. */
  wallet(line: string, body?: Fields): Promise<WalletAnswer>;
  /** Sends a request that the library would not send. */
  raw(request: RawRequest): Promise<Fields>;
  /** Sends the form of a page of ours, as a browser does. */
  submit(pageUrl: string, fields: Readonly<Record<string, string>>): Promise<void>;
  /** Moves the merchant's clock. */
  advance(seconds: number): Promise<void>;
  /** A request id that nobody has used. */
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
      if (!event) throw new Error(`Nothing was told of ${[kind, ...names].join(" ")}.`);
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

/** Short: a registration's id has 32 characters at most. */
function newId(what: string): string {
  return `${what}-${randomBytes(8).toString("hex")}`;
}

/** The code of a call, and for the wallet where the thing stands now. */
function outcomeOf(came: object): string {
  const { result, ...others } = came as {
    readonly result?: { readonly resultCode?: string };
    readonly [name: string]: unknown;
  };
  if (result?.resultCode !== undefined) return result.resultCode;
  const states = Object.values(others).map((each) => (each as { readonly state?: string } | null)?.state);
  return states.find((state) => typeof state === "string") ?? "done";
}
