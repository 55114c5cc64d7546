import type { CSSProperties, ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { findOrganisation, useMe } from "../session/me.ts";
import { Sum } from "../components/sum.tsx";
import { isColour } from "./contrast.ts";
import { logoUrl } from "./logo.ts";
import type { BrandAppearance } from "./brand-draft.ts";

interface Props {
  readonly appearance: BrandAppearance;
  readonly theme: "light" | "dark";
}

const example = { currency: "EUR", value: "1250" };

/** Header and button of a checkout page in the colours of its style sheet. The preview is not interactive. */
export function CheckoutPreview({ appearance: { colour, logo, supportUrl }, theme }: Props): ReactNode {
  const { t } = useTranslation();
  const name = findOrganisation(useMe())?.name ?? "";
  const brandStyle = isColour(colour) ? ({ "--own": colour } as CSSProperties) : {};
  return (
    <figure className="look-preview">
      <figcaption>{t(`brand.themes.${theme}`)}</figcaption>
      <div className="look-sheet" data-theme={theme} style={brandStyle}>
        <p className="look-merchant">
          {logo && <img className="look-logo" src={logoUrl(logo)} alt="" />}
          <bdi>{name}</bdi>
        </p>
        <p className="look-amount">
          <Sum amount={example} />
        </p>
        <p className="look-button">{t("brand.payButton")}</p>
        {supportUrl && <p className="look-help">{t("brand.help", { name })}</p>}
      </div>
    </figure>
  );
}
