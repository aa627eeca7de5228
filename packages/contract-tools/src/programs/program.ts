import type { Caller } from '../base/run-command.js';

/**
 * Makes the caller of a program of the tools' package. It has no contract of its own, and paths are those of
 * the folder in which it is called.
 */
export function program(name: string): Caller {
  return { command: `npx ${name}`, contract: undefined };
}
