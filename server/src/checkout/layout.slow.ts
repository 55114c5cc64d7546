import { startCheckoutPages, stabilizeCheckout } from "../../test/pages/checkout-page-states.ts";
import { testLayouts } from "../../test/pages/test-layouts.ts";

const { states: looks, origin, frameOrigin } = await startCheckoutPages();
await testLayouts({
  part: "checkout",
  states: looks,
  allowedPrefixes: [origin, frameOrigin],
  stabilize: stabilizeCheckout,
  cases: [
    ["choosing", "390", "light", "en"],
    ["choosing-many", "1280", "light", "zh-Hans"],
    ["preparing", "320", "dark", "ar"],
    ["waiting", "1280", "dark", "en"],
    ["waiting-unfolded", "390", "light", "ar"],
    ["waiting-branded", "844", "light", "zh-Hans"],
    ["waiting-app", "390", "dark", "ar"],
    ["waiting-code-expired", "1280", "dark", "zh-Hans"],
    ["waiting-frame", "320", "light", "en"],
    ["waiting-confirmation", "844", "light", "ar"],
    ["closing", "320", "light", "en"],
    ["pending", "844", "dark", "ar"],
    ["paid", "390", "dark", "en"],
    ["failed", "320", "dark", "zh-Hans"],
    ["expired", "1280", "light", "ar"],
    ["cancelled", "844", "light", "en"],
    ["missing", "390", "dark", "zh-Hans"],
    ["fault", "320", "light", "ar"],
  ],
});
