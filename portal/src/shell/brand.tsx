import type { ReactNode } from "react";
import mark from "./mark.svg";

export function Brand(): ReactNode {
  return (
    <>
      <img src={mark} alt="" width={22} height={22} />
      <span>Tollgate</span>
    </>
  );
}
