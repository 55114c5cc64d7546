import assert from "node:assert/strict";
import type { Authorization } from "./authorization.ts";
import type { Line } from "./effect.ts";

/** The wallet's consents, derived only from the lines of its journal. */
export interface AuthorizationProjection {
  apply(line: Line): void;
  authorization(reference: string): Authorization | undefined;
  /** Returns the consent with this reference, or the newest one with this `authState`. */
  authorizationNamed(name: string): Authorization | undefined;
  /** Oldest first. */
  authorizations(): readonly Authorization[];
  authorizationByToken(token: string): Authorization | undefined;
  authorizationByCode(codeHash: string): Authorization | undefined;
  authorizationByAgreement(agreementHash: string): Authorization | undefined;
}

export function newAuthorizationProjection(): AuthorizationProjection {
  const authorizations = new Map<string, Authorization>();
  const references = {
    byState: new Map<string, string>(),
    byToken: new Map<string, string>(),
    byCode: new Map<string, string>(),
    byAgreement: new Map<string, string>(),
  };

  function apply(line: Line): void {
    if (line.kind === "authorize" && line.authorization) {
      const { reference, authorization } = line;
      assert(reference, "an authorization that was opened has a reference");
      authorizations.set(reference, { ...authorization, reference, state: "OPEN", sequence: 1 });
      references.byState.set(authorization.authState, reference);
      references.byToken.set(authorization.token, reference);
    }
    if (line.kind === "authorization-changed") {
      const { n: _, at: __, kind: ___, by: ____, reference, ...change } = line;
      const authorization = authorizations.get(reference);
      assert(authorization, `no authorization ${reference}`);
      authorizations.set(reference, { ...authorization, ...change });
      if (change.codeHash) references.byCode.set(change.codeHash, reference);
      if (change.agreementHash) references.byAgreement.set(change.agreementHash, reference);
    }
  }

  const authorization = (reference = ""): Authorization | undefined => authorizations.get(reference);
  return {
    apply,
    authorization,
    authorizationNamed: (name) => authorization(name) ?? authorization(references.byState.get(name)),
    authorizations: () => [...authorizations.values()],
    authorizationByToken: (token) => authorization(references.byToken.get(token)),
    authorizationByCode: (codeHash) => authorization(references.byCode.get(codeHash)),
    authorizationByAgreement: (agreementHash) => authorization(references.byAgreement.get(agreementHash)),
  };
}
