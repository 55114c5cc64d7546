import assert from "node:assert/strict";
import { inBothEnvironments, checked, type Statement } from "./statement.ts";
import { assertResult, inquire } from "./test-environments.ts";

/** Part 9 of docs/interface.md: versioning. Part 8, limits, states nothing. */
export const versioningStatements: readonly Statement[] = [
  checked(
    "9.1",
    "the version of the interface is a segment of the path",
    inBothEnvironments(async (side) => {
      const request = side.paidPayment;
      assertResult(await inquire(side, request), "SUCCESS");
      for (const other of ["/v0/", "/v2/", "/v11/", "/V1/", "/v1.0/", "/"]) {
        const path = side.path.replace("/v1/", other);
        assertResult(await inquire(side, request, { path }), "NO_INTERFACE_DEF");
      }
    }),
  ),
  checked(
    "9.2",
    "in the path of the payment inquiry it is v1",
    inBothEnvironments(async (side) => {
      assert.match(side.path, /^\/ams\/(sandbox\/)?api\/v1\/payments\/inquiryPayment$/);
      assertResult(await inquire(side, side.paidPayment), "SUCCESS");
    }),
  ),
  checked(
    "9.3",
    "the Signature header carries the key's version",
    inBothEnvironments(async (side) => {
      const request = side.paidPayment;
      const answer = await inquire(side, request, { keyVersion: side.merchant.keyVersion });
      assertResult(answer, "SUCCESS");
      assert.match(answer.headers["signature"] ?? "", /,keyVersion=1,/);
      const noSuchVersion = await inquire(side, request, { keyVersion: side.merchant.keyVersion + 7 });
      assertResult(noSuchVersion, "KEY_NOT_FOUND");
    }),
  ),
  checked(
    "9.4",
    "the provider publishes a change history",
    inBothEnvironments(async ({ gateway }) => {
      const changes = await fetch(`${gateway.url}/changes`);
      assert.match(changes.headers.get("content-type") ?? "", /^text\/markdown/);
      assert.match(await changes.text(), /^# Changelog\n[^]*`payments\/pay`/);
    }),
  ),
];
