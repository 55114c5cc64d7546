import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { database, type Merchant } from "../installation/installation.ts";
import { makePayment } from "../trial/scenario.ts";
import { payBody, type Trial } from "../trial/trial.ts";

/** A fault in an installation. The operator knows only a complaint of one sentence. */
export interface ErrorCase {
  /** The complaint that the operator receives. */
  readonly complaint: string;
  /** Injects the fault. Returns the placeholders of the commands below, and the function that repairs the fault. */
  inject(trial: Trial): Promise<InjectedError>;
  /** Commands that find the fault, each with its expected output. */
  readonly diagnostics: readonly DiagnosticCommand[];
}

export interface InjectedError {
  /** Replaces CLIENT, PAYMENT and FILE in the commands. */
  readonly placeholders: Readonly<Record<string, string>>;
  repair(): Promise<unknown>;
}

export interface DiagnosticCommand {
  readonly command: string;
  readonly expected: RegExp;
}

function firstMerchant({ installation }: Trial): Merchant {
  const [merchant] = installation.merchants;
  if (!merchant) throw new Error("There are merchants.");
  return merchant;
}

/** Requests a payment; the provider's response does not matter. */
async function requestPayment(trial: Trial, name: string): Promise<string> {
  const merchant = firstMerchant(trial);
  const body = payBody(name, trial.notifyUrl);
  const answer = await trial.send(0, { verb: "pay", merchant, requestId: name, body });
  return answer?.id ?? name;
}

const runSql = ({ installation }: Trial, statement: string): Promise<unknown> =>
  installation.cluster.execute(database, statement);

