import type { Views } from "../generated/console.ts";
import type { Translate } from "../languages/use-translate.ts";

type ResultInfo = Views["payment"]["response"]["paymentResultInfo"];

/** `buildCardFacts` lists what the payment provider reports about the card of a payment. */
export function buildCardFacts(
  { cardBrand, lastFour, threeDSResult = {}, ...info }: NonNullable<ResultInfo>,
  t: Translate,
): readonly (readonly [name: string, value: string | undefined])[] {
  const { threeDSVersion, threeDSOutcome, isLiabilityShifted } = threeDSResult;
  const threeDSecure = [
    threeDSVersion,
    threeDSOutcome && t(`payment.threeDSecure.${threeDSOutcome}`),
    isLiabilityShifted !== undefined && t(`payment.liability.${isLiabilityShifted ? "shifted" : "kept"}`),
  ];
  return [
    [t("payment.card"), [cardBrand, lastFour && `···· ${lastFour}`].filter(Boolean).join(" ")],
    [t("payment.refusalCode"), info.refusalCodeRaw],
    [t("payment.addressCheck"), info.avsResultRaw],
    [t("payment.codeCheck"), info.cvvResultRaw],
    ["3-D Secure", threeDSecure.filter(Boolean).join(" · ")],
    [t("payment.networkId"), info.networkTransactionId],
  ];
}
