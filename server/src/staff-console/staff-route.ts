import { Type, type Static, type TSchema } from "typebox";
import type { Act } from "../audit/audit.ts";
import { Text } from "../contract/schemas.ts";
import type { Permission } from "../people/role.ts";
import type { Signer } from "../signing/gateway-keys.ts";
import type { Operator } from "../operator-session/owner-session.ts";

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
  readonly changesData: boolean;
  /** Name of the command's act in the audit log. `dualApprovalActs` defines whether it needs an approval in live. */
  readonly auditedAct: string | undefined;
  readonly request: TSchema;
  readonly response: TSchema;
  /** Returns what is wrong with a request that fits the schema; it is rejected before an approval is requested. */
  findProblem(request: unknown): RequestProblem | undefined;
  /** Returns the subject of a page view, for its audit row. */
  auditSubjectOf(request: unknown): Omit<Act, "act">;
  run(context: StaffContext, request: unknown, reason: string): Promise<object>;
}

interface RequestProblem {
  readonly field: string;
  readonly detail: string;
}

interface RouteDeclaration<Request extends TSchema> {
  readonly name: string;
  readonly summary: string;
  readonly permission: Permission;
  readonly request: Request;
  readonly response: TSchema;
}

interface ViewDeclaration<Request extends TSchema> extends RouteDeclaration<Request> {
  /** The subject of the view, for the audit row; absent if the view is about all merchants. */
  auditSubjectOf?(request: Static<Request>): Omit<Act, "act">;
  find(context: StaffContext, request: Static<Request>): Promise<object>;
}

/** Declares a read-only route. Each page view is audited before it is answered. */
export function staffView<Request extends TSchema>({
  find,
  auditSubjectOf,
  ...declared
}: ViewDeclaration<Request>): StaffRoute {
  const allMerchants = (): Omit<Act, "act"> => ({ subject: "all merchants" });
  return {
    ...declared,
    changesData: false,
    auditedAct: undefined,
    findProblem: () => undefined,
    auditSubjectOf: (request) => (auditSubjectOf ?? allMerchants)(request as Static<Request>),
    run: (context, request) => find(context, request as Static<Request>),
  };
}

interface ActDeclaration<Request extends TSchema> extends RouteDeclaration<Request> {
  readonly auditedAct: string;
  findProblem?(request: Static<Request>): RequestProblem | undefined;
  act(context: StaffContext, request: Static<Request>, reason: string): Promise<object>;
}

const reasonLengthMax = 500;

/** Declares a route that changes data, like a command. A reason is always required. */
export function staffAct<Request extends TSchema>({
  act,
  findProblem,
  ...declared
}: ActDeclaration<Request>): StaffRoute {
  return {
    ...declared,
    changesData: true,
    findProblem: (given) => findProblem?.((given as { readonly request: Static<Request> }).request),
    request: Type.Object({
      reason: Text(reasonLengthMax, "Reason for the audit log."),
      request: declared.request,
    }),
    auditSubjectOf: () => ({ subject: declared.name }),
    run(context, given) {
      const { reason, request } = given as { readonly reason: string; readonly request: Static<Request> };
      return act(context, request, reason);
    },
  };
}
