import { applyOnce, SignatureVerificationError, Tollgate } from "@tollgate/client";
import { inTransaction, settle } from "./shop.ts";

const client = new Tollgate({ environment: "sandbox" });

// The file app/notify/route.ts of a Next.js app. The same code works in every framework with Request and
// Response.
export async function POST(request: Request): Promise<Response> {
  try {
    const { pathname, search } = new URL(request.url);
    const notification = await client.webhooks.construct({
      path: pathname + search,
      headers: request.headers,
      body: await request.text(),
    });
    await inTransaction((database) =>
      applyOnce(database, notification, () => settle(database, notification)),
    );
    return new Response(client.webhooks.ack(), { headers: { "content-type": "application/json" } });
  } catch (error) {
    // Any response but the acknowledgement makes the gateway send the webhook again.
    const isForged = error instanceof SignatureVerificationError;
    if (!isForged) console.error(error);
    return new Response(null, { status: isForged ? 401 : 500 });
  }
}
