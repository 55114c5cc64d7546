/**
 * Called right before a message that may act goes to the network, so that a message that was never sent is not
 * taken for sent. `lasting`: resolves when the note is durable, so that no crash can lose it, and throws when
 * another process has taken the job over (fencing): then nothing may be sent.
 */
export type BeforeSend = (how: { readonly lasting: boolean }) => Promise<void>;
