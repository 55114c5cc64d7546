// Made by `npm run generate` from the tables of the servers. Changes by hand are lost.

export interface Routes {
  /** Sends a link to an address, with which a new organisation is opened. */
  "POST /accounts/register": {
    request: {
      readonly email: string;
      readonly name: string;
      readonly organisation: string;
    };
    response: object;
  };
  /** Opens the link of a registration: the person, its organisation, and a session to set up how it signs in. */
  "POST /accounts/verify-email": {
    request: {
      readonly token: string;
    };
    response: object;
  };
  /** Chooses a password, and gets the secret for an authenticator app. */
  "POST /accounts/password/begin": {
    request: {
      readonly password: string;
    };
    response: {
      readonly secret: string;
      readonly uri: string;
    };
  };
  /** Sets the chosen password, with a first code of the authenticator app. */
  "POST /accounts/password/confirm": {
    request: {
      readonly code: string;
    };
    response: object;
  };
  /** What a browser needs to make a passkey. */
  "POST /accounts/passkeys/begin": {
    request: object;
    response: {
      readonly options: object;
    };
  };
  /** Adds the passkey that a browser has made. */
  "POST /accounts/passkeys/add": {
    request: {
      readonly name: string;
      readonly response: object;
    };
    response: object;
  };
  /** The caller's passkeys. */
  "GET /accounts/passkeys": {
    request: object;
    response: {
      readonly passkeys: readonly ({
        readonly credentialId: string;
        readonly name: string;
        readonly createdAt: string;
        readonly usedAt?: string;
      })[];
    };
  };
  /** Removes a passkey of the caller, and ends its other sessions. */
  "POST /accounts/passkeys/remove": {
    request: {
      readonly credentialId: string;
    };
    response: object;
  };
  /** Signs in with a password and a code. */
  "POST /accounts/sign-in/password": {
    request: {
      readonly email: string;
      readonly password: string;
      readonly code: string;
    };
    response: object;
  };
  /** What a browser needs to sign in with a passkey. It is the same for everybody. */
  "POST /accounts/sign-in/passkey/begin": {
    request: object;
    response: {
      readonly options: object;
    };
  };
  /** Signs in with a passkey. */
  "POST /accounts/sign-in/passkey": {
    request: {
      readonly response: object;
    };
    response: object;
  };
  /** How one can sign in here beside passkeys and passwords: the name of the operator's identity provider, if there is one. */
  "GET /accounts/ways-in": {
    request: object;
    response: {
      readonly oidc?: string;
    };
  };
  /** Where the browser goes to sign in with the operator's identity provider. */
  "POST /accounts/sign-in/oidc": {
    request: object;
    response: {
      readonly url: string;
    };
  };
  /** Where the identity provider sends the browser back to. */
  "GET /accounts/oidc/return": {
    request: {
      readonly state: string;
      readonly code?: string;
      readonly iss?: string;
    };
    response: object;
  };
  /** Signs in whoever has the link that `tollgate dev` has printed. */
  "POST /accounts/developer": {
    request: {
      readonly token: string;
    };
    response: object;
  };
  /** Ends this session. */
  "POST /accounts/sign-out": {
    request: object;
    response: object;
  };
  /** Proves once more, with password and code, that it is the same person. */
  "POST /accounts/step-up/password": {
    request: {
      readonly password: string;
      readonly code: string;
    };
    response: object;
  };
  /** What a browser needs to prove once more, with a passkey, that it is the same person. */
  "POST /accounts/step-up/passkey/begin": {
    request: object;
    response: {
      readonly options: object;
    };
  };
  /** Proves once more, with a passkey, that it is the same person. */
  "POST /accounts/step-up/passkey": {
    request: {
      readonly response: object;
    };
    response: object;
  };
  /** Where the browser goes to prove once more, at the identity provider, that it is the same person. */
  "POST /accounts/step-up/oidc": {
    request: object;
    response: {
      readonly url: string;
    };
  };
  /** The caller: its person, its organisations, and what its role allows. */
  "GET /accounts/me": {
    request: object;
    response: {
      readonly person: {
        readonly personId: string;
        readonly email: string;
        readonly name: string;
      };
      readonly method: string;
      /** Whether a way to sign in has to be set up before anything else. */
      readonly mustSetUp: boolean;
      readonly endsAt: string;
      readonly steppedUpAt?: string;
      readonly organisationId?: string;
      readonly rights: {
        readonly sandbox: readonly (string)[];
        readonly live: readonly (string)[];
      };
      readonly organisations: readonly ({
        readonly organisationId: string;
        readonly name: string;
        readonly kind: string;
        readonly role: "owner" | "admin" | "developer" | "finance" | "support" | "reader" | "staff-admin" | "staff-operator" | "staff-finance" | "staff-support";
        readonly isLive: boolean;
      })[];
    };
  };
  /** Where the caller is signed in. */
  "GET /accounts/sessions": {
    request: object;
    response: {
      readonly sessions: readonly ({
        readonly sessionId: string;
        readonly isThis: boolean;
        readonly method: "link" | "recovery" | "passkey" | "password" | "oidc" | "developer";
        readonly createdAt: string;
        readonly seenAt: string;
        readonly network: string;
        readonly browser: string;
      })[];
    };
  };
  /** Ends a session of the caller, wherever it is open. */
  "POST /accounts/sessions/end": {
    request: {
      readonly sessionId: string;
    };
    response: object;
  };
  /** Chooses the organisation for which the caller acts. */
  "POST /accounts/organisations/choose": {
    request: {
      readonly organisationId: string;
    };
    response: object;
  };
  /** The addresses of the portal that the caller has saved in this organisation. */
  "GET /accounts/saved-views": {
    request: object;
    response: {
      readonly savedViews: readonly ({
        readonly name: string;
        readonly address: string;
      })[];
    };
  };
  /** Saves an address of the portal under a name; the same name again is replaced. */
  "POST /accounts/saved-views": {
    request: {
      readonly name: string;
      readonly address: string;
    };
    response: object;
  };
  /** Forgets a saved view. */
  "POST /accounts/saved-views/remove": {
    request: {
      readonly name: string;
    };
    response: object;
  };
  /** The people of the organisation, and those who are invited. */
  "GET /accounts/people": {
    request: object;
    response: {
      readonly people: readonly ({
        readonly personId: string;
        readonly name: string;
        readonly email: string;
        readonly role: "owner" | "admin" | "developer" | "finance" | "support" | "reader" | "staff-admin" | "staff-operator" | "staff-finance" | "staff-support";
        readonly since: string;
        readonly passkeyCount: number;
        readonly sessionCount: number;
        readonly signedInAt?: string;
      })[];
      readonly invitations: readonly ({
        readonly invitationId: string;
        readonly email: string;
        readonly role: "owner" | "admin" | "developer" | "finance" | "support" | "reader" | "staff-admin" | "staff-operator" | "staff-finance" | "staff-support";
        readonly expiresAt: string;
      })[];
    };
  };
  /** Gives a person of the organisation another role. */
  "POST /accounts/people/change-role": {
    request: {
      readonly personId: string;
      readonly role: "owner" | "admin" | "developer" | "finance" | "support" | "reader" | "staff-admin" | "staff-operator" | "staff-finance" | "staff-support";
    };
    response: {
      /** Invitations that the person had sent, and that ended with this change. */
      readonly endedInvitations: readonly ({
        readonly invitationId: string;
        readonly email: string;
        readonly role: "owner" | "admin" | "developer" | "finance" | "support" | "reader" | "staff-admin" | "staff-operator" | "staff-finance" | "staff-support";
      })[];
    };
  };
  /** Ends a person's membership; what it has open shows nothing of the organisation any more. */
  "POST /accounts/people/end": {
    request: {
      readonly personId: string;
    };
    response: {
      /** Invitations that the person had sent, and that ended with this change. */
      readonly endedInvitations: readonly ({
        readonly invitationId: string;
        readonly email: string;
        readonly role: "owner" | "admin" | "developer" | "finance" | "support" | "reader" | "staff-admin" | "staff-operator" | "staff-finance" | "staff-support";
      })[];
    };
  };
  /** Invites somebody to the organisation, in a role, by a letter. */
  "POST /accounts/invitations": {
    request: {
      readonly email: string;
      readonly role: "owner" | "admin" | "developer" | "finance" | "support" | "reader" | "staff-admin" | "staff-operator" | "staff-finance" | "staff-support";
    };
    response: {
      readonly invitationId: string;
    };
  };
  /** Takes an invitation back; its link opens nothing any more. */
  "POST /accounts/invitations/revoke": {
    request: {
      readonly invitationId: string;
    };
    response: object;
  };
  /** Opens the link of an invitation, and joins the organisation. */
  "POST /accounts/invitations/accept": {
    request: {
      readonly token: string;
      readonly name: string;
    };
    response: object;
  };
  /** Vouches, as the first of two people, for a person of the organisation who has lost all credentials. */
  "POST /accounts/recoveries": {
    request: {
      readonly personId: string;
      readonly reason: string;
    };
    response: {
      readonly recoveryId: string;
    };
  };
  /** Vouches as the second person. The person then gets a code by email, to set up a new passkey or password. */
  "POST /accounts/recoveries/confirm": {
    request: {
      readonly recoveryId: string;
    };
    response: object;
  };
  /** The people of the organisation who are on their way back. */
  "GET /accounts/recoveries": {
    request: object;
    response: {
      readonly recoveries: readonly ({
        readonly recoveryId: string;
        readonly personId: string;
        readonly name: string;
        readonly email: string;
        readonly reason: string;
        readonly askedBy: string;
        readonly askedAt: string;
        readonly readyAt?: string;
        readonly expiresAt: string;
      })[];
    };
  };
  /** Vouches, as the first of two of the provider's staff, for a merchant's person. It takes effect after 24 hours, in which the person and all owners can stop it. */
  "POST /accounts/recoveries/operator": {
    request: {
      readonly email: string;
      readonly reason: string;
    };
    response: {
      readonly recoveryId: string;
    };
  };
  /** Vouches as the second of the provider's staff. The merchant's person then gets a code by email. */
  "POST /accounts/recoveries/operator/confirm": {
    request: {
      readonly recoveryId: string;
    };
    response: {
      readonly readyAt: string;
    };
  };
  /** The people for whom the operator vouches. */
  "GET /accounts/recoveries/operator": {
    request: object;
    response: {
      readonly recoveries: readonly ({
        readonly recoveryId: string;
        readonly personId: string;
        readonly name: string;
        readonly email: string;
        readonly reason: string;
        readonly askedBy: string;
        readonly askedAt: string;
        readonly readyAt?: string;
        readonly expiresAt: string;
      })[];
    };
  };
  /** Stops a recovery: by the person itself, an owner of an organisation of theirs, or whoever may vouch. */
  "POST /accounts/recoveries/cancel": {
    request: {
      readonly recoveryId: string;
    };
    response: object;
  };
  /** Stops a recovery by the link in the letter about it. */
  "POST /accounts/recoveries/cancel-by-link": {
    request: {
      readonly token: string;
    };
    response: object;
  };
  /** Lets a person set up a new passkey or password, with the code that they got by email after two people vouched. */
  "POST /accounts/recover": {
    request: {
      readonly code: string;
    };
    response: object;
  };
  /** Gives the organisation another client id of sandbox. */
  "POST /accounts/clients/sandbox": {
    request: {
      readonly name: string;
    };
    response: {
      readonly clientId: string;
    };
  };
  /** Gives the organisation another client id of live. */
  "POST /accounts/clients/live": {
    request: {
      readonly name: string;
    };
    response: {
      readonly clientId: string;
    };
  };
  /** Asks for a second person who confirms an act, as it would be sent. */
  "POST /accounts/approvals": {
    request: {
      readonly environment: "sandbox" | "live";
      readonly right: "payments.read" | "payments.refund" | "payments.cancel" | "payments.capture" | "disputes.read" | "disputes.accept" | "disputes.answer" | "balance.read" | "stores.read" | "notifications.read" | "notifications.resend" | "calls.read" | "keys.read" | "keys.change" | "endpoints.change" | "brand.change" | "clients.open" | "live.prepare" | "sandbox.steer" | "live.ask" | "people.read" | "people.invite" | "people.change" | "people.recover" | "organisation.change" | "audit.read" | "merchants.read" | "merchants.review" | "merchants.change" | "wallets.read" | "wallets.change" | "open-records.read" | "jobs.retry" | "breaks.read" | "breaks.close" | "breaks.write-off" | "announcements.write";
      readonly act: string;
      readonly clientId?: string;
      readonly request: object;
      readonly reason: string;
    };
    response: {
      readonly approvalId: string;
    };
  };
  /** What waits for a second person, and what was confirmed and waits to be done. */
  "GET /accounts/approvals": {
    request: object;
    response: {
      readonly approvals: readonly ({
        readonly approvalId: string;
        readonly environment: "sandbox" | "live";
        readonly right: "payments.read" | "payments.refund" | "payments.cancel" | "payments.capture" | "disputes.read" | "disputes.accept" | "disputes.answer" | "balance.read" | "stores.read" | "notifications.read" | "notifications.resend" | "calls.read" | "keys.read" | "keys.change" | "endpoints.change" | "brand.change" | "clients.open" | "live.prepare" | "sandbox.steer" | "live.ask" | "people.read" | "people.invite" | "people.change" | "people.recover" | "organisation.change" | "audit.read" | "merchants.read" | "merchants.review" | "merchants.change" | "wallets.read" | "wallets.change" | "open-records.read" | "jobs.retry" | "breaks.read" | "breaks.close" | "breaks.write-off" | "announcements.write";
        readonly act: string;
        readonly place: string;
        readonly request: object;
        readonly reason: string;
        readonly askedByName: string;
        readonly isOwn: boolean;
        readonly isConfirmed: boolean;
        readonly mayConfirm: boolean;
        readonly askedAt: string;
        readonly expiresAt: string;
      })[];
    };
  };
  /** Confirms, as the second person, what somebody else asked; the first one can then do it within an hour. */
  "POST /accounts/approvals/confirm": {
    request: {
      readonly approvalId: string;
    };
    response: object;
  };
  /** Takes back, or turns down, what waits for a second person. */
  "POST /accounts/approvals/drop": {
    request: {
      readonly approvalId: string;
    };
    response: object;
  };
  /** A token for one environment: who the caller is, for whom it acts, and in which role. */
  "POST /accounts/token": {
    request: {
      readonly environment: "sandbox" | "live";
      readonly approvalId?: string;
    };
    response: {
      readonly token: string;
      readonly expiresAt: string;
    };
  };
  /** How far the organisation is on its way to live: what was said and sent, what is missing, what was decided. */
  "GET /accounts/review": {
    request: object;
    response: {
      readonly status: "draft" | "submitted" | "approved" | "refused";
      readonly business: {
        readonly legalName: string;
        readonly registrationNumber: string;
        readonly country: string;
        readonly address: string;
        readonly owner: string;
        readonly website: string;
        readonly sells: string;
      };
      readonly documents: readonly ({
        readonly documentId: string;
        readonly shows: "registration" | "identity" | "address" | "other";
        readonly name: string;
        readonly mediaType: "application/pdf" | "image/png" | "image/jpeg";
        readonly bytes: number;
        readonly sha256: string;
        readonly uploadedAt: string;
      })[];
      readonly missing: readonly ("legalName" | "registrationNumber" | "country" | "address" | "owner" | "website" | "sells" | "document-registration" | "document-identity")[];
      readonly submittedAt?: string;
      readonly decidedAt?: string;
      readonly reason?: string;
      readonly documentBytesMax: number;
    };
  };
  /** Saves what the merchant says of its business. */
  "POST /accounts/review/business": {
    request: {
      readonly legalName: string;
      readonly registrationNumber: string;
      readonly country: string;
      readonly address: string;
      readonly owner: string;
      readonly website: string;
      readonly sells: string;
    };
    response: object;
  };
  /** Adds a paper: a PDF, a PNG or a JPEG of at most 4 MB, in base64. */
  "POST /accounts/review/documents": {
    request: {
      readonly shows: "registration" | "identity" | "address" | "other";
      readonly name: string;
      readonly content: string;
    };
    response: {
      readonly documentId: string;
    };
  };
  /** Removes a paper. */
  "POST /accounts/review/documents/remove": {
    request: {
      readonly documentId: string;
    };
    response: object;
  };
  /** Asks the operator to let the organisation into live. */
  "POST /accounts/review/submit": {
    request: object;
    response: object;
  };
  /** Takes back what was submitted, to change something. */
  "POST /accounts/review/withdraw": {
    request: object;
    response: object;
  };
  /** Merchants' organisations, two hundred at a time: those that wait for a decision, those that are not in live, all others. */
  "GET /accounts/merchants": {
    request: {
      readonly after?: string;
    };
    response: {
      readonly merchants: readonly ({
        readonly organisationId: string;
        readonly name: string;
        readonly status: "draft" | "submitted" | "approved" | "refused";
        readonly submittedAt?: string;
        readonly liveSince?: string;
      })[];
    };
  };
  /** What a merchant said and sent, its people, and what was decided. Each look is in the merchant's audit. */
  "GET /accounts/merchants/review": {
    request: {
      readonly organisationId: string;
    };
    response: {
      readonly name: string;
      readonly status: "draft" | "submitted" | "approved" | "refused";
      /** Named by a decision, which is about this one and no later one. */
      readonly submission: number;
      readonly business: {
        readonly legalName: string;
        readonly registrationNumber: string;
        readonly country: string;
        readonly address: string;
        readonly owner: string;
        readonly website: string;
        readonly sells: string;
      };
      readonly documents: readonly ({
        readonly documentId: string;
        readonly shows: "registration" | "identity" | "address" | "other";
        readonly name: string;
        readonly mediaType: "application/pdf" | "image/png" | "image/jpeg";
        readonly bytes: number;
        readonly sha256: string;
        readonly uploadedAt: string;
      })[];
      readonly missing: readonly ("legalName" | "registrationNumber" | "country" | "address" | "owner" | "website" | "sells" | "document-registration" | "document-identity")[];
      readonly people: readonly ({
        readonly name: string;
        readonly email: string;
        readonly role: "owner" | "admin" | "developer" | "finance" | "support" | "reader" | "staff-admin" | "staff-operator" | "staff-finance" | "staff-support";
        readonly since: string;
      })[];
      readonly submittedAt?: string;
      readonly decidedAt?: string;
      readonly reason?: string;
      readonly liveSince?: string;
    };
  };
  /** A paper of a merchant, in base64, to be saved to a file. Each look is in the merchant's audit. */
  "GET /accounts/merchants/document": {
    request: {
      readonly documentId: string;
    };
    response: {
      readonly name: string;
      readonly mediaType: "application/pdf" | "image/png" | "image/jpeg";
      /** In base64. It is a stranger's file: save it, and never show it inline. */
      readonly content: string;
    };
  };
  /** Lets a merchant into live; its owners get a letter. */
  "POST /accounts/merchants/approve": {
    request: {
      readonly organisationId: string;
      readonly submission: number;
      readonly reason: string;
    };
    response: object;
  };
  /** Does not let a merchant into live yet; its owners get a letter with the reason, and may submit again. */
  "POST /accounts/merchants/refuse": {
    request: {
      readonly organisationId: string;
      readonly submission: number;
      readonly reason: string;
    };
    response: object;
  };
  /** What was done in the organisation, the newest first: by its people, and by the provider. */
  "GET /accounts/audit": {
    request: {
      readonly createdFrom?: string;
      readonly createdUntil?: string;
      readonly actor?: string;
      readonly act?: string;
      readonly cursor?: string;
    };
    response: {
      readonly entries: readonly ({
        readonly seq: number;
        readonly at: string;
        readonly act: "registration.verify" | "sign-in" | "developer.sign-in" | "sign-in.refuse" | "sign-out" | "session.end" | "step-up" | "step-up.refuse" | "passkey.add" | "passkey.remove" | "password.set" | "invitation.send" | "invitation.revoke" | "invitation.accept" | "membership.change" | "membership.end" | "client.give" | "approval.ask" | "approval.confirm" | "approval.drop" | "recovery.ask" | "recovery.confirm" | "recovery.stop" | "recovery.begin" | "recovery.finish" | "review.change" | "document.add" | "document.remove" | "document.see" | "review.submit" | "review.withdraw" | "review.see" | "review.approve" | "review.refuse" | "audit.see" | "announcement.set" | "announcement.end";
        readonly subject: string;
        readonly reason?: string;
        readonly changes: readonly ({
          readonly field: string;
          readonly before?: string;
          readonly after?: string;
        })[];
        readonly person?: {
          readonly personId: string;
          readonly role: string;
        };
      })[];
      readonly nextCursor?: string;
    };
  };
  /** What was done in all organisations, the newest first. The look is in the audit itself. */
  "GET /accounts/audit/all": {
    request: {
      readonly createdFrom?: string;
      readonly createdUntil?: string;
      readonly actor?: string;
      readonly act?: string;
      readonly cursor?: string;
      readonly organisationId?: string;
    };
    response: {
      readonly entries: readonly ({
        readonly seq: number;
        readonly at: string;
        readonly act: "registration.verify" | "sign-in" | "developer.sign-in" | "sign-in.refuse" | "sign-out" | "session.end" | "step-up" | "step-up.refuse" | "passkey.add" | "passkey.remove" | "password.set" | "invitation.send" | "invitation.revoke" | "invitation.accept" | "membership.change" | "membership.end" | "client.give" | "approval.ask" | "approval.confirm" | "approval.drop" | "recovery.ask" | "recovery.confirm" | "recovery.stop" | "recovery.begin" | "recovery.finish" | "review.change" | "document.add" | "document.remove" | "document.see" | "review.submit" | "review.withdraw" | "review.see" | "review.approve" | "review.refuse" | "audit.see" | "announcement.set" | "announcement.end";
        readonly subject: string;
        readonly reason?: string;
        readonly changes: readonly ({
          readonly field: string;
          readonly before?: string;
          readonly after?: string;
        })[];
        readonly actor: {
          readonly kind: string;
          readonly name: string;
          readonly role: string;
        };
        readonly organisation?: string;
      })[];
      readonly nextCursor?: string;
    };
  };
  /** The names behind the ids of an audit: people of the organisation, also who have left, and for staff anybody. */
  "GET /accounts/audit/people": {
    request: {
      readonly ids?: string;
    };
    response: {
      readonly people: readonly ({
        readonly personId: string;
        readonly name: string;
        readonly email: string;
      })[];
    };
  };
  /** What operators tell everybody at the moment. */
  "GET /accounts/announcement": {
    request: object;
    response: {
      readonly announcement?: {
        readonly text: string;
        readonly tone: "notice" | "warning";
        readonly endsAt: string;
      };
    };
  };
  /** Tells everybody something, above every page of the portal, for some hours; in place of what was told before. */
  "POST /accounts/announcement": {
    request: {
      readonly text: string;
      readonly tone: "notice" | "warning";
      readonly hours: number;
    };
    response: object;
  };
  /** Takes an announcement down before its time. */
  "POST /accounts/announcement/end": {
    request: object;
    response: object;
  };
}

