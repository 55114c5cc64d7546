import { Button, Group, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { act, askView, type Place } from "../api/console.ts";
import { WithClient } from "../clients/with-client.tsx";
import type { Acts } from "../generated/console.ts";
import { useCan } from "../session/me.ts";
import { useAct } from "../session/use-act.ts";
import { Facts } from "../components/facts.tsx";
import { Failure } from "../components/failure.tsx";
import { PageHead } from "../components/page-head.tsx";
import { Section } from "../components/section.tsx";
import { CheckoutPreview } from "./checkout-preview.tsx";
import { ColourField } from "./colour-field.tsx";
import { LogoField } from "./logo-field.tsx";
import { changesTo, colourFault, isSupportUrl, lookOf, type Draft, type Look } from "./brand-draft.ts";
import { SupportField } from "./support-field.tsx";

export function BrandPage(): ReactNode {
  const { t } = useTranslation();
  const { environment } = useParams({ from: "/shell/$environment/checkout-page" });
  return (
    <>
      <PageHead title={t("brand.title")} lede={t("brand.lede")} />
      <WithClient environment={environment}>
        {(place) => <Brand key={place.environment + place.clientId} place={place} />}
      </WithClient>
    </>
  );
}

function Brand({ place }: { readonly place: Place }): ReactNode {
  const may = useCan(place.environment)("brand.change");
  const shown = useQuery({ queryKey: ["brand", place], queryFn: () => askView(place, "brand", {}) });
  if (shown.error) return <Failure error={shown.error} />;
  if (!shown.data) return <Skeleton height={320} />;
  const saved = lookOf(shown.data);
  return may ? <Editor place={place} saved={saved} /> : <OnlyLook look={saved} />;
}

/**
 * `OnlyLook` is the view for roles that cannot change the brand. It shows the current values, and the reason why
 * editing is disabled.
 */
function OnlyLook({ look }: { readonly look: Look }): ReactNode {
  const { t } = useTranslation();
  const { colour, logo, supportUrl } = look;
  return (
    <div className="look">
      <Stack>
        <Text>{t("brand.mayNot")}</Text>
        <Facts
          facts={[
            [t("brand.colour"), colour || t("brand.none")],
            [t("brand.logo"), t(logo ? "brand.isSet" : "brand.none")],
            [t("brand.support"), supportUrl || t("brand.none")],
          ]}
        />
      </Stack>
      <Preview look={look} />
    </div>
  );
}

interface EditorProps {
  readonly place: Place;
  readonly saved: Look;
}

/** All edits are a draft until they are saved, so the person sees a preview first and re-authenticates only once. */
function Editor({ place, saved }: EditorProps): ReactNode {
  const { t } = useTranslation();
  const [draft, setDraft] = useState<Draft>({});
  const look = { ...saved, ...draft };
  const changes = changesTo(saved, look);
  const isRight = !colourFault(look.colour) && isSupportUrl(look.supportUrl, place.environment);
  const change = useAct(
    (wanted: Acts["changeBrand"]["request"]) => act(place, "changeBrand", wanted),
    () => setDraft({}),
  );
  const edit = (edited: Draft): void => {
    change.reset();
    setDraft((before) => ({ ...before, ...edited }));
  };
  return (
    <div className="look">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (changes && isRight) change.mutate(changes);
        }}
      >
        <Stack gap="xl">
          <ColourField colour={look.colour} onChange={(colour) => edit({ colour })} />
          <LogoField logo={look.logo} onChange={(logo) => edit({ logo })} />
          <SupportField
            address={look.supportUrl}
            environment={place.environment}
            onChange={(supportUrl) => edit({ supportUrl })}
          />
          <Failure error={change.error} />
          <Group gap="sm">
            <Button type="submit" disabled={!changes || !isRight} loading={change.isPending}>
              {t("brand.save")}
            </Button>
            {changes && (
              <Button variant="subtle" onClick={() => setDraft({})} disabled={change.isPending}>
                {t("brand.discard")}
              </Button>
            )}
            <Text size="sm" role="status">
              {changes ? t("brand.unsaved") : change.isSuccess && t("brand.saved")}
            </Text>
          </Group>
        </Stack>
      </form>
      <Preview look={look} />
    </div>
  );
}

function Preview({ look }: { readonly look: Look }): ReactNode {
  const { t } = useTranslation();
  return (
    <Section title={t("brand.preview")}>
      <Stack gap="md">
        <CheckoutPreview look={look} theme="light" />
        <CheckoutPreview look={look} theme="dark" />
        <Text size="sm" c="dimmed">
          {t("brand.previewMeans")}
        </Text>
      </Stack>
    </Section>
  );
}
