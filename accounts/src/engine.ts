import type { KeyObject } from "node:crypto";
import type { Database } from "../../server/src/postgres/database.ts";
import type { ApprovalRules } from "../../server/src/people/approval-rules.ts";
import type { Settings } from "./settings.ts";
import type { Site } from "./people/site.ts";
import type { IdentityProvider } from "./oidc/identity-provider.ts";
import type { EmailMessage } from "./mail/email-templates.ts";

export interface Developer {
  readonly secretHash: Buffer;
  /** The sandbox merchant that was created with the gateway. */
  readonly clientId: string;
}

/** The dependencies of all routes, created once in `serve.ts`. */
export interface Engine {
  readonly database: Database;
  readonly now: () => Date;
  /** The key encryption key for the secrets of authenticator apps. */
  readonly wrappingKey: Buffer;
  readonly tokenKey: { readonly kid: string; readonly privateKey: KeyObject };
  /** The site (portal or operator console) that serves the route; its address is `publicUrl`. */
  readonly site: Site;
  readonly publicUrl: string;
  /** The addresses of both sites, for links in emails. Merchants' people get links to the portal, also if staff act. */
  readonly siteUrls: Readonly<Record<Site, string>>;
  readonly audiences: Settings["audiences"];
  readonly allowsLivePasswords: boolean;
  /** Permissions for which accounts require approval of their own actions, such as a go-live request. */
  readonly approvalRules: ApprovalRules;
  /** The operator's identity provider, if one is configured. */
  readonly oidc: IdentityProvider | undefined;
  /** The developer whom `tollgate dev` signs in; undefined in every other installation. */
  readonly developer: Developer | undefined;
  /**
   * A decoy password hash, so that an address without a password takes as long as one with a password (timing
   * attack).
   */
  readonly decoy: { readonly personId: string; readonly hash: string; readonly wrappedOtp: Uint8Array };
  sendEmail(email: EmailMessage): Promise<void>;
  /**
   * Runs work after the response, so that its duration reveals nothing (timing attack). `serve` waits for it before
   * it exits.
   */
  runInBackground(work: () => Promise<void>): void;
}
