import { Tollgate } from "@tollgate/client";

// app/notify/route.ts of a Next.js app; the same in every framework that has Request and Response.
export async function POST(request: Request): Promise<Response> {
  const client = new Tollgate({ environment: "sandbox" });
  const { pathname, search } = new URL(request.url);
  const notification = await client.webhooks.construct({
    path: pathname + search,
    headers: request.headers,
    body: await request.text(),
  });
  if (notification.kind === "notifyPayment") console.log("told", notification.body.result.resultCode);
  return new Response(client.webhooks.ack(), { headers: { "content-type": "application/json" } });
}
