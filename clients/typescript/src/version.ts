/** Of this library; written by `npm run version:write`. */
export const version = "0.1.0";
