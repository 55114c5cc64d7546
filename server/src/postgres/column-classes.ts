/** Classes of the columns of merchants' rows, to find personal data. */
export const columnClasses = {
  personal: "texts and addresses that may be about a buyer; `buyer erase` empties them",
  secret: "encrypted, or only a keyed hash: unreadable in the database",
  contact:
    "a merchant's own people and places, as it registered them with payment providers; kept while it is a merchant",
  merchant: "names, addresses and keys of a merchant's systems",
  identity:
    "ids of the gateway, the merchant and the payment provider, by which records are found; kept permanently; a merchant must not put personal data into its own",
  state: "states, codes, kinds and currencies, from closed lists",
} as const;
export type ColumnClass = keyof typeof columnClasses;

/** Columns with the same class in every table. */
const columnsInAnyTable: Readonly<Record<Exclude<ColumnClass, "personal" | "contact">, string>> = {
  secret:
    "fingerprint sealed_code sealed_agreement code_hash given_hash sealed_given access_hash refresh_hash sealed_pair digests sha256 " +
    "request_sha256",
  merchant:
    "public_key name link_schemes organisation url path queue origin notify_url auth_client_id support_url colour logo",
  identity:
    "client_id payment_id capture_id refund_id reversal_id dispute_id authorization_id token_id registration_id notification_id " +
    "request_id turn_id subject_id event_id payment_request_id capture_request_id refund_request_id registration_request_id " +
    "turn_request_id fault_request_id reference provider_reference provider_account provider_registration_id provider_dispute_id reference_refund_id reference_merchant_id " +
    "reference_store_id reference_order_id auth_state account debit_account credit_account left_orders rule_id account_id batch_id payout_id end_to_end_id " +
    "file_id released_in carried_to quote_id entry_key statement_id bank_reference",
  state:
    "status result_code currency paid_currency connector product_code scenario payment_method_type capture_mode provider_code " +
    "customer_belongs_to scopes type reason_code source answer accept_reason judged_result wanted_evidence format effect job kind failure signed operation " +
    "span payment_method_types regions product_codes reject_reasons last_word fired reason logo_type fee_terms refund_policy cycle " +
    "waits_for bank settle_in settle_currency return_code dropped_for outcome display_status",
};

/**
 * Columns that may be about people, by table. These entries take precedence over the class that the column's name has
 * in every table.
 */
const columnsByTable: Readonly<Record<string, { readonly [Class in "personal" | "contact"]?: string }>> = {
  payments: {
    personal:
      "order_description order_shown redirect_url notify_url metadata provider_url next_action sealed_code provider_details",
  },
  payment_sessions: { personal: "order_info customized_info user_region" },
  order_data: { personal: "data" },
  refunds: { personal: "reason metadata notify_url" },
  disputes: { personal: "reason_message auto_defend_reason" },
  dispute_events: { personal: "told" },
  dispute_evidence: { personal: "content" },
  authorizations: { personal: "user_login_id provider_url redirect_url notify_url" },
  notifications: { personal: "body url" },
  notification_attempts: { personal: "answer" },
  request_log: { personal: "request_body answer_body" },
  registrations: { contact: "merchant_info store_info pass_through_info" },
  bank_accounts: {
    contact: "holder iban iban_shown bic asked_by asked_login approved_by approved_login",
  },
  payout_holds: { contact: "held_by held_login released_by released_login reason" },
};

/** The class of a text column; undefined if the column is not classified yet. */
export function findColumnClass(table: string, column: string): ColumnClass | undefined {
  const classifiedColumns = [
    ...Object.entries(columnsByTable[table] ?? {}),
    ...Object.entries(columnsInAnyTable),
  ];
  const [columnClass] = classifiedColumns.find(([, columns]) => columns.split(" ").includes(column)) ?? [];
  return columnClass as ColumnClass | undefined;
}

/** Columns that may be about people, by table. */
export function listColumnsAboutPeople(): readonly {
  readonly table: string;
  readonly class: ColumnClass;
  readonly columns: readonly string[];
}[] {
  return Object.entries(columnsByTable).flatMap(([table, byClass]) =>
    Object.entries(byClass).map(([each, columns]) => ({
      table,
      class: each as ColumnClass,
      columns: columns.split(" "),
    })),
  );
}
