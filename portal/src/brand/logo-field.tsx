import { Button, FileButton, Group, Text } from "@mantine/core";
import { useRef, useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Section } from "../components/section.tsx";
import { logoUrl, logoBytesMax, type Logo } from "./logo.ts";
import { readLogo, type LogoFault } from "./read-logo.ts";

interface Props {
  readonly logo: Logo | undefined;
  readonly onChange: (logo: Logo | undefined) => void;
}

interface Refused {
  readonly file: File;
  readonly fault: LogoFault;
}

/** The field to choose or drop a logo. An invalid file is rejected here with the reason, and the current logo stays. */
export function LogoField({ logo, onChange }: Props): ReactNode {
  const { t } = useTranslation();
  const [refused, setRefused] = useState<Refused>();
  const [isDraggedOver, setIsDraggedOver] = useState(false);
  const resetInput = useRef<() => void>(null);
  const readFile = async (file: File | null | undefined): Promise<void> => {
    if (!file) return;
    const read = await readLogo(file);
    // Reset the input, so that the same file can be chosen again after a correction.
    resetInput.current?.();
    if (typeof read === "string") return setRefused({ file, fault: read });
    setRefused(undefined);
    onChange(read);
  };
  const remove = (): void => {
    setRefused(undefined);
    onChange(undefined);
  };
  return (
    <Section title={t("brand.logo")}>
      <Text size="sm" c="dimmed" mb="xs">
        {t("brand.logoLede")}
      </Text>
      <div
        className="look-drop"
        data-over={isDraggedOver}
        onDragOver={(event) => {
          event.preventDefault();
          setIsDraggedOver(true);
        }}
        onDragLeave={() => setIsDraggedOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setIsDraggedOver(false);
          void readFile(event.dataTransfer.files[0]);
        }}
      >
        {logo ? (
          <img className="look-logo" src={logoUrl(logo)} alt={t("brand.logoNow")} />
        ) : (
          <Text size="sm">{t("brand.drop")}</Text>
        )}
        <Group gap="xs">
          <FileButton
            onChange={(file) => void readFile(file)}
            accept="image/png,image/jpeg,image/webp"
            resetRef={resetInput}
          >
            {(props) => (
              <Button {...props} variant="default">
                {t("brand.choose")}
              </Button>
            )}
          </FileButton>
          {logo && (
            <Button variant="subtle" aria-label={t("brand.removeLogo")} onClick={remove}>
              {t("brand.remove")}
            </Button>
          )}
        </Group>
      </div>
      {refused && <LogoFaultMessage {...refused} />}
    </Section>
  );
}

function LogoFaultMessage({ file: { name, size }, fault }: Refused): ReactNode {
  const { t, i18n } = useTranslation();
  const number = new Intl.NumberFormat(i18n.language);
  const values = { name, bytes: number.format(size), most: number.format(logoBytesMax) };
  return (
    <Text size="sm" mt="xs" role="alert" c="var(--refused)" className="look-fault">
      {t(`brand.logoFault.${fault}`, values)}
    </Text>
  );
}
