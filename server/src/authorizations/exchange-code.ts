import { retryAt } from "../resilience/backoff.ts";
import { jobDone, type Job } from "../contract/job.ts";
import type { ProviderDriver } from "../contract/provider-driver.ts";
import type { ExchangeReport } from "../providers/provider.ts";
import { lockAuthorizationOfProvider, updateAuthorizationStatus } from "./authorization.sql.ts";
import { codeLifetimeMs, isPastGrace } from "./authorization.ts";
import { insertAuthorizationWebhook } from "./record-authorization.tx.ts";
import { createPair } from "./token-pair.ts";
import { findToken, lockToken, updateTokenIssued, updateTokenRefused } from "./token.sql.ts";
import type { Token } from "./token.ts";

/** The job that exchanges a code for the provider's agreement, and issues our tokens for it. */
export function exchangeCode(driver: ProviderDriver): Job<Token, ExchangeReport> {
  return {
    loop: "providers",

    async read(tx, { bucket, clientId, subjectId }) {
      const token = await findToken(tx, { bucket, clientId }, subjectId);
      return token?.status === "APPLIED" ? token : undefined;
    },

    async call({ tokenId, clientId, connector, account, sealedCredential, createdAt }, leased, signal) {
      if (!sealedCredential) throw new Error(`Token ${tokenId} has no code to exchange.`);
      const { now } = driver.context(leased);
      try {
        const provider = await driver.providerOf(connector);
        return await provider.exchangeCode(
          driver.secrets.decrypt(sealedCredential, tokenId),
          { merchantId: clientId, account },
          signal,
        );
      } catch (cause) {
        // Deadline of the retries: no code is valid longer. If the provider created an agreement nevertheless, the
        // gateway revokes it when the authorization expires.
        if (isPastGrace(new Date(createdAt.getTime() + codeLifetimeMs), now))
          return { state: "REFUSED", resultCode: "AUTH_CODE_EXPIRED" };
        throw cause;
      }
    },

    lock: (tx, { bucket, clientId, subjectId }) => lockToken(tx, { bucket, clientId }, subjectId),

    async write(tx, token, report, leased) {
      const context = driver.context(leased);
      const { now } = context;
      if (report.state === "REFUSED") {
        updateTokenRefused(tx, token, report.resultCode);
        return jobDone;
      }
      const { connector, customerBelongsTo } = token;
      const authorization = await lockAuthorizationOfProvider(tx, token, connector, report.reference);
      const isWaiting = authorization?.status === "ASKED" || authorization?.status === "AGREED";
      if (!isWaiting || authorization.customerBelongsTo !== customerBelongsTo) {
        updateTokenRefused(tx, token, "INVALID_AUTHCODE");
        return jobDone;
      }
      const { pair, issued } = createPair(token, driver.secrets, now);
      const { authorizationId } = authorization;
      updateTokenIssued(tx, token, authorizationId, issued);
      const active = updateAuthorizationStatus(
        tx,
        authorization,
        {
          status: "ACTIVE",
          expiresAt: issued.refreshExpiresAt,
          sealedAgreement: driver.secrets.encrypt(report.agreementToken, authorizationId),
          ...(report.userLoginId !== undefined && { userLoginId: report.userLoginId }),
        },
        now,
      );
      const { accessToken } = pair;
      insertAuthorizationWebhook(
        tx,
        active,
        { authorizationNotifyType: "TOKEN_CREATED", accessToken },
        context,
      );
      return jobDone;
    },

    retryAt: ({ attempts }, now) => retryAt(attempts, now),
  };
}
