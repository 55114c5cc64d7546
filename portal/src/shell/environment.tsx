import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Environment } from "../api/environments.ts";

const environments: readonly Environment[] = ["sandbox", "live"];
const storageKey = "tollgate-environment";

export function loadEnvironment(): Environment {
  return localStorage.getItem(storageKey) === "live" ? "live" : "sandbox";
}

export function storeEnvironment(environment: Environment): void {
  localStorage.setItem(storageKey, environment);
}

/** Two links instead of a switch: each environment has its own URL, so the back button works. */
export function EnvironmentSwitch({ current }: { readonly current: Environment | undefined }): ReactNode {
  const { t } = useTranslation();
  return (
    <nav className="environments" aria-label={t("environments.choose")}>
      {environments.map((environment) => (
        <Link
          key={environment}
          to="/$environment"
          params={{ environment }}
          data-environment={environment}
          aria-current={environment === current ? "true" : undefined}
        >
          {t(`environments.${environment}`)}
        </Link>
      ))}
    </nav>
  );
}

/** A band that is striped in the sandbox and solid in live, so that the environment is visible at a glance. */
export function EnvironmentBand({ environment }: { readonly environment: Environment }): ReactNode {
  const { t } = useTranslation();
  return (
    <div className="band" data-environment={environment}>
      <strong>{t(`environments.${environment}`)}</strong>
      <span>{t(`environments.${environment}Means`)}</span>
    </div>
  );
}
