import type { Clock } from "../typescript/src/clock.ts";
import type { PayRequest } from "../typescript/src/generated/models.ts";
import type { ByCodeOptions } from "../typescript/src/pay-by-code.ts";
import type { OpenCode, TillResult } from "../typescript/src/till-result.ts";
import { Tollgate, type TollgateOptions } from "../typescript/src/tollgate.ts";
import { byId, difference } from "./report.ts";
import { byCode, http, keyNamed, type ByCodeCase } from "./vectors.ts";

/** Runs one case of by-code.json with the scripted gateway; returns the problem, if any. */
export async function byCodeProblem(gateway: string, id: string): Promise<string | undefined> {
  const scripted = byId(byCode.cases, id);
  const run = `typescript/${id}/${Math.random()}`;
  const { clock, sleptSeconds } = jumpingClock();
  const states: string[] = [];
  const enough = new AbortController();
  const options = {
    ...scripted.options,
    signal: enough.signal,
    onState(state) {
      states.push(state);
      if (state === scripted.stopAt) enough.abort(new Error("The buyer left."));
    },
  } satisfies ByCodeOptions;
  const { payments } = new Tollgate({ ...merchantOptions(gateway), clock });
  const { call } = scripted;
  const request = { ...byCode.requests[call], paymentRequestId: run } as PayRequest;
  const first =
    call === "finishByCode" ? await payments[call](run, options) : await payments[call](request, options);
  const open = first.outcome === "open" ? openFacts(first, clock.now()) : undefined;
  const result = await resultOf(first, () => payments.finishByCode(first as OpenCode, options), scripted);
  const response = await fetch(`${gateway}/seen?run=${encodeURIComponent(run)}`);
  const { calls, problems } = (await response.json()) as Readonly<Record<string, unknown>>;
  const { expect } = scripted;
  return difference(
    {
      open: named(open, expect.open),
      result: named(result, expect.result),
      absent: (expect.absent ?? []).filter((name) => factOf(result, name) === undefined),
      ids: [first, ...(result ? [result] : [])].every(({ paymentRequestId }) => paymentRequestId === run),
      calls,
      problems,
      states: states.filter((state, index) => state !== states[index - 1]),
      slept: expect.sleptSeconds && sleptSeconds,
    },
    { ...shapeOf(expect), ids: true, problems: [] },
  );
}

export function merchantOptions(baseUrl: string): TollgateOptions & { readonly clientId: string } {
  return {
    clientId: http.clientId,
    privateKey: keyNamed(http.key).privatePkcs8,
    keyVersion: http.keyVersion,
    gatewayPublicKeys: Object.fromEntries(
      Object.entries(http.gatewayPublicKeys).map(([version, name]) => [version, keyNamed(name).publicSpki]),
    ),
    baseUrl,
  };
}

/** A clock whose `sleep` returns at once and advances the clock by the requested duration. */
function jumpingClock(): { readonly clock: Clock; readonly sleptSeconds: readonly number[] } {
  const sleptSeconds: number[] = [];
  let aheadMs = 0;
  const clock: Clock = {
    now: () => Date.now() + aheadMs,
    async sleep(ms, signal) {
      signal?.throwIfAborted();
      sleptSeconds.push(ms / 1_000);
      aheadMs += ms;
    },
  };
  return { clock, sleptSeconds };
}

async function resultOf(
  first: TillResult | (OpenCode & { readonly outcome: "open" }),
  finish: () => Promise<TillResult>,
  { finish: isFinished }: ByCodeCase,
): Promise<TillResult | undefined> {
  if (first.outcome !== "open") return first;
  return isFinished ? finish() : undefined;
}

/** Rounds the expiry of a code to ten seconds, because the API writes times in whole seconds. */
function openFacts(open: OpenCode, openedAtMs: number): object {
  const endsInMs = Date.parse(open.endsAt) - openedAtMs;
  return { ...open, endsInSeconds: Math.round(endsInMs / 10_000) * 10 };
}

/**
 * Returns the fields of the result that the case names. A field that the case sets to null must be absent.
 */
function named(found: object | undefined, expected: object | undefined): unknown {
  if (!found || !expected) return found ? "there" : null;
  return Object.fromEntries(Object.keys(expected).map((name) => [name, factOf(found, name)]));
}

function factOf(found: object | undefined, name: string): unknown {
  return (found as Readonly<Record<string, unknown>> | undefined)?.[name];
}

function shapeOf({ open, result, absent, calls, states, sleptSeconds }: ByCodeCase["expect"]): object {
  return {
    open: open ?? null,
    result: result ?? null,
    absent: absent ?? [],
    calls,
    states,
    slept: sleptSeconds,
  };
}
