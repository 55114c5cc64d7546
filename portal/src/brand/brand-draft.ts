import type { Acts, Views } from "../generated/console.ts";
import { contrastMin, contrastWithWhite, isColour } from "./contrast.ts";
import type { Logo } from "./logo.ts";

/** The brand of the checkout page while it is edited. An empty string means that the value is not set. */
export interface BrandAppearance {
  readonly colour: string;
  readonly supportUrl: string;
  readonly logo: Logo | undefined;
}

/** Unsaved changes. */
export type Draft = Partial<BrandAppearance>;

type BrandView = Views["brand"]["response"];
type Changes = Acts["changeBrand"]["request"];
type BrandPart = NonNullable<Changes["remove"]>[number];

export function readAppearance({ colour = "", supportUrl = "", logo, logoType }: BrandView): BrandAppearance {
  return {
    colour,
    supportUrl,
    logo: logo !== undefined && logoType ? { type: logoType, content: logo } : undefined,
  };
}

/** `findChanges` returns the changes to send, or undefined if both values are equal. */
export function findChanges(before: BrandAppearance, after: BrandAppearance): Changes | undefined {
  const colour = after.colour.toLowerCase();
  const isChanged = {
    COLOUR: colour !== before.colour,
    LOGO: after.logo?.content !== before.logo?.content,
    SUPPORT_URL: after.supportUrl !== before.supportUrl,
  };
  const isRemoved = { COLOUR: !colour, LOGO: !after.logo, SUPPORT_URL: !after.supportUrl };
  const remove = (["COLOUR", "LOGO", "SUPPORT_URL"] as const satisfies readonly BrandPart[]).filter(
    (part) => isChanged[part] && isRemoved[part],
  );
  if (!Object.values(isChanged).includes(true)) return undefined;
  return {
    ...(isChanged.COLOUR && colour && { colour }),
    ...(isChanged.LOGO && after.logo && { logo: after.logo.content }),
    ...(isChanged.SUPPORT_URL && after.supportUrl && { supportUrl: after.supportUrl }),
    ...(remove.length > 0 && { remove }),
  };
}

export type ColourFault = "form" | "faint";

export function findColourFault(colour: string): ColourFault | undefined {
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
