import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { buildFuzzer, buildHostileModule } from "./fuzz-pkcs11.ts";

const seed = "20261118";
/** Duration of the fuzzing in this test. `node scripts/fuzz-pkcs11.ts --seconds 3600 --seed 7` runs it longer. */
const seconds = 10;
const folder = mkdtempSync(join(tmpdir(), "tollgate-fuzz-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const hostileModule = await buildHostileModule(folder);

test("no value that a PKCS#11 module returns breaks memory, hangs a call or changes a signature", async () => {
  const fuzzer = await buildFuzzer(folder, hostileModule);
  const summary = await fuzzer.run({ seed, seconds });
  const iterations = Number(/^(\d+) iterations/.exec(summary)?.[1]);
  assert.ok(iterations >= 500, summary);
});

interface SeededBug {
  readonly name: string;
  readonly from: string;
  readonly to: string;
  readonly expectedReport: RegExp;
}

const bugs: readonly SeededBug[] = [
  {
    name: "the length of a signature is not checked",
    from: " && task->length > 0 && task->length <= sizeof task->signature",
    to: "",
    expectedReport: /AddressSanitizer: (heap-buffer-overflow|negative-size-param)/,
  },
  {
    name: "the number of slots is not checked",
    from: "if (count > slotsMax)",
    to: "if (0)",
    expectedReport: /AddressSanitizer: stack-buffer-overflow|out of bounds|open succeeds when/,
  },
  {
    name: "a function that the module does not have is called",
    from: "|| !hasFunctions(list)",
    to: "|| !list",
    expectedReport: /null pointer|AddressSanitizer: SEGV/,
  },
  {
    name: "the number of keys found is not checked",
    from: "if (count > 1)",
    to: "if (0)",
    expectedReport: /exactly one key was found/,
  },
  {
    name: "a long label is cut",
    from: "length > max) return 0;",
    to: "0) return 0;",
    expectedReport: /passed on whole|AddressSanitizer/,
  },
  {
    name: "a key is looked for after `open` has failed",
    from: "if (!isOpen || given < 2",
    to: "if (given < 2",
    expectedReport: /null pointer|AddressSanitizer: SEGV|hangs/,
  },
  {
    name: "a session is lost when a signature fails",
    from: "task->signature, &task->length);\n  giveBack(session);",
    to: "task->signature, &task->length);\n  if (!task->code) giveBack(session);",
    expectedReport: /all sessions are free again|hangs/,
  },
  {
    name: "the memory of a finished signature is not freed",
    from: "napi_delete_async_work(env, task->work);\n  free(task);\n}",
    to: "napi_delete_async_work(env, task->work);\n}",
    expectedReport: /all memory is freed/,
  },
];

for (const { name, from, to, expectedReport } of bugs)
  test(`the fuzzer finds a seeded bug: ${name}`, async () => {
    const source = readFileSync(fileURLToPath(new URL("../server/native/pkcs11.c", import.meta.url)), "utf8");
    assert.ok(source.includes(from), "the binding has the line that is changed");
    const changed = join(folder, "changed.c");
    writeFileSync(changed, source.replace(from, to));
    const fuzzer = await buildFuzzer(folder, hostileModule, changed);
    await assert.rejects(fuzzer.run({ seed, seconds }), (cause: Error & { stderr?: string }) => {
      assert.match(cause.stderr ?? cause.message, expectedReport);
      assert.match(cause.stderr ?? "", /harness: seed 20261118, iteration \d+/);
      return true;
    });
  });
