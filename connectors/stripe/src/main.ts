import { runConnector } from "../../kit/src/run-connector.ts";
import { newStripeConnector } from "./stripe-connector.ts";

await runConnector(newStripeConnector());
