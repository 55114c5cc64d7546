import { Type } from "typebox";
import { Url } from "../api/schemas.ts";
import { view } from "../api/view.ts";
import { Colour, Logo, LogoType } from "./brand.schema.ts";
import { findBrand, findLogo } from "./brand.sql.ts";
import type { Brand, LogoType as LogoTypeWord } from "./brand.ts";

/** With the picture itself: a page of the portal cannot ask for it as a buyer's does, by the link of a payment. */
interface WholeBrand extends Pick<Brand, "colour" | "supportUrl"> {
  readonly logo: { readonly bytes: Buffer; readonly type: LogoTypeWord } | undefined;
}

export const viewBrand = view({
  name: "brand",
  summary: "Shows how the merchant's checkout pages look: colour, logo, and where buyers get help.",
  description: "What was never set, or was taken away, is absent. To change it, use the act `changeBrand`.",
  right: "stores.read",

  request: Type.Object({}),
  response: Type.Object({
    colour: Type.Optional(Colour),
    logoType: Type.Optional(LogoType),
    logo: Type.Optional(Logo),
    supportUrl: Type.Optional(Url("Where the merchant's buyers get help.")),
  }),
  results: ["SUCCESS", "PARAM_ILLEGAL"],

  example: {
    request: {},
    response: {
      colour: "#0b6b3e",
      logoType: "image/png",
      logo: "iVBORw0KGgo=",
      supportUrl: "https://shop.example/help",
    },
  },

  async find({ tx, bucket, clientId }): Promise<WholeBrand> {
    const { colour, supportUrl } = await findBrand(tx, { bucket, clientId });
    // What kind it is comes with the picture: another one may have been set between the two statements.
    return { colour, supportUrl, logo: await findLogo(tx, { bucket, clientId }) };
  },

  answer({ colour, supportUrl, logo }: WholeBrand) {
    return {
      code: "SUCCESS",
      ...(colour !== undefined && { colour }),
      ...(logo && { logoType: logo.type, logo: logo.bytes.toString("base64") }),
      ...(supportUrl !== undefined && { supportUrl }),
    };
  },
});
