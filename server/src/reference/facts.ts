import type { Operation } from "../api/operation.ts";
import { wireResult } from "../core/result.ts";
import { sandboxPrefix } from "../merchants/client.ts";
import type { SampleCall } from "./call-samples.ts";
import type { Json } from "./literal.ts";

export type Environment = "sandbox" | "live";

/** The numbers that the edge keeps to. */
export interface Limits {
  readonly bodyBytesMax: number;
  readonly headersMax: number;
  readonly headerBytesMax: number;
  /** How many requests one process works on at once, at least and at most. */
  readonly places: { readonly least: number; readonly most: number };
  readonly timeouts: { readonly headersMs: number; readonly requestMs: number; readonly keepAliveMs: number };
  readonly signedFailures: { readonly ratePerSecond: number };
}

/** All that the page is made from: the same facts give the same page. */
export interface Facts {
  readonly operations: readonly Operation[];
  /** Where this gateway is reached from outside, without a slash at the end. */
  readonly baseUrl: string;
  readonly environment: Environment;
  readonly limits: Limits;
}

/** What a new client gets; the operator may give it more, or less. */
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

/** Where an operation stands on the page. */
export function anchorOf({ path }: Operation): string {
  return path.replaceAll("/", "-");
}

/** What it is called below its area. */
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

/** The first call of a developer: one that only asks, so that trying it can do no harm. */
export function firstOperation({ operations }: Facts): Operation | undefined {
  return operations.find((operation) => "find" in operation) ?? operations[0];
}
