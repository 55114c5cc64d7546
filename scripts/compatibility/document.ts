/** As much of OpenAPI 3.1 as decides whether a caller of yesterday is served today. */
export interface Document {
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, { readonly post: Operation }>>;
  readonly webhooks: Readonly<Record<string, { readonly post: Operation }>>;
  readonly components: {
    readonly schemas?: Readonly<Record<string, Schema>>;
    readonly parameters?: Readonly<Record<string, Parameter>>;
  };
  readonly "x-result-codes": Readonly<Record<string, ResultMeaning>>;
}

export interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly (Parameter | Reference)[];
  readonly requestBody: { readonly content: Contents };
  readonly responses: Readonly<Record<string, Answer>>;
  readonly "x-idempotency-field"?: string;
  readonly "x-inquiry"?: boolean;
  readonly "x-result-codes"?: readonly string[];
}

export interface Answer {
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Contents;
}

export type Contents = Readonly<Record<string, { readonly schema: Schema }>>;

export interface Parameter {
  readonly name: string;
  readonly required?: boolean;
}

interface Reference {
  readonly $ref: string;
}

export interface ResultMeaning {
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
}

/** What stands at `#/components/…`, as it is when nothing is referred to. */
export function resolved<Part extends object>(part: Part | Reference, document: Document): Part {
  if (!("$ref" in part) || typeof part.$ref !== "string") return part as Part;
  const names = part.$ref.split("/").slice(1);
  const target = names.reduce<unknown>(
    (node, name) => (node as Record<string, unknown> | undefined)?.[name],
    document,
  );
  if (target === undefined) throw new Error(`Nothing is at ${part.$ref}.`);
  return resolved(target as Part, document);
}

type Named<Part> = Readonly<Record<string, Part | undefined>>;

/** What has the same name in both. */
export function both<Part>(before: Named<Part> = {}, after: Named<Part> = {}): [name: string, Part, Part][] {
  return Object.entries(before).flatMap(([name, was]): [string, Part, Part][] => {
    const is = after[name];
    return was === undefined || is === undefined ? [] : [[name, was, is]];
  });
}
