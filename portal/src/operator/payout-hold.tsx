import { Code } from "@mantine/core";
import type { ReactNode } from "react";
import type { Staff } from "../generated/staff.ts";
import { Moment } from "../components/moment.tsx";
import { useConsoleTexts } from "./use-operator-texts.ts";

type Hold = Staff["payouts"]["response"]["holds"][number];

/** A payout hold with its author, time and reason, and the command that releases it. */
export function PayoutHold({ clientId, heldAt, heldBy, reason }: Hold): ReactNode {
  const { t } = useConsoleTexts();
  return (
    <div className="row-what">
      <div>
        <span className="status" data-tone="refused">
          {t("payouts.onHold")}
        </span>{" "}
        <Moment at={heldAt} /> · {t("payouts.heldBy", { heldBy })}
      </div>
      <span className="said">“{reason}”</span>
      <small>
        {t("payouts.release")} <Code className="id">tollgate payout release {clientId}</Code>
      </small>
    </div>
  );
}
