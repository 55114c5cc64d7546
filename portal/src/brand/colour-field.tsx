import { Button, Group, Text, TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Section } from "../components/section.tsx";
import { contrastMin, contrastWithWhite, isColour } from "./contrast.ts";
import { findColourFault } from "./brand-draft.ts";

/** The default colour of buttons. */
const defaultColour = "#2a4bc8";

interface Props {
  readonly colour: string;
  readonly onChange: (colour: string) => void;
}

export function ColourField({ colour, onChange }: Props): ReactNode {
  const { t } = useTranslation();
  return (
    <Section title={t("brand.colour")}>
      <Text size="sm" c="dimmed" mb="xs">
        {t("brand.colourLede")}
      </Text>
      <Group align="flex-end" gap="sm">
        <TextInput
          type="color"
          label={t("brand.pick")}
          value={isColour(colour) ? colour.toLowerCase() : defaultColour}
          onChange={({ currentTarget: { value } }) => onChange(value)}
          classNames={{ input: "look-pick" }}
        />
        <TextInput
          label={t("brand.code")}
          value={colour}
          onChange={({ currentTarget: { value } }) => onChange(value.trim())}
          placeholder={defaultColour}
          aria-describedby="colour-said"
          aria-invalid={findColourFault(colour) !== undefined}
          maxLength={7}
          spellCheck={false}
          autoComplete="off"
          w="8rem"
        />
        {colour !== "" && (
          <Button variant="subtle" aria-label={t("brand.removeColour")} onClick={() => onChange("")}>
            {t("brand.remove")}
          </Button>
        )}
      </Group>
      <ColourMessage colour={colour} />
    </Section>
  );
}

/** Shows whether the button's text is readable while the colour is being chosen. */
function ColourMessage({ colour }: { readonly colour: string }): ReactNode {
  const { t, i18n } = useTranslation();
  const number = new Intl.NumberFormat(i18n.language, { maximumFractionDigits: 2 });
  const fault = findColourFault(colour);
  const values = {
    // Rounded down, because 4.499 is below the minimum of 4.5.
    contrast: isColour(colour) ? number.format(Math.floor(contrastWithWhite(colour) * 100) / 100) : "",
    least: number.format(contrastMin),
  };
  return (
    <Text size="sm" mt="xs" id="colour-said" role="status" {...(fault && { c: "var(--refused)" })}>
      {colour === "" ? t("brand.noColour") : t(`brand.contrast.${fault ?? "readable"}`, values)}
    </Text>
  );
}
