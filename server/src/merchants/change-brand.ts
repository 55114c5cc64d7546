import { Type } from "typebox";
import { change } from "../api/operation.ts";
import { OneOf, Url } from "../api/schemas.ts";
import { isRefusal, refuse, type Refusal } from "../core/result.ts";
import { mayLink } from "./address.ts";
import { Colour, Logo, LogoType } from "./brand.schema.ts";
import { contrastMin, contrastWithWhite, logoBytesMax, logoTypeOf, type Brand } from "./brand.ts";
import { findBrand, updateBrand, type BrandChange } from "./brand.sql.ts";

const Part = OneOf(
  { COLOUR: "The colour.", LOGO: "The logo.", SUPPORT_URL: "The address for help." },
  "What is to be taken away.",
);

export const changeBrand = change({
  path: "tollgate/changeBrand",
  summary: "Sets how your checkout pages look: colour, logo, and where buyers get help.",
  description:
    "What is not named stays as it is; without any field it only shows what is set. The sandbox and live have a brand each. " +
    "It is on the page from the next time a buyer opens it.",

  request: Type.Object({
    colour: Type.Optional(Colour),
    logo: Type.Optional(Logo),
    supportUrl: Type.Optional(Url("Where your buyers get help.")),
    remove: Type.Optional(
      Type.Array(Part, { maxItems: 3, description: "What is to be as it was at first." }),
    ),
  }),
  response: Type.Object({
    colour: Type.Optional(Colour),
    logoType: Type.Optional(LogoType),
    supportUrl: Type.Optional(Url("Where your buyers get help.")),
  }),
  results: ["SUCCESS", "PARAM_ILLEGAL", "ACCESS_DENIED", "REPEAT_REQ_INCONSISTENT"],
  inStore: true,

  example: {
    request: { colour: "#0b6b3e", supportUrl: "https://shop.example/help" },
    response: { colour: "#0b6b3e", supportUrl: "https://shop.example/help" },
  },
  scenes: [
    { title: "Only show what is set", request: {}, response: { colour: "#0b6b3e", logoType: "image/png" } },
    { title: "Take the logo away", request: { remove: ["LOGO"] }, response: { colour: "#0b6b3e" } },
  ],

  async change(call, request) {
    const wanted = changeOf(request, call);
    if (isRefusal(wanted)) return wanted;
    const isNothing = Object.values(wanted).every((part) => part === undefined);
    return isNothing ? findBrand(call.tx, call) : updateBrand(call.tx, call, wanted);
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

interface BrandWanted {
  readonly colour?: string;
  readonly logo?: string;
  readonly supportUrl?: string;
  readonly remove?: readonly string[];
}

function changeOf(
  { colour, logo, supportUrl, remove = [] }: BrandWanted,
  { environment }: { readonly environment: string },
): BrandChange | Refusal<"PARAM_ILLEGAL"> {
  if (colour !== undefined && contrastWithWhite(colour) < contrastMin) {
    const contrast = contrastWithWhite(colour).toFixed(2);
    const detail = `White text on ${colour} has a contrast of ${contrast}; ${contrastMin} is the least. Take a darker colour.`;
    return refuse("PARAM_ILLEGAL", { field: "colour", detail });
  }
  const bytes = logo === undefined ? undefined : Buffer.from(logo, "base64");
  const type = bytes && logoTypeOf(bytes);
  if (bytes && (!type || bytes.length > logoBytesMax))
    return refuse("PARAM_ILLEGAL", {
      field: "logo",
      detail: type ? "A logo has at most 24 KiB." : "A logo is a PNG, JPEG or WebP, in base64.",
    });
  if (supportUrl !== undefined && !mayLink(supportUrl, { environment, linkSchemes: [] }))
    return refuse("PARAM_ILLEGAL", { field: "supportUrl", detail: "supportUrl begins with https." });
  const part = <Value>(name: string, value: Value | undefined): Value | null | undefined =>
    value ?? (remove.includes(name) ? null : undefined);
  return {
    colour: part("COLOUR", colour?.toLowerCase()),
    logo: part("LOGO", bytes && type && { bytes, type }),
    supportUrl: part("SUPPORT_URL", supportUrl),
  };
}
