import assert from "node:assert/strict";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { elementsAt, readXml, type Element } from "../../src/core/xml.ts";
import { statusReport } from "../examples/settled-merchants.ts";
import { writeTestFile } from "../start/test-gateway.ts";

/** A bank that is as quick as it can be: it takes every file that it sees out of the folder, also one that a killed process has left. */
export interface QuickBank {
  /** Takes what is in the folder, and executes a message once. */
  take(): void;
  /** The path of its answer about all that it took since the last one; it refuses some of it. */
  answer(refuses: (nth: number) => boolean): string;
  /** What it has executed so far, in minor units, and how often it was given a message again. */
  readonly executed: { minor: bigint; payouts: number; repeats: number };
}

export function openQuickBank(folder: string): QuickBank {
  /** Texts by message id. */
  const messages = new Map<string, string>();
  const told = new Set<string>();
  const executed = { minor: 0n, payouts: 0, repeats: 0 };
  let waiting: readonly { readonly endToEndId: string; readonly minor: bigint }[] = [];

  function takeMessage(text: string): void {
    const document = readXml(text);
    const messageId = textAt(document, "CstmrCdtTrfInitn", "GrpHdr", "MsgId");
    const known = messages.get(messageId);
    if (known !== undefined) {
      assert.equal(known, text, "the same message has the same bytes");
      executed.repeats += 1;
      return;
    }
    messages.set(messageId, text);
    for (const paid of elementsAt(document, "CstmrCdtTrfInitn", "PmtInf", "CdtTrfTxInf")) {
      const endToEndId = textAt(paid, "PmtId", "EndToEndId");
      assert.ok(!told.has(endToEndId), `payout ${endToEndId} is in two messages`);
      told.add(endToEndId);
      const minor = BigInt(textAt(paid, "Amt", "InstdAmt").replace(".", ""));
      waiting = [...waiting, { endToEndId, minor }];
    }
  }

  return {
    executed,
    take() {
      for (const name of readdirSync(folder).filter((each) => each.endsWith(".xml"))) {
        takeMessage(readFileSync(join(folder, name), "utf8"));
        rmSync(join(folder, name));
      }
    },
    answer(refuses) {
      const answered = waiting.map(({ endToEndId, minor }, nth) => {
        if (refuses(nth)) return { endToEndId, status: "RJCT", reason: "AC01" };
        executed.minor += minor;
        executed.payouts += 1;
        return { endToEndId, status: "ACSC" };
      });
      waiting = [];
      const [newest = ""] = [...messages.keys()].slice(-1);
      return writeTestFile(`answer-${told.size}-${executed.payouts}.xml`, statusReport(newest, answered));
    },
  };
}

function textAt(element: Element, ...path: readonly string[]): string {
  return elementsAt(element, ...path)[0]?.text ?? "";
}
