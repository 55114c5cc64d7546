import assert from "node:assert/strict";
import { asSuperuser } from "../start/test-database.ts";
import { newMerchant, type TestMerchant } from "../start/test-gateway.ts";
import { eventually } from "../start/test-process.ts";
import type { Produced } from "./pay-results.ts";
import { advance, control, type ResultWorld } from "./world.ts";

interface Disputed {
  readonly paymentId: string;
  readonly disputeId: string;
}

/** A payment that its buyer disputes. */
async function disputed(world: ResultWorld, body: object = {}, as?: TestMerchant): Promise<Disputed> {
  const paymentId = await world.payment("paid", {}, as);
  await control(world, paymentId, "dispute", body);
  const [found] = await eventually(
    10_000,
    () => disputesOf(world, paymentId),
    (rows) => rows.length > 0,
  );
  assert(found);
  return { paymentId, disputeId: found.dispute_id };
}

function disputesOf(
  { database }: ResultWorld,
  paymentId: string,
): Promise<readonly { readonly dispute_id: string; readonly status: string }[]> {
  const text = "select dispute_id, status from disputes where payment_id = $1";
  return asSuperuser(text, [paymentId], database.superuserUrl);
}

const accept = (world: ResultWorld, { disputeId }: Disputed, as?: TestMerchant): Promise<string> =>
  world.finalCodeOf("payments/acceptDispute", { disputeId }, as);

function defend(
  world: ResultWorld,
  { disputeId }: Disputed,
  version = 1,
  as?: TestMerchant,
): Promise<string> {
  const disputeEvidence = Buffer.from(`%PDF-1.4\n% version ${version}\n%%EOF\n`).toString("base64");
  return world.finalCodeOf("payments/supplyDefenseDocument", { disputeId, disputeEvidence }, as);
}

/** A dispute whose deadline has passed without an answer. */
async function overdue(
  world: ResultWorld,
): Promise<{ readonly it: Disputed; readonly merchant: TestMerchant }> {
  const merchant = await newMerchant(world.database, "Silent Lab");
  const it = await disputed(world, {}, merchant);
  await advance(world, merchant, 8);
  return { it, merchant };
}

const compliance = { disputeType: "COMPLIANCE_REQUEST" };

export const disputeResults: Readonly<Record<string, Produced>> = {
  "payments/acceptDispute": {
    SUCCESS: async (world) => accept(world, await disputed(world)),
    REPEAT_REQUEST: async (world) => {
      const it = await disputed(world);
      await defend(world, it);
      return accept(world, it);
    },
    TIME_EXCEEDS_LIMIT: async (world) => {
      const { it, merchant } = await overdue(world);
      return accept(world, it, merchant);
    },
  },

  "payments/supplyDefenseDocument": {
    SUCCESS: async (world) => defend(world, await disputed(world)),
    REPEAT_REQUEST: async (world) => {
      const it = await disputed(world);
      await accept(world, it);
      return defend(world, it);
    },
    TIME_EXCEEDS_LIMIT: async (world) => {
      const { it, merchant } = await overdue(world);
      return defend(world, it, 1, merchant);
    },
    NOT_ALLOW_IN_CURRENT_STATUS: async (world) => {
      const it = await disputed(world, compliance);
      await defend(world, it);
      return defend(world, it, 2);
    },
    DEFENSE_EXCEED_LIMIT: async (world) => {
      const it = await disputed(world, compliance);
      for (let version = 1; version <= 3; version += 1) {
        await defend(world, it, version);
        assert.equal(await world.provider.dispute(it.paymentId, "invalidate"), 200);
        await eventually(
          10_000,
          () => disputesOf(world, it.paymentId),
          ([row]) => row?.status === "CREATED",
        );
      }
      return defend(world, it, 4);
    },
  },

  "payments/downloadDisputeEvidence": {
    SUCCESS: async (world) => {
      const { disputeId } = await disputed(world);
      const disputeEvidenceType = "DISPUTE_EVIDENCE_TEMPLATE";
      return world.codeOf("payments/downloadDisputeEvidence", { disputeId, disputeEvidenceType });
    },
  },
};
