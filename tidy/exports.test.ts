import { file, joinHalves, testRule, src } from "./rule.ts";
import { findUnusedExports } from "./exports.ts";

testRule({
  name: "every export is imported by another file",
  appliesTo: (path) => /\.(?:ts|tsx)$/.test(path) && !path.split("/").includes("generated"),
  fileCountMin: 400,
  check: findUnusedExports,
  allowed: [
    src(
      "core/money.ts",
      "export interface Money {}\nexport const add = (a: Money) => a;\nexport async function split() {}\nexport class Sum {}",
    ),
    src("core/whole.ts", "export const one = 1;"),
    src("core/later.ts", "export const two = 2;"),
    src(
      "payments/pay.ts",
      'import {\n  add as plus,\n  split,\n} from "../core/money.ts";\nimport * as whole from "../core/whole.ts";',
    ),
    src(
      "payments/pay.test.ts",
      joinHalves('import { type Sum } from "../core/money.ts";\nawait imp', 'ort("../core/later.ts");'),
    ),
    file("clients/typescript/src/client.ts", "export class Client {}"),
  ],
  breaks: [
    src("core/a.ts", "/** What `spare` is. */\nexport const spare = 1;"),
    src("core/b.ts", "export function used() {}\nused();"),
    src("core/c.ts", "/** Never again. */\nexport type Never = 1;"),
    src("core/d.ts", "export async function* each() {}"),
    src(
      "payments/e.ts",
      'import { b } from "../core/b.ts";\n// import { refund } from "./e.ts";\nexport const refund = 1;',
    ),
  ],
});
