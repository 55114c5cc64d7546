import type { Acts, Views } from "../generated/console.ts";
import { contrastMin, contrastWithWhite, isColour } from "./contrast.ts";
import type { Logo } from "./logo.ts";

/** The brand of the checkout page while it is edited. An empty string means that the value is not set. */
export interface Look {
  readonly colour: string;
  readonly supportUrl: string;
  readonly logo: Logo | undefined;
}

/** Unsaved changes. */
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

/** `changesTo` returns the changes to send, or undefined if both values are equal. */
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

/** `isSupportUrl` accepts https links, and in the sandbox also http links. */
export function isSupportUrl(text: string, environment: "sandbox" | "live"): boolean {
  if (text === "") return true;
  const scheme = /\s/.test(text) ? undefined : URL.parse(text)?.protocol;
  return scheme === "https:" || (scheme === "http:" && environment === "sandbox");
}
