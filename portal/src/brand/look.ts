import type { Acts, Views } from "../generated/console.ts";
import { contrastMin, contrastWithWhite, isColour } from "./contrast.ts";
import type { Logo } from "./logo.ts";

/** How the checkout page looks, as it is edited: an empty text is nothing set. */
export interface Look {
  readonly colour: string;
  readonly supportUrl: string;
  readonly logo: Logo | undefined;
}

/** What somebody has changed and not yet saved. */
export type Draft = Partial<Look>;

type Shown = Views["brand"]["response"];
type Changes = Acts["changeBrand"]["request"];
type Part = NonNullable<Changes["remove"]>[number];

export function lookOf({ colour = "", supportUrl = "", logo, logoType }: Shown): Look {
  return {
    colour,
    supportUrl,
    logo: logo !== undefined && logoType ? { type: logoType, content: logo } : undefined,
  };
}

/** What has to be sent to make one look of another; undefined when they are the same. */
export function changesTo(before: Look, after: Look): Changes | undefined {
  const colour = after.colour.toLowerCase();
  const isOther = {
    COLOUR: colour !== before.colour,
    LOGO: after.logo?.content !== before.logo?.content,
    SUPPORT_URL: after.supportUrl !== before.supportUrl,
  };
  const isGone = { COLOUR: !colour, LOGO: !after.logo, SUPPORT_URL: !after.supportUrl };
  const remove = (["COLOUR", "LOGO", "SUPPORT_URL"] as const satisfies readonly Part[]).filter(
    (part) => isOther[part] && isGone[part],
  );
  if (!Object.values(isOther).includes(true)) return undefined;
  return {
    ...(isOther.COLOUR && colour && { colour }),
    ...(isOther.LOGO && after.logo && { logo: after.logo.content }),
    ...(isOther.SUPPORT_URL && after.supportUrl && { supportUrl: after.supportUrl }),
    ...(remove.length > 0 && { remove }),
  };
}

export type ColourFault = "form" | "faint";

export function colourFault(colour: string): ColourFault | undefined {
  if (colour === "") return undefined;
  if (!isColour(colour)) return "form";
  return contrastWithWhite(colour) < contrastMin ? "faint" : undefined;
}

/** Whether buyers may be led there: by https, and in the sandbox by http as well. */
export function isSupportUrl(text: string, environment: "sandbox" | "live"): boolean {
  if (text === "") return true;
  const scheme = /\s/.test(text) ? undefined : URL.parse(text)?.protocol;
  return scheme === "https:" || (scheme === "http:" && environment === "sandbox");
}
