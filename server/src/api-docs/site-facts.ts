import type { Operation } from "../contract/operation.ts";
import { toWireResult } from "../core/result.ts";
import { sandboxPrefix } from "../merchants/client.ts";
import type { SampleCall } from "./call-samples.ts";
import type { Json } from "./json-literal.ts";

export type Environment = "sandbox" | "live";

/** Limits and timeouts of the HTTP layer. */
export interface Limits {
  readonly bodyBytesMax: number;
  readonly headersMax: number;
  readonly headerBytesMax: number;
  /** Bounds of the adaptive concurrency limit of one process. */
  readonly concurrency: { readonly min: number; readonly max: number };
  readonly timeouts: { readonly headersMs: number; readonly requestMs: number; readonly keepAliveMs: number };
  readonly signedFailures: { readonly ratePerSecond: number };
}

/** All inputs of the documentation pages: the same facts give the same pages. */
export interface SiteFacts {
  readonly operations: readonly Operation[];
  /** Public URL of this gateway, without a trailing slash. */
  readonly baseUrl: string;
  readonly environment: Environment;
  readonly limits: Limits;
  /** The requests with each client library, by operation path and by example. */
  readonly libraryCalls: LibraryCalls;
  readonly guides: readonly GuideFile[];
  /** Undefined: the samples have placeholders. */
  readonly reader?: ReaderClient | undefined;
}

/** The client as which the reader of the pages sends requests, if known. */
export interface ReaderClient {
  readonly clientId: string;
  /** The file with the private key. */
  readonly keyFile: string;
  /** The file with the gateway's public key. */
  readonly gatewayKeyFile: string;
}

export type LibraryLanguage = "typescript" | "java" | "php" | "python" | "go";
export type LibraryCalls = Readonly<Record<string, readonly Readonly<Record<LibraryLanguage, string>>[]>>;

/** A guide of `docs/guides`: its file name without the extension, and its Markdown. */
export interface GuideFile {
  readonly name: string;
  readonly text: string;
}

/** Default rate limit and clock tolerance of a new client; the operator may change them. */
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

/** The page of an operation. */
export function operationAddress({ path }: Pick<Operation, "path">): string {
  return `/docs/${path}`;
}

/** The operation's name without its area. */
export function operationName({ path }: Operation): string {
  return path.slice(path.indexOf("/") + 1);
}

/** An example of an operation, as pages show it. */
export interface ShownExample {
  readonly title: string;
  readonly request: Json;
  readonly answer: Json;
}

/** The examples of an operation: the usual example first, then the other situations. */
export function examplesOf({
  example,
  moreExamples = [],
}: Operation): readonly [ShownExample, ...ShownExample[]] {
  return [toShownExample({ title: "The usual call", ...example }), ...moreExamples.map(toShownExample)];
}

function toShownExample({
  title,
  request,
  response,
  code = "SUCCESS",
}: NonNullable<Operation["moreExamples"]>[number]): ShownExample {
  const fields = response as { readonly [key: string]: Json };
  return { title, request: request as Json, answer: { result: { ...toWireResult(code) }, ...fields } };
}

export function sampleCallOf(facts: SiteFacts, { path }: Operation, body: Json): SampleCall {
  return { baseUrl: facts.baseUrl, path: callPath(facts.environment, path), ...sampleClientOf(facts), body };
}

/** File names that the page suggests if the reader is not known. */
const sampleKeyFiles = { keyFile: "private.pem", gatewayKeyFile: "gateway.pem" };

export function sampleClientOf({ reader, environment }: SiteFacts): ReaderClient {
  return reader ?? { clientId: sampleClientId(environment), ...sampleKeyFiles };
}
