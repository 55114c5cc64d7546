import { Type } from "typebox";
import { Url } from "../contract/schemas.ts";
import { view } from "../contract/view.ts";
import { Colour, Logo, LogoType } from "./brand.schema.ts";
import { findBrand, findLogo } from "./brand.sql.ts";
import type { Brand, LogoType as LogoTypeWord } from "./brand.ts";

/**
 * A brand with its logo. The view contains the picture, because a page of the portal cannot load it by a payment link,
 * as a buyer's page does.
 */
interface BrandWithLogo extends Pick<Brand, "colour" | "supportUrl"> {
  readonly logo: { readonly bytes: Buffer; readonly type: LogoTypeWord } | undefined;
}

export const viewBrand = view({
  name: "brand",
  summary: "Shows the colour, the logo and the help address of the merchant's checkout pages.",
  description: "Parts that are not set are absent. To change them, use `changeBrand`.",
  permission: "stores.read",

  request: Type.Object({}),
  response: Type.Object({
    colour: Type.Optional(Colour),
    logoType: Type.Optional(LogoType),
    logo: Type.Optional(Logo),
    supportUrl: Type.Optional(Url("The page on which the merchant's buyers get help.")),
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

  async find({ tx, bucket, clientId }): Promise<BrandWithLogo> {
    const { colour, supportUrl } = await findBrand(tx, { bucket, clientId });
    // The format is read together with the picture: another picture may have been set since the brand was read.
    return { colour, supportUrl, logo: await findLogo(tx, { bucket, clientId }) };
  },

  answer({ colour, supportUrl, logo }: BrandWithLogo) {
    return {
      code: "SUCCESS",
      ...(colour !== undefined && { colour }),
      ...(logo && { logoType: logo.type, logo: logo.bytes.toString("base64") }),
      ...(supportUrl !== undefined && { supportUrl }),
    };
  },
});
