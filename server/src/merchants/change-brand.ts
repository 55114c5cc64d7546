import { Type } from "typebox";
import { change } from "../contract/operation.ts";
import { OneOf, Url } from "../contract/schemas.ts";
import { isRefusal, refuse, type Refusal } from "../core/result.ts";
import { isAllowedRedirect } from "./url-rules.ts";
import { Colour, Logo, LogoType } from "./brand.schema.ts";
import { contrastMin, contrastWithWhite, logoBytesMax, detectLogoType, type Brand } from "./brand.ts";
import { findBrand, updateBrand, type BrandChange } from "./brand.sql.ts";

const Part = OneOf(
  { COLOUR: "The colour.", LOGO: "The logo.", SUPPORT_URL: "The help address." },
  "The part to reset to its default.",
);

export const changeBrand = change({
  path: "tollgate/changeBrand",
  summary: "Sets the colour, the logo and the help address of your checkout pages.",
  description:
    "Parts that are not in the request stay unchanged; an empty request only returns the settings. The " +
    "sandbox and live have separate brands. A change is visible the next time a buyer opens the page.",

  request: Type.Object({
    colour: Type.Optional(Colour),
    logo: Type.Optional(Logo),
    supportUrl: Type.Optional(Url("The page on which your buyers get help.")),
    remove: Type.Optional(
      Type.Array(Part, { maxItems: 3, description: "Parts to reset to their defaults." }),
    ),
  }),
  response: Type.Object({
    colour: Type.Optional(Colour),
    logoType: Type.Optional(LogoType),
    supportUrl: Type.Optional(Url("The page on which your buyers get help.")),
  }),
  results: ["SUCCESS", "PARAM_ILLEGAL", "ACCESS_DENIED", "REPEAT_REQ_INCONSISTENT"],
  inStore: true,

  example: {
    request: { colour: "#0b6b3e", supportUrl: "https://shop.example/help" },
    response: { colour: "#0b6b3e", supportUrl: "https://shop.example/help" },
  },
  moreExamples: [
    {
      title: "Only return the settings",
      request: {},
      response: { colour: "#0b6b3e", logoType: "image/png" },
    },
    { title: "Remove the logo", request: { remove: ["LOGO"] }, response: { colour: "#0b6b3e" } },
  ],

  async change(call, request) {
    const brandChange = toBrandChange(request, call);
    if (isRefusal(brandChange)) return brandChange;
    const isUnchanged = Object.values(brandChange).every((part) => part === undefined);
    return isUnchanged ? findBrand(call.tx, call) : updateBrand(call.tx, call, brandChange);
  },

  answer({ colour, supportUrl, logoType }: Brand) {
    return {
      code: "SUCCESS",
      ...(colour !== undefined && { colour }),
      ...(logoType !== undefined && { logoType }),
      ...(supportUrl !== undefined && { supportUrl }),
    };
  },
});

interface BrandRequest {
  readonly colour?: string;
  readonly logo?: string;
  readonly supportUrl?: string;
  readonly remove?: readonly string[];
}

function toBrandChange(
  { colour, logo, supportUrl, remove = [] }: BrandRequest,
  { environment }: { readonly environment: string },
): BrandChange | Refusal<"PARAM_ILLEGAL"> {
  if (colour !== undefined && contrastWithWhite(colour) < contrastMin) {
    const contrast = contrastWithWhite(colour).toFixed(2);
    const detail =
      `White text on ${colour} has a contrast of ${contrast}; at least ${contrastMin} is required. Use a ` +
      "darker colour.";
    return refuse("PARAM_ILLEGAL", { field: "colour", detail });
  }
  const bytes = logo === undefined ? undefined : Buffer.from(logo, "base64");
  const type = bytes && detectLogoType(bytes);
  if (bytes && (!type || bytes.length > logoBytesMax))
    return refuse("PARAM_ILLEGAL", {
      field: "logo",
      detail: type ? "A logo must have at most 24 KiB." : "A logo must be a PNG, JPEG or WebP, in Base64.",
    });
  if (supportUrl !== undefined && !isAllowedRedirect(supportUrl, { environment, linkSchemes: [] }))
    return refuse("PARAM_ILLEGAL", { field: "supportUrl", detail: "supportUrl must start with https." });
  const resolvePart = <Value>(name: string, value: Value | undefined): Value | null | undefined =>
    value ?? (remove.includes(name) ? null : undefined);
  return {
    colour: resolvePart("COLOUR", colour?.toLowerCase()),
    logo: resolvePart("LOGO", bytes && type && { bytes, type }),
    supportUrl: resolvePart("SUPPORT_URL", supportUrl),
  };
}
