import assert from "node:assert/strict";
import { test } from "node:test";
import { circlesIn, folderNode, importGraph } from "./import-graph.ts";
import { file, src } from "./rule.ts";

const from = (path: string): string => `import { any } from "${path}";\n`;

test("folders that import each other are a circle, with the folders in between", () => {
  const graph = importGraph(
    [
      src("api/operations.ts", from("../payments/pay.ts")),
      src("payments/pay.ts", from("../core/money.ts") + from("./fee.ts")),
      src("payments/fee.ts"),
      src("core/money.ts", from("../api/page.ts")),
      src("api/page.ts"),
      // These files are not in the circle: an entry file, a folder that only the entry file imports, and a test.
      src("main.ts", from("./api/operations.ts") + from("./home/page.ts")),
      src("home/page.ts"),
      src("core/money.test.ts", from("../home/page.ts")),
      src("home/page.test.ts", from("../core/money.ts")),
      file("README.md"),
    ],
    folderNode,
  );
  assert.deepEqual(circlesIn(graph), [["server/src/api", "server/src/core", "server/src/payments"]]);
});

test("without the closing import there is no circle", () => {
  const graph = new Map([
    ["a", new Set(["b", "c"])],
    ["b", new Set(["c"])],
    ["c", new Set<string>()],
  ]);
  assert.deepEqual(circlesIn(graph), []);
  assert.deepEqual(circlesIn(new Map([...graph, ["c", new Set(["a"])]])), [["a", "b", "c"]]);
});

test("files of a folder are one node, and each file outside of folders is one", () => {
  assert.equal(folderNode("server/src/payments/pay.ts"), "server/src/payments");
  assert.equal(folderNode("server/src/http/limits/rate.ts"), "server/src/http");
  assert.equal(folderNode("server/src/main.ts"), "server/src/main.ts");
  assert.equal(folderNode("proof/month/month-plan.ts"), "proof/month");
  assert.equal(folderNode("proof/chaos.ts"), "proof/chaos.ts");
});
