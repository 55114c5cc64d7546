import { publishAnnouncement, endAnnouncement, showAnnouncement } from "./announcements/announce.ts";
import type { Route } from "./api/route.ts";
import {
  requestApproval,
  approveRequest,
  withdrawOrRejectApproval,
  showApprovals,
} from "./approvals/approvals.ts";
import { listPeopleInAudit, readAudit, readFullAudit } from "./audit/read-audit.ts";
import {
  addPasskey,
  beginPasskeyCreation,
  listOwnPasskeys,
  removePasskey,
} from "./credentials/own-passkeys.ts";
import { beginPassword, confirmPassword } from "./credentials/set-password.ts";
import {
  beginOidc,
  beginOidcStepUp,
  returnFromOidc,
  showSignInMethods,
} from "./sign-in/sign-in-with-oidc.ts";
import { assignClient } from "./members/assign-client.ts";
import { acceptInvitation, invite, revokeInvitation } from "./members/invite.ts";
import { changeRole, endMembership, listPeople } from "./members/members.ts";
import { register, verifyEmail } from "./sign-in/register.ts";
import { signInDeveloper } from "./sign-in/sign-in-developer.ts";
import { recover, stopRecovery, stopRecoveryByLink } from "./recoveries/recover.ts";
import {
  listOperatorRecoveries,
  listOwnRecoveries,
  vouchAsOperator,
  vouchAsSecondOperator,
  vouchAsSecond,
  vouchAsFirst,
} from "./recoveries/vouch.ts";
import { addDocument, removeDocument } from "./reviews/own-documents.ts";
import { submitOwnReview, saveBusiness, showOwnReview, withdrawOwnReview } from "./reviews/own-review.ts";
import {
  approveMerchant,
  refuseMerchant,
  showDocument,
  showMerchants,
  showReview,
} from "./reviews/review-merchants.ts";
import { listOwnViews, removeOwnView, saveOwnView } from "./saved-views/own-views.ts";
import {
  switchOrganisation,
  endSession,
  listOwnSessions,
  showCaller,
  signOut,
} from "./sign-in/own-sessions.ts";
import { beginPasskeySignIn, signInWithPasskey, signInWithPassword } from "./sign-in/sign-in.ts";
import { beginPasskeyStepUp, stepUpWithPasskey, stepUpWithPassword } from "./sign-in/step-up.ts";
import { issueToken } from "./tokens/issue-token.ts";

/** All routes of the API, each with its access rule. */
export const routes: readonly Route[] = [
  register,
  verifyEmail,
  beginPassword,
  confirmPassword,
  beginPasskeyCreation,
  addPasskey,
  listOwnPasskeys,
  removePasskey,
  signInWithPassword,
  beginPasskeySignIn,
  signInWithPasskey,
  showSignInMethods,
  beginOidc,
  returnFromOidc,
  signInDeveloper,
  signOut,
  stepUpWithPassword,
  beginPasskeyStepUp,
  stepUpWithPasskey,
  beginOidcStepUp,
  showCaller,
  listOwnSessions,
  endSession,
  switchOrganisation,
  listOwnViews,
  saveOwnView,
  removeOwnView,
  listPeople,
  changeRole,
  endMembership,
  invite,
  revokeInvitation,
  acceptInvitation,
  vouchAsFirst,
  vouchAsSecond,
  listOwnRecoveries,
  vouchAsOperator,
  vouchAsSecondOperator,
  listOperatorRecoveries,
  stopRecovery,
  stopRecoveryByLink,
  recover,
  assignClient("sandbox"),
  assignClient("live"),
  requestApproval,
  showApprovals,
  approveRequest,
  withdrawOrRejectApproval,
  issueToken,
  showOwnReview,
  saveBusiness,
  addDocument,
  removeDocument,
  submitOwnReview,
  withdrawOwnReview,
  showMerchants,
  showReview,
  showDocument,
  approveMerchant,
  refuseMerchant,
  readAudit,
  readFullAudit,
  listPeopleInAudit,
  showAnnouncement,
  publishAnnouncement,
  endAnnouncement,
];
