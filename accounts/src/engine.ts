import type { KeyObject } from "node:crypto";
import type { Database } from "../../server/src/postgres/database.ts";
import type { SecondPersonRules } from "../../server/src/people/second-person.ts";
import type { Settings } from "./settings.ts";
import type { Door } from "./sessions/door.ts";
import type { IdentityProvider } from "./oidc/identity-provider.ts";
import type { Letter } from "./mail/letters.ts";

export interface Developer {
  readonly secretHash: Buffer;
  /** The sandbox merchant that was made with the gateway. */
  readonly clientId: string;
}

/** What every route is given: made once, by hand, in `serve.ts`. */
export interface Engine {
  readonly database: Database;
  readonly now: () => Date;
  /** Key encryption key: wraps the secrets of authenticator apps. */
  readonly wrappingKey: Buffer;
  readonly tokenKey: { readonly kid: string; readonly privateKey: KeyObject };
  /** The door at which the route is served; its address is `publicUrl`. */
  readonly door: Door;
  readonly publicUrl: string;
  /** The addresses of both doors, for letters: a merchant's people are led to the portal, whoever acts. */
  readonly urls: Readonly<Record<Door, string>>;
  readonly audiences: Settings["audiences"];
  readonly allowsLivePasswords: boolean;
  /** Which rights need a second person for what accounts do themselves, such as asking to go live. */
  readonly secondPerson: SecondPersonRules;
  /** The operator's own identity provider, if it has one. */
  readonly oidc: IdentityProvider | undefined;
  /** The developer whom `tollgate dev` lets in; undefined everywhere but on a machine of its own. */
  readonly developer: Developer | undefined;
  /** Password hash of nobody, so that an address without a password takes as long as one with. */
  readonly decoy: { readonly personId: string; readonly hash: string; readonly wrappedOtp: Uint8Array };
  send(letter: Letter): Promise<void>;
  /**
   * Does something after the answer: how long it takes tells nobody anything. `serve` waits for it before it
   * leaves.
   */
  later(work: () => Promise<void>): void;
}
