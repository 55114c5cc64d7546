import type { Operation } from "../api/operation.ts";
import { wireResult } from "../core/result.ts";
import { sandboxPrefix } from "../merchants/client.ts";
import type { SampleCall } from "./call-samples.ts";
import type { Json } from "./literal.ts";

export type Environment = "sandbox" | "live";

/** Limits and timeouts of the edge. */
export interface Limits {
  readonly bodyBytesMax: number;
  readonly headersMax: number;
  readonly headerBytesMax: number;
  /** Bounds of the adaptive concurrency limit of one process. */
  readonly places: { readonly least: number; readonly most: number };
  readonly timeouts: { readonly headersMs: number; readonly requestMs: number; readonly keepAliveMs: number };
  readonly signedFailures: { readonly ratePerSecond: number };
}

/** All that the page is made from: the same facts give the same page. */
export interface Facts {
  readonly operations: readonly Operation[];
  /** Public URL of this gateway, without a trailing slash. */
  readonly baseUrl: string;
  readonly environment: Environment;
  readonly limits: Limits;
}

/** Rate limit and time tolerance of a new client; the operator may change them. */
export const clientDefaults = { ratePerSecond: 200, rateBurst: 400, timeToleranceSeconds: 600 };

export function callPath(environment: Environment, operationPath: string): string {
  return `${prefixes[environment]}${operationPath}`;
}

export const prefixes: Readonly<Record<Environment, string>> = {
  sandbox: "/ams/sandbox/api/v1/",
  live: "/ams/api/v1/",
};

export function sampleClientId(environment: Environment): string {
  return environment === "sandbox" ? `${sandboxPrefix}YOUR_CLIENT_ID` : "YOUR_CLIENT_ID";
}

/** The anchor of an operation on the page. */
export function anchorOf({ path }: Operation): string {
  return path.replaceAll("/", "-");
}

/** The operation's name without its area. */
export function nameOf({ path }: Operation): string {
  return path.slice(path.indexOf("/") + 1);
}

export function sampleCallOf({ baseUrl, environment }: Facts, { path, example }: Operation): SampleCall {
  return {
    baseUrl,
    path: callPath(environment, path),
    clientId: sampleClientId(environment),
    body: example.request as Json,
  };
}

/** An operation's own example, under the result that it gives: a success, unless it says otherwise. */
export function sampleAnswerOf({ example }: Operation): Json {
  const { code = "SUCCESS" } = example;
  return { result: { ...wireResult(code) }, ...(example.response as { readonly [key: string]: Json }) };
}

/** The first call of a developer: an inquiry, so that trying it does no harm. */
export function firstOperation({ operations }: Facts): Operation | undefined {
  return operations.find((operation) => "find" in operation) ?? operations[0];
}
