import type { PageState } from "../../../server/test/pages/page-checks.ts";
import { wireTime } from "../wallet/wire-time.ts";
import {
  call,
  control,
  newFolder,
  newOrder,
  startWallet,
  submitWithCode,
  newCode,
  pageOf,
} from "./test-wallet.ts";

export interface WalletPageStates {
  /** Origins that the pages may send requests to. */
  readonly origins: readonly string[];
  readonly states: readonly PageState[];
}

/** Codes differ each time, so they are masked; `app.slow.ts` reads them from the screen. */
export const walletPictures = { masked: ".qr, .bars, .digits", unpinned: "nav" };

const anHourMs = 3_600_000;

/** Every page of the wallet. The order of the pages matters: each adds an entry to the lists of the pages after it. */
export async function startWalletPageStates(): Promise<WalletPageStates> {
  const [wallet, closed] = [await startWallet(newFolder(), "--list-orders"), await startWallet()];
  const { walletUrl } = wallet.ready;
  const inAnHour = (): string => wireTime(Date.now() + anHourMs);
  const order = async (
    acts: readonly string[] = [],
    more: object = {},
    body: object = {},
  ): Promise<string> => {
    const fields = newOrder({ expiryTime: inAnHour(), ...more });
    const { order: opened } = await call(wallet, "submit", fields);
    for (const act of acts) await control(wallet, `POST payments/${fields.paymentId}/${act}`, body);
    return pageOf(opened);
  };
  let consents = 0;
  const consent = async (act?: string, more: object = {}): Promise<string> => {
    consents += 1;
    const authState = `consent-${consents}`;
    const consentRequest = {
      ...consentFields,
      reference: authState,
      authState,
      expiryTime: inAnHour(),
      ...more,
    };
    const { authorization } = await call(wallet, "authorizations/authorize", consentRequest);
    if (act !== undefined) await control(wallet, `POST authorizations/${authState}/${act}`, {});
    return String(authorization["url"]);
  };
  const at = (path: string) => () => Promise.resolve(walletUrl + path);
  return {
    origins: [walletUrl, closed.ready.walletUrl],
    states: [
      { name: "home-empty", open: at("/") },
      { name: "home-closed", open: () => Promise.resolve(`${closed.ready.walletUrl}/`) },
      { name: "history-empty", open: at("/history") },
      { name: "codes", open: at("/codes") },
      { name: "codes-asks", open: at("/codes?kind=asks") },
      { name: "scan", open: at("/scan") },
      { name: "test", open: at("/test") },
      { name: "order", open: () => order() },
      { name: "order-long", open: () => order([], { merchantName: "W".repeat(80), amount: largest }) },
      { name: "order-paid", open: () => order(["approve"], { redirectUrl: "https://shop.example/thanks" }) },
      { name: "order-held", open: () => order(["approve"], { capture: "MANUAL" }) },
      { name: "order-declined", open: () => order(["decline"]) },
      { name: "order-pending", open: () => order(["pend"]) },
      { name: "order-disputed", open: () => order(["approve", "dispute-later"], {}, { seconds: 0 }) },
      { name: "order-expired", open: () => order(["expire"]) },
      { name: "consent", open: () => consent(undefined, { scopes: ["AGREEMENT_PAY", "USER_INFO"] }) },
      { name: "consent-agreed", open: () => consent("agree") },
      { name: "consent-declined", open: () => consent("decline") },
      {
        name: "consent-too-late",
        open: () => consent(undefined, { expiryTime: wireTime(Date.now() - 1_000) }),
      },
      { name: "home", open: at("/") },
      { name: "history", open: at("/history") },
      { name: "nothing", open: at("/pay/nothing") },
      {
        name: "home-asks",
        async open() {
          await submitWithCode(wallet, await newCode(wallet, { asks: true }), { expiryTime: inAnHour() });
          return `${walletUrl}/`;
        },
        act: (page) => page.getByRole("dialog").waitFor(),
      },
    ],
  };
}

const largest = { currency: "IDR", value: "9999999999999999" };
const consentFields = {
  merchantId: "COFFEE",
  merchantName: "Coffee Lab",
  scopes: ["AGREEMENT_PAY"],
  redirectUrl: "https://shop.example/linked",
  callbackUrl: "http://127.0.0.1:9/nobody-listens",
};
