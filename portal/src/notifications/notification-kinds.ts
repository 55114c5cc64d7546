import { notificationKindLabels } from "../generated/console.ts";

export type NotificationKind = keyof typeof notificationKindLabels;

export const notificationKinds = Object.keys(notificationKindLabels) as NotificationKind[];
