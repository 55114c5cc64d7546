import { runConnector } from "../src/run-connector.ts";
import { newToyConnector } from "./toy-connector.ts";

await runConnector(newToyConnector(process.env["TOY_PROVIDER_URL"] ?? ""));
