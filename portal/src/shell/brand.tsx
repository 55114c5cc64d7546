import type { ReactNode } from "react";

/** The logo, a half-open barrier, and the name. */
export function Brand(): ReactNode {
  return (
    <>
      <svg viewBox="0 0 32 32" width={22} height={22} fill="none" aria-hidden="true">
        <path d="M7 27V15" stroke="#64748b" strokeWidth={5} strokeLinecap="round" />
        <path d="M7 16 27 6" stroke="#e5484d" strokeWidth={5} strokeLinecap="round" />
        <path d="M12.5 13.2l3.6-1.8M19.5 9.7l3.6-1.8" stroke="#fff" strokeWidth={5} />
      </svg>
      <span>Tollgate</span>
    </>
  );
}