export const refusalSentences = {
  INVALID_REQUEST: "The request is not of the form that this address takes.",
  LINK_INVALID: "This link was used before, or is too old. Ask for a new one.",
  CODE_WRONG: "The code does not fit. Check the clock of your telephone, and take the next one.",
  PASSKEY_REFUSED: "The passkey did not answer the question that was asked. Try again.",
  PASSWORD_WEAK: "This password is too easy to guess.",
  NOT_SIGNED_IN: "Sign in first.",
  RECOVERY_REFUSED: "This code is wrong, not valid yet, or expired.",
  OIDC_REFUSED: "The identity provider did not let you in, or nobody has invited you here.",
  SIGN_IN_FAILED: "Address, password and code do not fit together.",
  SET_UP_FIRST: "Set up a passkey, or a password with codes, first.",
  FOREIGN_ORIGIN: "This was not asked by a page of ours.",
  NOT_ALLOWED: "Your role does not allow this.",
  STEP_UP_NEEDED: "Show once more that it is you: this needs it, and the last time is more than five minutes ago.",
  PASSKEY_NEEDED: "Sign in with a passkey for this.",
  ORGANISATION_NEEDED: "Choose the organisation for which you act first.",
  ANOTHER_PERSON_NEEDED: "This takes another person than you.",
  SECOND_PERSON_NEEDED: "This needs a second person. Ask somebody else with the same right to confirm it.",
  APPROVER_TOO_NEW: "You joined, or your role changed, less than 24 hours ago or after this request. Another person has to approve it.",
  OTHER_PERSON: "This invitation is for another address than the one you are signed in with.",
  LIVE_NOT_OPEN: "Live is open to your organisation once it has been reviewed.",
  NOT_FOUND: "There is no such thing here.",
  SIGN_IN_FIRST: "You have an account already. Sign in, and open the link again.",
  RECOVERY_UNDER_WAY: "A recovery of this account is open already.",
  RECOVERY_BY_STAFF_ADMINS: "This person is staff. Two other staff-admins have to vouch, on the page of staff.",
  RECOVERY_BY_COMMAND: "This needs two other staff-admins, and there are fewer. Run `staff recover` at the command line of accounts.",
  RECOVERY_BY_OPERATOR: "This person works for other organisations as well, so your provider has to vouch.",
  LAST_OWNER: "An organisation keeps at least one owner, and staff keep an admin. Give somebody else that role first.",
  LAST_CREDENTIAL: "This is your only way to sign in. Add another one first.",
  REVIEW_INCOMPLETE: "Something is missing yet; the page says what.",
  REVIEW_UNDER_WAY: "This is being looked at, or was approved. Take it back first to change something.",
  REVIEW_CHANGED: "This is not what waits for a decision now. Look at it again.",
  TOO_MANY: "There is no room for another one.",
  TOO_LARGE: "This is too large.",
  DOCUMENT_REFUSED: "Send a PDF, a PNG or a JPEG of at most 4 MB.",
  UNSUPPORTED_MEDIA_TYPE: "The body has to be JSON, with the content type application/json.",
  TRY_LATER: "That was tried too often. Wait a quarter of an hour, or sign in with a passkey.",
} as const;

