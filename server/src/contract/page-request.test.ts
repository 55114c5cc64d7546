import assert from "node:assert/strict";
import { test } from "node:test";
import { pageOf } from "../core/page-window.ts";
import { isRefusal } from "../core/result.ts";
import { pageWindow } from "./page-request.ts";

const cursor = "20261115093000123047601530017744120";

test("a time window is a range of ids, and a page starts after the last item of the previous one", () => {
  const all = pageWindow({});
  assert.ok(!isRefusal(all) && all.idFrom < cursor && cursor < all.idBefore);
  assert.deepEqual(
    pageWindow({
      createdFrom: "2026-11-15T10:30:00+01:00",
      createdUntil: "2026-11-16T00:00:00+00:00",
      limit: 10,
    }),
    { idFrom: "20261115093000000", idBefore: "20261116000000000", limit: 10 },
  );
  const next = pageWindow({ createdUntil: "2026-11-16T00:00:00+00:00", cursor });
  assert.ok(!isRefusal(next) && next.idBefore === cursor);
  const earlier = pageWindow({ createdUntil: "2026-11-15T00:00:00+00:00", cursor });
  assert.ok(!isRefusal(earlier) && earlier.idBefore === "20261115000000000");
});

test("an invalid day is rejected with its field", () => {
  for (const field of ["createdFrom", "createdUntil"]) {
    const refused = pageWindow({ [field]: "2026-02-31T00:00:00+00:00" });
    assert.ok(isRefusal(refused) && refused.field === field);
  }
});

test("there is a next page if one more item was found than fits", () => {
  const name = (item: string): string => item;
  assert.deepEqual(pageOf(["c", "b", "a"], { limit: 2 }, name), { items: ["c", "b"], nextCursor: "b" });
  assert.deepEqual(pageOf(["b", "a"], { limit: 2 }, name), { items: ["b", "a"], nextCursor: undefined });
  assert.deepEqual(pageOf([], { limit: 2 }, name), { items: [], nextCursor: undefined });
});
