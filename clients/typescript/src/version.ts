/** The version of this library; written by `npm run version:write`. */
export const version = "1.0.0-rc.1";
