import type { ReactNode } from "react";
import { Brand } from "../shell/brand.tsx";
import { SignedOutLayout } from "../shell/sign-in-gate.tsx";
import { useConsoleTexts } from "./use-operator-texts.ts";

interface Props {
  readonly title: string;
  readonly lede: string;
  readonly children: ReactNode;
}

/** The layout of the console's pages before sign-in. */
export function OperatorSignInGate(props: Props): ReactNode {
  const { t } = useConsoleTexts();
  const brand = (
    <span className="brand">
      <Brand />
      <span className="operator-tag">{t("brand")}</span>
    </span>
  );
  return <SignedOutLayout {...props} className="gate operator-gate" brand={brand} />;
}
