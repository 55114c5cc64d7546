import { announce, endAnnouncement, showAnnouncement } from "./announcements/announce.ts";
import type { Route } from "./api/route.ts";
import { askSecondPerson, confirmAsSecond, dropApproval, showApprovals } from "./approvals/approvals.ts";
import { nameThoseInAudit, readAudit, readWholeAudit } from "./audit/read-audit.ts";
import { addPasskey, askForPasskey, listOwnPasskeys, removePasskey } from "./credentials/own-passkeys.ts";
import { beginPassword, confirmPassword } from "./credentials/set-password.ts";
import { beginOidc, beginOidcStepUp, returnFromOidc, showWaysIn } from "./sign-in/sign-in-with-oidc.ts";
import { giveClient } from "./members/assign-client.ts";
import { acceptInvitation, invite, revokeInvitation } from "./members/invite.ts";
import { changeRole, endMembership, listPeople } from "./members/members.ts";
import { register, verifyEmail } from "./sign-in/register.ts";
import { signInDeveloper } from "./sign-in/sign-in-developer.ts";
import { recover, stopRecovery, stopRecoveryByLink } from "./recoveries/recover.ts";
import {
  listOperatorsRecoveries,
  listOwnRecoveries,
  vouchAsOperator,
  vouchAsSecondOperator,
  vouchAsSecond,
  vouchFor,
} from "./recoveries/vouch.ts";
import { addDocument, removeDocument } from "./reviews/own-documents.ts";
import { askForReview, describeBusiness, showOwnReview, withdrawOwnReview } from "./reviews/own-review.ts";
import {
  approveMerchant,
  refuseMerchant,
  showDocument,
  showMerchants,
  showReview,
} from "./reviews/review-merchants.ts";
import { listOwnViews, removeOwnView, saveOwnView } from "./saved-views/own-views.ts";
import { actFor, endSession, listOwnSessions, showOwnself, signOut } from "./sign-in/own-sessions.ts";
import { askToSignIn, signInWithPasskey, signInWithPassword } from "./sign-in/sign-in.ts";
import { askToStepUp, stepUpWithPasskey, stepUpWithPassword } from "./sign-in/step-up.ts";
import { issueToken } from "./tokens/issue-token.ts";

/** All routes of the API, each with its access rule. */
export const routes: readonly Route[] = [
  register,
  verifyEmail,
  beginPassword,
  confirmPassword,
  askForPasskey,
  addPasskey,
  listOwnPasskeys,
  removePasskey,
  signInWithPassword,
  askToSignIn,
  signInWithPasskey,
  showWaysIn,
  beginOidc,
  returnFromOidc,
  signInDeveloper,
  signOut,
  stepUpWithPassword,
  askToStepUp,
  stepUpWithPasskey,
  beginOidcStepUp,
  showOwnself,
  listOwnSessions,
  endSession,
  actFor,
  listOwnViews,
  saveOwnView,
  removeOwnView,
  listPeople,
  changeRole,
  endMembership,
  invite,
  revokeInvitation,
  acceptInvitation,
  vouchFor,
  vouchAsSecond,
  listOwnRecoveries,
  vouchAsOperator,
  vouchAsSecondOperator,
  listOperatorsRecoveries,
  stopRecovery,
  stopRecoveryByLink,
  recover,
  giveClient("sandbox"),
  giveClient("live"),
  askSecondPerson,
  showApprovals,
  confirmAsSecond,
  dropApproval,
  issueToken,
  showOwnReview,
  describeBusiness,
  addDocument,
  removeDocument,
  askForReview,
  withdrawOwnReview,
  showMerchants,
  showReview,
  showDocument,
  approveMerchant,
  refuseMerchant,
  readAudit,
  readWholeAudit,
  nameThoseInAudit,
  showAnnouncement,
  announce,
  endAnnouncement,
];
