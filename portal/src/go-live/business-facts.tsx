import { Title } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { listCountries } from "./countries.ts";
import type { Review } from "./review.ts";

export const businessFields = [
  "legalName",
  "registrationNumber",
  "country",
  "address",
  "owner",
  "website",
  "sells",
] as const satisfies readonly (keyof Review["business"])[];

/** The submitted business details during the review. */
export function BusinessFacts({ business }: { readonly business: Review["business"] }): ReactNode {
  const { t, i18n } = useTranslation();
  const country = listCountries(i18n.language).find(({ value }) => value === business.country)?.label;
  const values = { ...business, country: country ?? business.country };
  return (
    <section aria-labelledby="business">
      <Title order={2} size="h4" mb="sm" id="business">
        {t("live.business")}
      </Title>
      <dl className="facts">
        {businessFields.map((name) => (
          <div key={name}>
            <dt>{t(`live.${name}`)}</dt>
            <dd className="said">{values[name]}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
