import { Type } from "typebox";
import { forms, OneOf, type Meanings } from "../api/schemas.ts";
import { logoBytesMax, type LogoType as LogoTypeWord } from "./brand.ts";

export const Colour = Type.String({
  pattern: forms.colour,
  description: "The colour of buttons, such as `#0b6b3e`. White text has to be readable on it.",
});

const logoTypes: Meanings<LogoTypeWord> = {
  "image/png": "PNG.",
  "image/jpeg": "JPEG.",
  "image/webp": "WebP.",
};

export const LogoType = OneOf(logoTypes, "What kind of picture the logo is, if one is set.");

/** A digest of it is enough for the audit and the request log: it is large, and all buyers see it. */
export const Logo = Type.String({
  maxLength: Math.ceil((logoBytesMax * 4) / 3) + 4,
  pattern: forms.base64,
  description: "A picture in PNG, JPEG or WebP, in base64: at most 24 KiB. It is shown 40 pixels high.",
  "x-digest": true,
});
