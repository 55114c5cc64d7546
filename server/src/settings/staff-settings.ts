/** The settings that only `serve-staff` has. */
export interface StaffSettings {
  /** Origins of the operator console's pages. */
  readonly origins: readonly string[];
  /** The database URL of a login with the role tollgate_console. */
  readonly databaseUrl: string;
  /** The file with the public keys of the accounts service, which signs the tokens of staff. */
  readonly accountsKeysFile: string;
}

export const staffSettingNames = ["origins", "databaseUrl", "accountsKeysFile"] as const;

export function readStaffSettings(required: (name: string) => string): StaffSettings {
  return {
    get origins() {
      return parseOrigins(required("STAFF_ORIGINS"), "STAFF_ORIGINS");
    },
    get databaseUrl() {
      return required("STAFF_DATABASE_URL");
    },
    get accountsKeysFile() {
      return required("ACCOUNTS_KEYS_FILE");
    },
  };
}

/** `parseOrigins` reads web origins from a list with commas, and throws if one of them is not an origin. */
export function parseOrigins(text: string, name: string): readonly string[] {
  const origins = text.split(",").filter(Boolean);
  if (!origins.every((origin) => URL.parse(origin)?.origin === origin))
    throw new Error(`TOLLGATE_${name} must be origins separated by commas, such as https://portal.example.`);
  return origins;
}
