/** The release that this is; written by `npm run version:write`. */
export const version = "0.1.0";
