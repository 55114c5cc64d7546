import { stopClock } from "../../../server/test/pages/page-checks.ts";
import { testLooks } from "../../../server/test/pages/test-page-states.ts";
import { walletPictures, startWalletLooks } from "./wallet-looks.ts";

/** Pictures of every page of the wallet: `npm run evidence -- buyers`. The pages are only in English. */
const { looks, origins } = await startWalletLooks();
await testLooks({ part: "wallet", looks, mayAsk: origins, pictures: walletPictures, steady: stopClock });
