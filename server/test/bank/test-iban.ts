/** `ibanOf` returns the IBAN of a German account with valid check digits (ISO 7064, modulo 97). */
export function ibanOf(number: number): string {
  const account = `50010517${String(number).padStart(10, "0")}`;
  const check = 98n - (BigInt(`${account}131400`) % 97n);
  return `DE${String(check).padStart(2, "0")}${account}`;
}
