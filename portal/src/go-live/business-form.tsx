import { NativeSelect, SimpleGrid, Stack, Text, Textarea, TextInput, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { requestAccounts } from "../api/request-accounts.ts";
import { useAct } from "../session/use-act.ts";
import { Failure } from "../components/failure.tsx";
import { readFields } from "../components/read-fields.ts";
import { businessFields } from "./business-facts.tsx";
import { listCountries } from "./countries.ts";
import type { Review } from "./review.ts";

/**
 * The form of the business details. Each field is saved when it is left, so no input is lost and a colleague can
 * continue.
 */
export function BusinessForm({ business }: { readonly business: Review["business"] }): ReactNode {
  const { t, i18n } = useTranslation();
  const save = useAct((input: Review["business"]) =>
    requestAccounts("POST /accounts/review/business", input),
  );
  const field = (name: (typeof businessFields)[number]): object => ({
    name,
    label: t(`live.${name}`),
    defaultValue: business[name],
  });
  return (
    <section aria-labelledby="business">
      <Title order={2} size="h4" id="business">
        {t("live.business")}
      </Title>
      <Text c="dimmed" mb="sm">
        {t("live.businessLede")}
      </Text>
      <form
        onSubmit={(event) => event.preventDefault()}
        onBlur={(event) => save.mutate(readFields(event.currentTarget, businessFields))}
      >
        <Stack>
          <Failure error={save.error} />
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            <TextInput {...field("legalName")} maxLength={200} autoComplete="organization" />
            <TextInput
              {...field("registrationNumber")}
              maxLength={100}
              description={t("live.registrationNumberHint")}
              inputWrapperOrder={["label", "input", "description", "error"]}
            />
          </SimpleGrid>
          <NativeSelect
            {...field("country")}
            data={[{ value: "", label: t("live.countryNone") }, ...listCountries(i18n.language)]}
          />
          <Textarea
            {...field("address")}
            maxLength={500}
            autosize
            minRows={2}
            autoComplete="street-address"
          />
          <TextInput {...field("owner")} maxLength={200} description={t("live.ownerHint")} />
          <TextInput
            {...field("website")}
            maxLength={500}
            type="url"
            placeholder="https://"
            description={t("live.websiteHint")}
          />
          <Textarea
            {...field("sells")}
            maxLength={1000}
            autosize
            minRows={2}
            description={t("live.sellsHint")}
          />
          <Text size="sm" c="dimmed" role="status" h="1.3em">
            {save.isPending && t("live.saving")}
            {save.isSuccess && t("live.saved")}
          </Text>
        </Stack>
      </form>
    </section>
  );
}
