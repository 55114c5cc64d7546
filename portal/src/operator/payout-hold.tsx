import { Code } from "@mantine/core";
import type { ReactNode } from "react";
import type { Staff } from "../generated/staff.ts";
import { Moment } from "../shell/moment.tsx";
import { useWords } from "./use-words.ts";

type Hold = Staff["payouts"]["response"]["holds"][number];

/** Who put a merchant's payouts on hold, when and why, and the command that releases them. */
export function PayoutHold({ clientId, heldAt, heldBy, reason }: Hold): ReactNode {
  const { t } = useWords();
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
