/** A name in each language of the portal and the operator console. */
export interface TranslatedName {
  readonly english: string;
  readonly chinese: string;
}
