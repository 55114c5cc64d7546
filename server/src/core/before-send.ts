/**
 * Told when nothing but the network is left before a message that may act, so that what was never sent is not taken for
 * sent. `lasting`: comes back when no crash can forget it any more, and throws when somebody else has taken over: then
 * nothing may leave.
 */
export type BeforeSend = (how: { readonly lasting: boolean }) => Promise<void>;
