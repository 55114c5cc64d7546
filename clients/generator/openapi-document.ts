/** The part of OpenAPI 3.1 and JSON Schema that the gateway's document uses. */
export interface Document {
  readonly info: { readonly title: string; readonly version: string };
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, { readonly post: PathItem }>>;
  readonly webhooks?: Readonly<Record<string, { readonly post: PathItem }>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
  readonly "x-result-codes": Readonly<Record<string, ResultMeaning>>;
  readonly "x-payment-outcomes"?: {
    /** Names of operations and webhooks. */
    readonly messages: readonly string[];
    readonly meanings: Readonly<Record<string, string>>;
    readonly rows: readonly OutcomeRow[];
  };
}

/**
 * A row of the table of payment outcomes. Null means that the message has no such field; an absent column
 * matches any value.
 */
export interface OutcomeRow {
  readonly notifyType: string | null;
  readonly paymentStatus: string | null;
  readonly resultStatus?: string;
  readonly hold?: string;
  readonly outcome: string;
}

/** A deprecated operation or field. */
export interface Deprecatable {
  readonly deprecated?: boolean;
  /** The replacement: one sentence. */
  readonly "x-deprecated"?: string;
}

export interface PathItem extends Deprecatable {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly requestBody: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
  readonly "x-idempotency-field"?: string;
  readonly "x-inquiry"?: boolean;
  readonly "x-subject-field"?: string;
  readonly "x-result-codes"?: readonly string[];
  readonly "x-scenes"?: readonly { readonly title: string; readonly request: Json }[];
}

type Content = Readonly<Record<string, { readonly schema: Schema; readonly example?: Json }>>;

export interface ResultMeaning {
  readonly status: "S" | "F" | "U";
  readonly message: string;
  readonly advice: string;
  readonly error?: string;
  readonly retryable?: boolean;
}

export interface Schema extends Deprecatable {
  readonly $ref?: string;
  readonly type?: string;
  readonly title?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly enum?: readonly string[];
  readonly "x-open-enum"?: boolean;
  readonly "x-enumDescriptions"?: Readonly<Record<string, string>>;
  /** A description of the type, where `description` describes the field. */
  readonly "x-about"?: string;
  readonly "x-secret"?: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
