/**
 * The environment of a process that a test starts: nothing from the machine, so that the test controls all settings.
 * The compile cache and the bundle only change the start time.
 */
export const bareEnvironment = {
  PATH: process.env["PATH"],
  NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
  NODE_OPTIONS: process.env["NODE_OPTIONS"],
} as const;