export const rightOfRoute = {
  "POST /accounts/people/change-role": {"right":"people.change","environment":"live"},
  "POST /accounts/people/end": {"right":"people.change","environment":"live"},
  "POST /accounts/invitations": {"right":"people.invite","environment":"live"},
  "POST /accounts/invitations/revoke": {"right":"people.invite","environment":"live"},
  "POST /accounts/recoveries": {"right":"people.change","environment":"live"},
  "POST /accounts/recoveries/confirm": {"right":"people.change","environment":"live"},
  "POST /accounts/recoveries/operator": {"right":"people.recover","environment":"live"},
  "POST /accounts/recoveries/operator/confirm": {"right":"people.recover","environment":"live"},
  "POST /accounts/clients/sandbox": {"right":"clients.open","environment":"sandbox"},
  "POST /accounts/clients/live": {"right":"clients.open","environment":"live"},
  "POST /accounts/review/business": {"right":"live.prepare","environment":"live"},
  "POST /accounts/review/documents": {"right":"live.prepare","environment":"live"},
  "POST /accounts/review/documents/remove": {"right":"live.prepare","environment":"live"},
  "POST /accounts/review/submit": {"right":"live.ask","environment":"live"},
  "POST /accounts/review/withdraw": {"right":"live.ask","environment":"live"},
  "POST /accounts/merchants/approve": {"right":"merchants.review","environment":"live"},
  "POST /accounts/merchants/refuse": {"right":"merchants.review","environment":"live"},
  "POST /accounts/announcement": {"right":"announcements.write","environment":"live"},
  "POST /accounts/announcement/end": {"right":"announcements.write","environment":"live"},
} as const;
