import type { Clock } from "../typescript/src/clock.ts";
import type { PayRequest } from "../typescript/src/generated/models.ts";
import type { ByCodeOptions } from "../typescript/src/pay-by-code.ts";
import type { OpenCode, TillResult } from "../typescript/src/till-result.ts";
import { Tollgate, type TollgateOptions } from "../typescript/src/tollgate.ts";
import { findCase, describeDifference } from "./report.ts";
import { byCode, http, findKeyPair, type ByCodeCase } from "./vectors.ts";

/** Runs one case of by-code.json with the scripted gateway; returns the problem, if any. */
export async function runByCodeCase(gateway: string, id: string): Promise<string | undefined> {
  const byCodeCase = findCase(byCode.cases, id);
  const run = `typescript/${id}/${Math.random()}`;
  const { clock, sleptSeconds } = createJumpingClock();
  const states: string[] = [];
  const stopController = new AbortController();
  const options = {
    ...byCodeCase.options,
    signal: stopController.signal,
    onState(state) {
      states.push(state);
      if (state === byCodeCase.stopAt) stopController.abort(new Error("The buyer left."));
    },
  } satisfies ByCodeOptions;
  const { payments } = new Tollgate({ ...createMerchantOptions(gateway), clock });
  const { call } = byCodeCase;
  const request = { ...byCode.requests[call], paymentRequestId: run } as PayRequest;
  const firstResult =
    call === "finishByCode" ? await payments[call](run, options) : await payments[call](request, options);
  const open = firstResult.outcome === "open" ? describeOpenCode(firstResult, clock.now()) : undefined;
  const result = await finalResult(
    firstResult,
    () => payments.finishByCode(firstResult as OpenCode, options),
    byCodeCase,
  );
  const response = await fetch(`${gateway}/seen?run=${encodeURIComponent(run)}`);
  const { calls, problems } = (await response.json()) as Readonly<Record<string, unknown>>;
  const { expect } = byCodeCase;
  return describeDifference(
    {
      open: pickFields(open, expect.open),
      result: pickFields(result, expect.result),
      absent: (expect.absent ?? []).filter((name) => fieldOf(result, name) === undefined),
      ids: [firstResult, ...(result ? [result] : [])].every(
        ({ paymentRequestId }) => paymentRequestId === run,
      ),
      calls,
      problems,
      states: states.filter((state, index) => state !== states[index - 1]),
      slept: expect.sleptSeconds && sleptSeconds,
    },
    { ...expectedShape(expect), ids: true, problems: [] },
  );
}

export function createMerchantOptions(baseUrl: string): TollgateOptions & { readonly clientId: string } {
  return {
    clientId: http.clientId,
    privateKey: findKeyPair(http.key).privatePkcs8,
    keyVersion: http.keyVersion,
    gatewayPublicKeys: Object.fromEntries(
      Object.entries(http.gatewayPublicKeys).map(([version, name]) => [
        version,
        findKeyPair(name).publicSpki,
      ]),
    ),
    baseUrl,
  };
}

/** A clock whose `sleep` returns at once and advances the clock by the requested duration. */
function createJumpingClock(): { readonly clock: Clock; readonly sleptSeconds: readonly number[] } {
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

async function finalResult(
  firstResult: TillResult | (OpenCode & { readonly outcome: "open" }),
  finish: () => Promise<TillResult>,
  { finish: isFinished }: ByCodeCase,
): Promise<TillResult | undefined> {
  if (firstResult.outcome !== "open") return firstResult;
  return isFinished ? finish() : undefined;
}

/** Rounds the expiry of a code to ten seconds, because the API writes times in whole seconds. */
function describeOpenCode(open: OpenCode, openedAtMs: number): object {
  const endsInMs = Date.parse(open.endsAt) - openedAtMs;
  return { ...open, endsInSeconds: Math.round(endsInMs / 10_000) * 10 };
}

/**
 * Returns the fields of the result that the case names. A field that the case sets to null must be absent.
 */
function pickFields(actual: object | undefined, expected: object | undefined): unknown {
  if (!actual || !expected) return actual ? "there" : null;
  return Object.fromEntries(Object.keys(expected).map((name) => [name, fieldOf(actual, name)]));
}

function fieldOf(actual: object | undefined, name: string): unknown {
  return (actual as Readonly<Record<string, unknown>> | undefined)?.[name];
}

function expectedShape({ open, result, absent, calls, states, sleptSeconds }: ByCodeCase["expect"]): object {
  return {
    open: open ?? null,
    result: result ?? null,
    absent: absent ?? [],
    calls,
    states,
    slept: sleptSeconds,
  };
}
