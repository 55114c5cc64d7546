import type { Operation } from "../contract/operation.ts";
import { wireResult } from "../core/result.ts";
import { sandboxPrefix } from "../merchants/client.ts";
import type { SampleCall } from "./call-samples.ts";
import type { Json } from "./literal.ts";

export type Environment = "sandbox" | "live";

/** Limits and timeouts of the HTTP layer. */
export interface Limits {
  readonly bodyBytesMax: number;
  readonly headersMax: number;
  readonly headerBytesMax: number;
  /** Bounds of the adaptive concurrency limit of one process. */
  readonly places: { readonly least: number; readonly most: number };
  readonly timeouts: { readonly headersMs: number; readonly requestMs: number; readonly keepAliveMs: number };
  readonly signedFailures: { readonly ratePerSecond: number };
}

/** All inputs of the documentation pages: the same facts give the same pages. */
export interface Facts {
  readonly operations: readonly Operation[];
  /** Public URL of this gateway, without a trailing slash. */
  readonly baseUrl: string;
  readonly environment: Environment;
  readonly limits: Limits;
  /** The requests with each client library, by operation path and by example. */
  readonly libraryCalls: LibraryCalls;
  readonly guides: readonly GuideFile[];
  /** Undefined: the samples have placeholders. */
  readonly reader?: Reader | undefined;
}

/** The client as which the reader of the pages sends requests, if known. */
export interface Reader {
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
export function addressOf({ path }: Pick<Operation, "path">): string {
  return `/docs/${path}`;
}

/** The operation's name without its area. */
export function nameOf({ path }: Operation): string {
  return path.slice(path.indexOf("/") + 1);
}

/** An example of an operation, as pages show it. */
export interface Shown {
  readonly title: string;
  readonly request: Json;
  readonly answer: Json;
}

/** The examples of an operation: the usual example first, then the other situations. */
export function examplesOf({ example, scenes = [] }: Operation): readonly [Shown, ...Shown[]] {
  return [shown({ title: "The usual call", ...example }), ...scenes.map(shown)];
}

function shown({
  title,
  request,
  response,
  code = "SUCCESS",
}: NonNullable<Operation["scenes"]>[number]): Shown {
  const fields = response as { readonly [key: string]: Json };
  return { title, request: request as Json, answer: { result: { ...wireResult(code) }, ...fields } };
}

export function sampleCallOf(facts: Facts, { path }: Operation, body: Json): SampleCall {
  return { baseUrl: facts.baseUrl, path: callPath(facts.environment, path), ...sampleReader(facts), body };
}

/** File names that the page suggests if the reader is not known. */
const sampleKeyFiles = { keyFile: "private.pem", gatewayKeyFile: "gateway.pem" };

export function sampleReader({ reader, environment }: Facts): Reader {
  return reader ?? { clientId: sampleClientId(environment), ...sampleKeyFiles };
}
