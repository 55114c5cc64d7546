import { stopClock } from "../../../server/test/pages/looks.ts";
import { testLooks } from "../../../server/test/pages/test-looks.ts";
import { walletPictures, startWalletLooks } from "./wallet-looks.ts";

/** Every page of the wallet, as reviewed: `npm run evidence -- buyers`. It speaks English alone. */
const { looks, origins } = await startWalletLooks();
await testLooks({ part: "wallet", looks, mayAsk: origins, pictures: walletPictures, steady: stopClock });
