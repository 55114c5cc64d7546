import { html, type Html } from "../formats/html.ts";
import { isOffered, type PaymentOption } from "../payments/payment-option.ts";
import type { Checkout } from "./checkout.ts";
import { deadlineNote } from "./deadline.ts";
import type { Language } from "./language.ts";

/** A list with at least this number of payment methods has a search field and a collapsed part. */
const longListMin = 8;

/** The payment methods, each as a button of one form. The form works without a script, and one tap is enough. */
export function methodChoice(checkout: Checkout): Html {
  const { texts } = checkout.language;
  const offered = (checkout.options ?? []).filter(isOffered);
  const isLong = offered.length >= longListMin;
  return html`${deadlineNote("chooseBy", checkout)}
    ${hasChoice(checkout) ? undefined : html`<p class="text">${texts.noMethodAvailable}</p>`}
    ${isLong ? searchField(checkout.language) : undefined}
    <form method="post" class="methods" aria-label="${texts.methodsLabel}">
      ${isLong ? methodsByRegion(checkout, offered) : offered.map((each) => methodButton(each, checkout.language))}
    </form>`;
}

export function hasChoice({ options = [] }: Pick<Checkout, "options">): boolean {
  return options.some(({ disableReason }) => disableReason === undefined);
}

/**
 * The search field of the list of payment methods. Only the script can filter the list, so the script also shows the
 * field.
 */
function searchField({ texts }: Language): Html {
  return html`<p class="search" hidden>
    <input type="search" aria-label="${texts.search}" placeholder="${texts.search}" autocomplete="off" />
    <span class="none" role="status" hidden>${texts.noSearchResult}</span>
  </p>`;
}

/**
 * The payment methods by region: those of the buyer's region and global ones come first. The rest is collapsed, unless
 * there is nothing else.
 */
function methodsByRegion(checkout: Checkout, offered: readonly PaymentOption[]): Html {
  const { language, region: homeRegion } = checkout;
  const homeOptions = offered.filter(({ region }) => region === homeRegion || !isRegion(region));
  const otherOptions = offered.filter((option) => !homeOptions.includes(option));
  const buttons = (options: readonly PaymentOption[]): Html =>
    html`${options.map((option) => methodButton(option, language))}`;
  // If the buyer's region is unknown, no method counts as foreign.
  if (homeRegion === undefined || homeOptions.length === 0 || otherOptions.length === 0)
    return buttons(offered);
  return html`${buttons(homeOptions)}
    <details>
      <summary>${language.texts.otherRegions}</summary>
      ${buttons(otherOptions)}
    </details>`;
}

function methodButton(option: PaymentOption, { texts, locale }: Language): Html {
  const { paymentMethodType, name, region, disableReason } = option;
  const note = disableReason ? texts.notAvailable : regionName(region, locale);
  return html`<button
    class="method"
    name="paymentMethodType"
    value="${paymentMethodType}"
    ${disableReason ? html`disabled` : undefined}
  >
    ${monogram(name)} <bdi>${name}</bdi> ${note && html`<span class="note">${note}</span>`}
  </button>`;
}

/** A letter instead of the provider's logo, which only the provider may license. */
function monogram(name: string): Html {
  return html`<span class="monogram" aria-hidden="true">${/^./u.exec(name)?.[0].toUpperCase()}</span>`;
}

function isRegion(region: string): boolean {
  return /^[A-Z]{2}$/.test(region);
}

/**
 * The short name of a region, such as `Hong Kong`, not `Hong Kong SAR China`. It is shown because providers of several
 * countries share a name.
 */
function regionName(region: string, locale: string): string | undefined {
  const names = new Intl.DisplayNames(locale, { type: "region", style: "short", fallback: "none" });
  return isRegion(region) ? names.of(region) : undefined;
}
