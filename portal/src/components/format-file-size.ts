/** `formatFileSize` formats a file size for people. */
export function formatFileSize(bytes: number, language: string): string {
  const isSmall = bytes < 1_000;
  return new Intl.NumberFormat(language, {
    style: "unit",
    unit: isSmall ? "byte" : "kilobyte",
    unitDisplay: isSmall ? "long" : "short",
    maximumFractionDigits: 0,
  }).format(isSmall ? bytes : bytes / 1_000);
}
