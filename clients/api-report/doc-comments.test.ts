import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { declarations, withoutDocComment } from "./doc-comments.ts";

const clients = join(import.meta.dirname, "..");
const folder = mkdtempSync(join(tmpdir(), "tollgate-sentences-"));
after(() => rmSync(folder, { recursive: true, force: true }));

for (const [language, declaredIn] of Object.entries(declarations))
  test(`${language}: every exported identifier has a doc comment`, () => {
    const declared = declaredIn(join(clients, language));
    assert.ok(declared.length > 150, `only ${declared.length} declarations were checked`);
    assert.deepEqual(withoutDocComment(declared), []);
  });

/** For each language a file, a doc comment in it, and the documented name. */
const silenced = {
  typescript: ["src/money.ts", /\/\*\*[^/]*\*\/\n(?=export class Money)/, "Money"],
  java: ["src/main/java/io/tollgate/Money.java", /\/\*\*[^/]*\*\/\n(?=public [\w ]+ Money\b)/, "Money"],
  php: ["src/Money.php", /\/\*\*[^/]*\*\/\n(?=final class Money)/, "Money"],
  python: ["src/tollgate_client/money.py", /(?<=class Money[^:]*:\n\s*)"""[^"]*"""\n/, "Money"],
} as const;

for (const [language, [path, said, name]] of Object.entries(silenced))
  test(`${language}: a missing doc comment is found`, () => {
    const home = join(folder, language);
    cpSync(join(clients, language, "src"), join(home, "src"), { recursive: true });
    const text = readFileSync(join(home, path), "utf8");
    assert.match(text, said);
    writeFileSync(join(home, path), text.replace(said, ""));
    assert.deepEqual(withoutDocComment(declarations[language]?.(home) ?? []), [name]);
  });
