import { stopClock } from "../../../server/test/pages/page-checks.ts";
import { testLayouts } from "../../../server/test/pages/test-layouts.ts";
import { startWalletPageStates } from "./wallet-page-states.ts";

const { states, origins } = await startWalletPageStates();
await testLayouts({
  part: "wallet",
  states,
  allowedPrefixes: origins,
  stabilize: stopClock,
  cases: [
    ["home-empty", "390", "light", "en"],
    ["codes", "320", "dark", "en"],
    ["scan", "844", "light", "en"],
    ["order", "390", "dark", "en"],
    ["order-paid", "1280", "light", "en"],
    ["consent", "320", "light", "en"],
  ],
});
