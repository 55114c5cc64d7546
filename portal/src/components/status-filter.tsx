import { NativeSelect } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";

interface Props {
  readonly label: string;
  /** The name of the URL parameter. */
  readonly name: string;
  readonly value: string | undefined;
  readonly choices: readonly { readonly value: string; readonly label: string }[];
}

/** A filter with one value. It is part of the URL, so it survives a reload and can be shared. */
export function StatusFilter({ label, name, value = "", choices }: Props): ReactNode {
  const { t } = useTranslation();
  const navigate = useNavigate();
  return (
    <NativeSelect
      label={label}
      w="fit-content"
      value={value}
      onChange={({ currentTarget: { value: chosen } }) =>
        void navigate({ to: ".", search: chosen ? { [name]: chosen } : {} })
      }
      data={[{ value: "", label: t("lists.any") }, ...choices]}
    />
  );
}
