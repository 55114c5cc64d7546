import { stopClock } from "../../../server/test/pages/page-checks.ts";
import { testPageStates } from "../../../server/test/pages/test-page-states.ts";
import { walletPictures, startWalletPageStates } from "./wallet-page-states.ts";

/** Pictures of every page of the wallet: `npm run evidence -- buyers`. The pages are only in English. */
const { states, origins } = await startWalletPageStates();
await testPageStates({
  part: "wallet",
  states,
  allowedPrefixes: origins,
  pictures: walletPictures,
  stabilize: stopClock,
});
