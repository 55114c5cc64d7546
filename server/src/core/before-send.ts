/**
 * A job calls `BeforeSend` right before it sends a message that may act, so that an unsent message is not recorded as
 * sent. With `durable` it resolves when the record is durable, so that a crash cannot lose the record. It throws if
 * another process has taken over the job (fencing); then the job must send nothing.
 */
export type BeforeSend = (options: { readonly durable: boolean }) => Promise<void>;