/** Ten faults, by the word that runs one alone. */
export const errorCases: Readonly<Record<string, ErrorCase>> = {
  silent: {
    complaint: "Buyers cannot start a payment.",
    async inject(trial) {
      const [proxy] = trial.installation.proxies.gatewayToProviders;
      proxy?.fail({ kind: "black-hole" });
      // Several payments fail, so that the circuit breaker opens.
      for (let index = 0; index < 12; index += 1) void requestPayment(trial, `silent-${index}`);
      return { placeholders: {}, repair: async () => proxy?.heal() };
    },
    diagnostics: [
      { command: "connector list", expected: /storm-provider .*SILENT/ },
      { command: "stuck", expected: /provider storm-provider does not respond/ },
    ],
  },
  disabled: {
    complaint: "Since noon no merchant can accept payments with one provider.",
    async inject({ installation: { operate } }) {
      await operate("connector", "disable", "storm-provider", "--as", "grace", "--reason", "a drill");
      return { placeholders: {}, repair: () => operate("connector", "enable", "storm-provider") };
    },
    diagnostics: [
      { command: "connector list", expected: /storm-provider .*DISABLED/ },
      { command: "audit list --act 'connector disable'", expected: /grace .*connector disable .*a drill/ },
    ],
  },
  untold: {
    complaint: "A merchant's shop gets no webhooks about paid orders.",
    async inject(trial) {
      const { workToShop } = trial.installation.proxies;
      workToShop.fail({ kind: "refuse" });
      const paid = await makePayment(trial, firstMerchant(trial), "untold");
      const placeholders = { CLIENT: paid.merchant.clientId, PAYMENT: paid.paymentId };
      return { placeholders, repair: async () => workToShop.heal() };
    },
    diagnostics: [
      { command: "notification list CLIENT --subject PAYMENT", expected: /WAITING +[1-9]\d* +no response/ },
      { command: "payment show PAYMENT", expected: /status +SUCCESS[^]*attempt +HTTP 0/ },
    ],
  },
  held: {
    complaint: "One payment has been in process for an hour; others complete.",
    async inject(trial) {
      const { operate } = trial.installation;
      const paymentId = await requestPayment(trial, "held");
      await operate("job", "hold", paymentId, "--as", "grace", "--reason", "a drill");
      return { placeholders: { PAYMENT: paymentId }, repair: () => operate("job", "release", paymentId) };
    },
    diagnostics: [
      { command: "stuck", expected: /on hold; release it/ },
      { command: "audit list --act 'job hold'", expected: /grace .*job hold/ },
    ],
  },
  declined: {
    complaint: "A buyer says that the money was taken; the shop says that it was not.",
    async inject(trial) {
      const paymentId = await requestPayment(trial, "declined");
      while (!(await trial.actAsBuyer(paymentId, "decline")))
        await new Promise((done) => setTimeout(done, 200));
      return { placeholders: { PAYMENT: paymentId }, repair: async () => undefined };
    },
    diagnostics: [
      { command: "payment show PAYMENT", expected: /callback +received[^]*FAIL +USER_BALANCE_NOT_ENOUGH/ },
    ],
  },
  suspended: {
    complaint: "All requests of a merchant are answered with INVALID_CLIENT_STATUS.",
    async inject(trial) {
      const { operate } = trial.installation;
      const { clientId } = firstMerchant(trial);
      await operate("merchant", "suspend", clientId, "--as", "grace", "--reason", "a drill");
      return { placeholders: { CLIENT: clientId }, repair: () => operate("merchant", "resume", clientId) };
    },
    diagnostics: [
      { command: "merchant show CLIENT", expected: /SUSPENDED/ },
      { command: "audit list --client-id CLIENT", expected: /grace .*merchant suspend/ },
    ],
  },
  revoked: {
    complaint: "A merchant's requests are answered with KEY_NOT_FOUND, and the merchant has changed nothing.",
    async inject(trial) {
      const { operate, merchants } = trial.installation;
      // The fault uses the last merchant, because the revocation of a key is permanent.
      const { clientId } = merchants.at(-1) ?? firstMerchant(trial);
      const args = ["--client-id", clientId, "--version", "1", "--as", "grace", "--reason", "a drill"];
      await operate("merchant", "key", "revoke", ...args);
      return { placeholders: { CLIENT: clientId }, repair: async () => undefined };
    },
    diagnostics: [
      { command: "merchant keys CLIENT", expected: /revoked/ },
      { command: "audit list --client-id CLIENT", expected: /grace .*merchant key revoke/ },
    ],
  },
  fee: {
    complaint: "A merchant pays a higher fee than its contract says, and no command was run.",
    async inject(trial) {
      const { clientId } = firstMerchant(trial);
      const set = (fee: number): Promise<unknown> =>
        runSql(trial, `update clients set fee_basis_points = ${fee} where client_id = '${clientId}'`);
      await set(777);
      return { placeholders: { CLIENT: clientId }, repair: () => set(0) };
    },
    diagnostics: [
      { command: "merchant show CLIENT", expected: /7\.77 %/ },
      {
        command: "audit list --client-id CLIENT",
        expected: /by SQL .*update clients[^]*fee_basis_points: 0 → 777/,
      },
    ],
  },
  tampered: {
    complaint: "A person with the superuser's password has left the company.",
    async inject(trial) {
      await runSql(trial, "create table kept as select * from audit where seq = 3");
      await runSql(
        trial,
        "alter table audit disable trigger all; update audit set reason = 'nothing' where seq = 3",
      );
      return {
        placeholders: {},
        repair: () =>
          runSql(
            trial,
            `update audit set reason = kept.reason from kept where audit.seq = kept.seq;
             alter table audit enable trigger all; drop table kept`,
          ),
      };
    },
    diagnostics: [{ command: "audit verify", expected: /row 3: The row was changed/ }],
  },
  books: {
    complaint: "A provider says that it has sent money that we do not know of.",
    async inject() {
      const file = join(mkdtempSync(join(tmpdir(), "tollgate-game-day-")), "settlement.csv");
      const header =
        "kind,reference,operationReference,paymentId,currency,amountMinor,time,feeCurrency,feeMinor,payoutId,valueDate";
      const time = new Date(Date.now() - 60_000).toISOString();
      writeFileSync(file, `${header}\npayment,nobodys,nobodys,nobodys,EUR,4711,${time},,,,\n`);
      const untilTime = new Date(Date.now() + 60_000).toISOString();
      return { placeholders: { FILE: file, UNTIL: untilTime }, repair: async () => undefined };
    },
    diagnostics: [
      { command: "settlement import --connector storm-provider --file FILE", expected: /1 row/ },
      { command: "reconcile --until UNTIL", expected: /missing here[^]*nobodys/ },
    ],
  },
};
