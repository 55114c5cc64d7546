import { Type } from "typebox";
import { forms, OneOf, type Meanings } from "../contract/schemas.ts";
import { logoBytesMax, type LogoType as LogoTypeWord } from "./brand.ts";

export const Colour = Type.String({
  pattern: forms.colour,
  description: "The colour of buttons, such as `#0b6b3e`. White text must be readable on it.",
});

const logoTypes: Meanings<LogoTypeWord> = {
  "image/png": "PNG.",
  "image/jpeg": "JPEG.",
  "image/webp": "WebP.",
};

export const LogoType = OneOf(logoTypes, "The format of the logo; absent if no logo is set.");

/** The logo of a merchant. Audit and request log store only its digest, because it is large and public. */
export const Logo = Type.String({
  maxLength: Math.ceil((logoBytesMax * 4) / 3) + 4,
  pattern: forms.base64,
  description: "A picture in PNG, JPEG or WebP, in Base64: at most 24 KiB. It is shown 40 pixels high.",
  "x-digest": true,
});
