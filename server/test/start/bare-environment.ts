/**
 * The environment of a process that a test starts: nothing of the machine's, so that the test says all that its
 * process is told. Where compiled code is kept, and how TypeBox is loaded, changes nothing but the time that a start takes.
 */
export const bareEnvironment = {
  PATH: process.env["PATH"],
  NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
  NODE_OPTIONS: process.env["NODE_OPTIONS"],
} as const;
