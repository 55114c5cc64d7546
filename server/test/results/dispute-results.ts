import assert from "node:assert/strict";
import { asSuperuser } from "../start/test-database.ts";
import { newMerchant, type TestMerchant } from "../start/test-gateway.ts";
import { eventually } from "../start/test-process.ts";
import type { ResultProducers } from "./pay-results.ts";
import { advanceClock, controlPayment, type ResultEnvironment } from "./result-environment.ts";

interface DisputedPayment {
  readonly paymentId: string;
  readonly disputeId: string;
}

/** A payment that its buyer disputes. */
async function createDispute(
  environment: ResultEnvironment,
  body: object = {},
  as?: TestMerchant,
): Promise<DisputedPayment> {
  const paymentId = await environment.payment("paid", {}, as);
  await controlPayment(environment, paymentId, "dispute", body);
  const [found] = await eventually(
    10_000,
    () => disputesOf(environment, paymentId),
    (rows) => rows.length > 0,
  );
  assert(found);
  return { paymentId, disputeId: found.dispute_id };
}

function disputesOf(
  { database }: ResultEnvironment,
  paymentId: string,
): Promise<readonly { readonly dispute_id: string; readonly status: string }[]> {
  const text = "select dispute_id, status from disputes where payment_id = $1";
  return asSuperuser(text, [paymentId], database.superuserUrl);
}

const accept = (
  environment: ResultEnvironment,
  { disputeId }: DisputedPayment,
  as?: TestMerchant,
): Promise<string> => environment.finalCodeOf("payments/acceptDispute", { disputeId }, as);

function defend(
  environment: ResultEnvironment,
  { disputeId }: DisputedPayment,
  version = 1,
  as?: TestMerchant,
): Promise<string> {
  const disputeEvidence = Buffer.from(`%PDF-1.4\n% version ${version}\n%%EOF\n`).toString("base64");
  return environment.finalCodeOf("payments/supplyDefenseDocument", { disputeId, disputeEvidence }, as);
}

/** A dispute whose deadline has passed without an answer. */
async function createOverdueDispute(
  environment: ResultEnvironment,
): Promise<{ readonly it: DisputedPayment; readonly merchant: TestMerchant }> {
  const merchant = await newMerchant(environment.database, "Silent Lab");
  const it = await createDispute(environment, {}, merchant);
  await advanceClock(environment, merchant, 8);
  return { it, merchant };
}

const compliance = { disputeType: "COMPLIANCE_REQUEST" };

export const disputeResults: Readonly<Record<string, ResultProducers>> = {
  "payments/acceptDispute": {
    SUCCESS: async (environment) => accept(environment, await createDispute(environment)),
    REPEAT_REQUEST: async (environment) => {
      const it = await createDispute(environment);
      await defend(environment, it);
      return accept(environment, it);
    },
    TIME_EXCEEDS_LIMIT: async (environment) => {
      const { it, merchant } = await createOverdueDispute(environment);
      return accept(environment, it, merchant);
    },
  },

  "payments/supplyDefenseDocument": {
    SUCCESS: async (environment) => defend(environment, await createDispute(environment)),
    REPEAT_REQUEST: async (environment) => {
      const it = await createDispute(environment);
      await accept(environment, it);
      return defend(environment, it);
    },
    TIME_EXCEEDS_LIMIT: async (environment) => {
      const { it, merchant } = await createOverdueDispute(environment);
      return defend(environment, it, 1, merchant);
    },
    NOT_ALLOW_IN_CURRENT_STATUS: async (environment) => {
      const it = await createDispute(environment, compliance);
      await defend(environment, it);
      return defend(environment, it, 2);
    },
    DEFENSE_EXCEED_LIMIT: async (environment) => {
      const it = await createDispute(environment, compliance);
      for (let version = 1; version <= 3; version += 1) {
        await defend(environment, it, version);
        assert.equal(await environment.provider.dispute(it.paymentId, "invalidate"), 200);
        await eventually(
          10_000,
          () => disputesOf(environment, it.paymentId),
          ([row]) => row?.status === "CREATED",
        );
      }
      return defend(environment, it, 4);
    },
  },

  "payments/downloadDisputeEvidence": {
    SUCCESS: async (environment) => {
      const { disputeId } = await createDispute(environment);
      const disputeEvidenceType = "DISPUTE_EVIDENCE_TEMPLATE";
      return environment.codeOf("payments/downloadDisputeEvidence", { disputeId, disputeEvidenceType });
    },
  },
};
