import { Type } from "typebox";
import { refuse } from "../api/refusal.ts";
import { memberRoute, openRoute } from "../api/route.ts";
import { Body, EmptyObject, Time } from "../api/schemas.ts";
import { insertAudit } from "../audit/audit.sql.ts";
import { actorOf } from "../sessions/session.ts";
import { findAnnouncement, insertAnnouncement, updateAnnouncementsEnded } from "./announcement.sql.ts";

const Tone = Type.Unsafe<"notice" | "warning">({ type: "string", enum: ["notice", "warning"] });
const SingleLineText = Type.String({ minLength: 1, maxLength: 500, pattern: "^[^\\u0000-\\u001f\\u007f]+$" });
const hourMs = 3_600_000;

/** `showAnnouncement` needs no session, because people who cannot sign in need the announcement most. */
export const showAnnouncement = openRoute({
  method: "GET",
  path: "/accounts/announcement",
  summary: "The current announcement.",
  request: EmptyObject,
  response: Type.Object({
    announcement: Type.Optional(Type.Object({ text: Type.String(), tone: Tone, endsAt: Time })),
  }),

  async handle({ read, now }) {
    const announcement = await findAnnouncement(read, now);
    return {
      answer: announcement
        ? { announcement: { ...announcement, endsAt: announcement.endsAt.toISOString() } }
        : {},
    };
  },
});

export const publishAnnouncement = memberRoute({
  method: "POST",
  path: "/accounts/announcement",
  sites: ["operator"],
  summary:
    "Publishes an announcement above every page of the portal for some hours. It replaces the previous one.",
  access: "announcements.write",
  request: Body({ text: SingleLineText, tone: Tone, hours: Type.Integer({ minimum: 1, maximum: 720 }) }),
  response: EmptyObject,

  async handle(call, { text, tone, hours }) {
    const { caller, now } = call;
    const endsAt = new Date(now.getTime() + hours * hourMs);
    await call.transaction(async (tx) => {
      await insertAnnouncement(tx, { text, tone, endsAt }, now);
      const after = { text, tone, endsAt: endsAt.toISOString() };
      await insertAudit(tx, { actor: actorOf(caller), act: "announcement.set", subject: "portal", after });
    });
    return { answer: {} };
  },
});

export const endAnnouncement = memberRoute({
  method: "POST",
  path: "/accounts/announcement/end",
  sites: ["operator"],
  summary: "Removes the announcement before it expires.",
  access: "announcements.write",
  request: EmptyObject,
  response: EmptyObject,

  async handle(call) {
    const { caller, now } = call;
    return call.transaction(async (tx) => {
      const announcement = await findAnnouncement(tx, now);
      if (!announcement) return refuse("NOT_FOUND");
      await updateAnnouncementsEnded(tx, now);
      const before = { text: announcement.text, tone: announcement.tone };
      await insertAudit(tx, { actor: actorOf(caller), act: "announcement.end", subject: "portal", before });
      return { answer: {} };
    });
  },
});
