import { Type } from "typebox";

/** Secret: whoever has it acts in the buyer's name. */
export const AccessToken = Type.String({ minLength: 1, maxLength: 128, "x-secret": true });

export const RefreshToken = Type.String({ minLength: 1, maxLength: 128, "x-secret": true });
