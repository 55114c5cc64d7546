/**
 * Called right before a message that may act is sent, so that an unsent message is not recorded as sent. `lasting`:
 * resolves when the record is durable, so that a crash cannot lose it. It throws if another process has taken over the
 * job (fencing); then nothing may be sent.
 */
export type BeforeSend = (how: { readonly lasting: boolean }) => Promise<void>;
