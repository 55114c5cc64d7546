import type { Page } from "playwright-core";
import type { PageState } from "../../../server/test/pages/page-checks.ts";
import { wireTime } from "../wallet/wire-time.ts";
import { call, control, newFolder, newOrder, startWallet, pageOf } from "./test-wallet.ts";
import type { WalletPageStates } from "./wallet-page-states.ts";

const longest = { merchantName: "W".repeat(80), amount: { currency: "IDR", value: "9999999999999999" } };
const manual = { capture: "MANUAL" };

/** Every card page, and the page of the bank. */
export async function startCardPageStates(): Promise<WalletPageStates> {
  const wallet = await startWallet(newFolder());
  const { cardUrl } = wallet.ready;
  const order = async (acts: readonly string[] = [], more: object = {}): Promise<string> => {
    const expiryTime = wireTime(Date.now() + 3_600_000);
    const redirectUrl = "https://shop.example/thanks";
    const fields = newOrder({ paymentMethodType: "CARD", expiryTime, redirectUrl, ...more });
    const { order: opened } = await call(wallet, "submit", fields);
    for (const act of acts)
      if (act === "cancel") await call(wallet, act, { reference: fields.reference });
      else await control(wallet, `POST payments/${fields.paymentId}/${act}`, {});
    return pageOf(opened);
  };
  return {
    origins: [`${cardUrl}/`],
    states: [
      { name: "home", open: () => Promise.resolve(`${cardUrl}/`) },
      { name: "form", open: () => order() },
      { name: "form-hold", open: () => order([], manual) },
      { name: "form-long", open: () => order([], longest) },
      { name: "form-cards", open: () => order(), act: (page) => page.locator("summary").click() },
      { name: "form-problems", open: () => order(), act: submitEmptyForm },
      { name: "bank", open: () => order(), act: (page) => openBankQuestion(page) },
      { name: "paid", open: () => order(["approve"]) },
      { name: "held", open: () => order(["approve"], manual) },
      { name: "let-go", open: () => order(["approve", "cancel"], manual) },
      { name: "closed", open: () => order(["cancel"]) },
      { name: "declined", open: () => order(["decline"]) },
      { name: "pending", open: () => order(["pend"]) },
      { name: "too-late", open: () => order([], { expiryTime: wireTime(Date.now() - 1_000) }) },
      { name: "nothing", open: () => Promise.resolve(`${cardUrl}/pay/nothing`) },
    ] satisfies readonly PageState[],
  };
}

async function submitEmptyForm(page: Page): Promise<void> {
  await page.getByRole("button", { name: /^Pay/ }).click();
  await page.locator("#number-problem").waitFor();
}

async function openBankQuestion(page: Page): Promise<void> {
  await page.locator("summary").click();
  await page.locator('[href$="card=bank-asks"]').click();
  await page.getByRole("button", { name: /^Pay/ }).click();
  await page.getByRole("heading", { name: "Your bank asks" }).waitFor();
}
