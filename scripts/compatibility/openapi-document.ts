/** The part of OpenAPI 3.1 that decides whether an existing caller still works. */
export interface Document {
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Operations;
  readonly webhooks?: Operations;
  readonly components: {
    readonly schemas?: Readonly<Record<string, Schema>>;
    readonly parameters?: Readonly<Record<string, Parameter>>;
  };
  readonly "x-result-codes"?: Readonly<Record<string, ResultMeaning>>;
}

export type Operations = Readonly<Record<string, { readonly post: Operation }>>;

export interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly (Parameter | Reference)[];
  readonly requestBody: { readonly content: Contents };
  readonly responses: Readonly<Record<string, Answer>>;
  /** Name → expression for the callback's address → operation. */
  readonly callbacks?: Readonly<Record<string, Operations>>;
  readonly "x-idempotency-field"?: string;
  readonly "x-inquiry"?: boolean;
  readonly "x-result-codes"?: readonly string[];
}

interface Answer {
  readonly headers?: Readonly<Record<string, Header | Reference>>;
  readonly content?: Contents;
}

interface Header {
  readonly schema?: Schema;
}

export type Contents = Readonly<Record<string, { readonly schema: Schema }>>;

interface Parameter extends Header {
  readonly name: string;
  readonly required?: boolean;
}

interface Reference {
  readonly $ref: string;
}

interface ResultMeaning {
  readonly status: string;
  readonly error?: string;
  readonly retryable?: boolean;
}

export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly title?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly enum?: readonly string[];
  readonly format?: string;
  readonly default?: string | number | boolean;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly "x-open-enum"?: boolean;
  readonly "x-digits"?: boolean;
  readonly "x-digest"?: boolean;
  readonly "x-needed-when"?: readonly Readonly<Record<string, readonly string[]>>[];
}

/** Operations in the opposite direction of `paths`: webhooks, and the callbacks of all operations. */
export function reverseOperations({ paths, webhooks }: Document): Operations {
  const callbacks = Object.values(paths).flatMap(({ post }) => Object.entries(post.callbacks ?? {}));
  const operations = callbacks.flatMap(([name, byAddress]) =>
    Object.values(byAddress).map((item) => [name, item] as const),
  );
  return { ...webhooks, ...Object.fromEntries(operations) };
}

/** The headers of a request, as the fields of an object. */
export function requestHeaders({ parameters = [] }: Operation, document: Document): Schema {
  const headers = parameters.map((each) => resolveReference<Parameter>(each, document));
  return {
    properties: Object.fromEntries(headers.map(({ name, schema = {} }) => [name, schema])),
    required: headers.filter(({ required }) => required).map(({ name }) => name),
  };
}

/** The headers of a response; every response has all of them. */
export function answerHeaders({ headers = {} }: Answer, document: Document): Schema {
  const schemas = Object.entries(headers).map(
    ([name, header]) => [name, resolveReference<Header>(header, document).schema ?? {}] as const,
  );
  return { properties: Object.fromEntries(schemas), required: Object.keys(headers) };
}

/** Resolves a `$ref` to `#/components/…` and keeps its sibling keys. Other parts are returned unchanged. */
export function resolveReference<Part extends object>(part: Part | Reference, document: Document): Part {
  if (!("$ref" in part) || typeof part.$ref !== "string") return part as Part;
  const { $ref, ...siblings } = part;
  const target = $ref
    .split("/")
    .slice(1)
    .reduce<unknown>((node, name) => (node as Record<string, unknown> | undefined)?.[name], document);
  if (target === undefined) throw new Error(`Nothing is at ${$ref}.`);
  return { ...resolveReference(target as Part, document), ...siblings };
}

type EntriesByName<Part> = Readonly<Record<string, Part | undefined>>;

/** Entries with the same name on both sides. */
export function matchingEntries<Part>(
  before: EntriesByName<Part> = {},
  after: EntriesByName<Part> = {},
): [name: string, Part, Part][] {
  return Object.entries(before).flatMap(([name, was]): [string, Part, Part][] => {
    const is = after[name];
    return was === undefined || is === undefined ? [] : [[name, was, is]];
  });
}
