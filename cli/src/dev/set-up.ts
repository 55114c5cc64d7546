import { writeFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { addConnector } from "../../../server/src/operators/providers/connector-settings.ts";
import { refreshConnector } from "../../../server/src/operators/providers/connector-facts.ts";
import { openOperatorsSigner } from "../../../server/src/operators/providers/connector-test.ts";
import {
  addGatewayKey,
  findGatewayKeys,
  allPublicKeys,
} from "../../../server/src/operators/providers/manage-gateway-keys.ts";
import { addMerchant } from "../../../server/src/operators/merchants/merchant.ts";
import type { LocalServer } from "../../../server/src/postgres/local-server.ts";
import { migrate, migrateFolder } from "../../../server/src/postgres/migrate.ts";
import { readSettings } from "../../../server/src/settings/settings.ts";
import type { DevState } from "./data-folder.ts";
import type { DataFiles } from "./data-files.ts";
import { accountsMigrationsFolder } from "./programs.ts";
import { walletMethods } from "./wallet-methods.ts";
import { accountsDatabase, database, buildLoginUrl, derivePassword, type Role } from "./database-logins.ts";

const environment = "sandbox";
const connectorName = "sandbox-wallet";

/** The one-time work of an operator: roles, databases, the gateway's first key, a merchant. */
export async function setUpDatabase(
  server: LocalServer,
  secret: string,
  files: DataFiles,
): Promise<NonNullable<DevState["client"]>> {
  const url = buildLoginUrl(server, secret, "tollgate_owner");
  const login = (role: Role): string => `login password '${derivePassword(secret, role)}'`;
  await server.execute("postgres", `create role tollgate_owner createrole ${login("tollgate_owner")}`);
  await server.execute("postgres", `create database ${database} owner tollgate_owner`);
  await server.execute("postgres", `create database ${accountsDatabase} owner tollgate_owner`);
  await Promise.all([migrate(url, environment), migrateAccounts(server, secret)]);
  await server.execute(
    "postgres",
    `create role tollgate_serve ${login("tollgate_serve")} in role tollgate_app;
     create role tollgate_worker ${login("tollgate_worker")} in role tollgate_work;
     create role tollgate_people ${login("tollgate_people")} in role tollgate_accounts;
     revoke connect, temporary on database ${database}, ${accountsDatabase} from public;
     grant connect on database ${database} to tollgate_serve, tollgate_worker;
     grant connect on database ${accountsDatabase} to tollgate_people`,
  );
  await addGatewayKey(url, environment, files.keyFile);
  const keys = { publicKeyFile: files.merchantPublicKeyFile, proofFile: undefined };
  const merchant = await addMerchant({ url, environment }, "Coffee Lab", keys);
  await writeFile(files.gatewayPublicKeyFile, merchant.gatewayPublicKey);
  return { clientId: merchant.clientId, keyVersion: merchant.keyVersion };
}

/** Updates the data of an earlier start: the tables, and the provider's address. */
export async function updateDatabase(
  server: LocalServer,
  secret: string,
  files: DataFiles,
  walletUrl: string,
): Promise<void> {
  const url = buildLoginUrl(server, secret, "tollgate_owner");
  await Promise.all([migrate(url, environment), migrateAccounts(server, secret)]).catch((error: Error) => {
    throw new Error(`${error.message} For a new one: \`tollgate dev --reset\`.`);
  });
  await server.execute("postgres", staffLoginSql(secret));
  await addConnector(url, environment, {
    name: connectorName,
    url: walletUrl,
    partnerId: "tollgate",
    publicKeyFile: files.walletPublicKeyFile,
    paymentMethodTypes: walletMethods,
    simulator: true,
  });
  await writeFile(files.walletGatewayKeyFile, allPublicKeys(await findGatewayKeys({ url, environment })));
}

/** Asks the running wallet for its facts, and stores them with its connector. */
export async function storeWalletFacts(server: LocalServer, secret: string, keyFile: string): Promise<void> {
  const operator = { url: buildLoginUrl(server, secret, "tollgate_owner"), environment } as const;
  const signer = await openOperatorsSigner(operator, readSettings({ TOLLGATE_KEY_FILE: keyFile }));
  await refreshConnector(operator, connectorName, signer);
}

/** SQL that creates the database login of the operator console if it is missing: earlier versions did not create it. */
function staffLoginSql(secret: string): string {
  const password = derivePassword(secret, "tollgate_staff");
  return `do $$ begin create role tollgate_staff login password '${password}' in role tollgate_console;
    exception when duplicate_object then null; end $$;
    grant connect on database ${database} to tollgate_staff`;
}

async function migrateAccounts(server: LocalServer, secret: string): Promise<void> {
  const url = buildLoginUrl(server, secret, "tollgate_owner", accountsDatabase);
  await migrateFolder(url, pathToFileURL(`${accountsMigrationsFolder}/`));
}
