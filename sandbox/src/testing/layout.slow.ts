import { stopClock } from "../../../server/test/pages/page-checks.ts";
import { testLayouts } from "../../../server/test/pages/test-layouts.ts";
import { startWalletLooks } from "./wallet-looks.ts";

const { looks, origins } = await startWalletLooks();
await testLayouts({
  part: "wallet",
  looks,
  mayAsk: origins,
  steady: stopClock,
  glances: [
    ["home-empty", "390", "light", "en"],
    ["codes", "320", "dark", "en"],
    ["scan", "844", "light", "en"],
    ["order", "390", "dark", "en"],
    ["order-paid", "1280", "light", "en"],
    ["consent", "320", "light", "en"],
  ],
});
