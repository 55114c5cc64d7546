import { Type, type Static, type TSchema } from "typebox";
import type { Act } from "../audit/audit.ts";
import { Text } from "../contract/schemas.ts";
import type { Permission } from "../people/role.ts";
import type { Signer } from "../signing/gateway-keys.ts";
import type { Operator } from "../operator-session/as-owner.ts";

/** The database access and the signer of a staff member's request. They are the same as for a command. */
export interface StaffContext extends Operator {
  readonly signer: Signer;
}

/**
 * A console route of the operator's staff, across merchants, declared like an operation or a view. It runs the same
 * code as the operators' commands.
 */
export interface StaffRoute {
  /** Path below `/console/staff/`. */
  readonly name: string;
  readonly summary: string;
  readonly permission: Permission;
  /** Whether the route changes data. If it does, it needs a reason and leaves the audit row of the command. */
  readonly acts: boolean;
  /** Name of the command's act in the audit log. `dualApprovalActs` defines whether it needs an approval in live. */
  readonly performs: string | undefined;
  readonly request: TSchema;
  readonly response: TSchema;
  /** Returns the subject of a page view, for its audit row. */
  about(request: unknown): Omit<Act, "act">;
  run(desk: StaffContext, request: unknown, reason: string): Promise<object>;
}

interface Declared<Request extends TSchema> {
  readonly name: string;
  readonly summary: string;
  readonly permission: Permission;
  readonly request: Request;
  readonly response: TSchema;
}

interface Look<Request extends TSchema> extends Declared<Request> {
  /** The subject of the view, for the audit row; absent if the view is about all merchants. */
  about?(request: Static<Request>): Omit<Act, "act">;
  find(desk: StaffContext, request: Static<Request>): Promise<object>;
}

/** Declares a read-only route. Each page view is audited before it is answered. */
export function staffView<Request extends TSchema>({ find, about, ...declared }: Look<Request>): StaffRoute {
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
  act(desk: StaffContext, request: Static<Request>, reason: string): Promise<object>;
}

const reasonLengthMax = 500;

/** Declares a route that changes data, like a command. A reason is always required. */
export function staffAct<Request extends TSchema>({ act, ...declared }: StaffAct<Request>): StaffRoute {
  return {
    ...declared,
    acts: true,
    request: Type.Object({
      reason: Text(reasonLengthMax, "Reason for the audit log."),
      request: declared.request,
    }),
    about: () => ({ subject: declared.name }),
    run(desk, given) {
      const { reason, request } = given as { readonly reason: string; readonly request: Static<Request> };
      return act(desk, request, reason);
    },
  };
}
