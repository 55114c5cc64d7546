import { Type, type Static, type TSchema } from "typebox";
import type { Act } from "../audit/audit.ts";
import { Text } from "../api/schemas.ts";
import type { Right } from "../people/role.ts";
import type { Signer } from "../signing/gateway-keys.ts";
import type { Operator } from "./as-owner.ts";

/** Where a person of staff works: as a command of an operator's does, with what signs for the gateway. */
export interface Desk extends Operator {
  readonly signer: Signer;
}

/**
 * What staff may ask, or do, across merchants, in the operator's console: one value for each, as operations and views are. What
 * runs is what the operators' commands run, so a command and a button are one.
 */
export interface StaffRoute {
  /** Below `/console/staff/`. */
  readonly name: string;
  readonly summary: string;
  readonly right: Right;
  /** Whether it changes something: it then takes a reason, and leaves the command's own row in the audit. */
  readonly acts: boolean;
  /** The act of the command line that it performs, by its name in the audit. `actsOfTwo` says whether it needs approval in live. */
  readonly performs: string | undefined;
  readonly request: TSchema;
  readonly response: TSchema;
  /** What a look is about, for its row in the audit. */
  about(request: unknown): Omit<Act, "act">;
  run(desk: Desk, request: unknown, reason: string): Promise<object>;
}

interface Declared<Request extends TSchema> {
  readonly name: string;
  readonly summary: string;
  readonly right: Right;
  readonly request: Request;
  readonly response: TSchema;
}

interface Look<Request extends TSchema> extends Declared<Request> {
  /** Absent when it is about all merchants. */
  about?(request: Static<Request>): Omit<Act, "act">;
  find(desk: Desk, request: Static<Request>): Promise<object>;
}

/** A look: it changes nothing, and is written to the audit before it is answered. */
export function staffLook<Request extends TSchema>({ find, about, ...declared }: Look<Request>): StaffRoute {
  const everybody = (): Omit<Act, "act"> => ({ subject: "all merchants" });
  return {
    ...declared,
    acts: false,
    performs: undefined,
    about: (request) => (about ?? everybody)(request as Static<Request>),
    run: (desk, request) => find(desk, request as Static<Request>),
  };
}

interface StaffAct<Request extends TSchema> extends Declared<Request> {
  readonly performs: string;
  act(desk: Desk, request: Static<Request>, reason: string): Promise<object>;
}

const reasonLengthMax = 500;

/** An act: what a command does, with its reason, which people always have to give. */
export function staffAct<Request extends TSchema>({ act, ...declared }: StaffAct<Request>): StaffRoute {
  return {
    ...declared,
    acts: true,
    request: Type.Object({
      reason: Text(reasonLengthMax, "Why you do it, for the audit log."),
      request: declared.request,
    }),
    about: () => ({ subject: declared.name }),
    run(desk, given) {
      const { reason, request } = given as { readonly reason: string; readonly request: Static<Request> };
      return act(desk, request, reason);
    },
  };
}
