import type { Caller } from '../../../kit/command.js';

/**
 * A program of the tools' package. It has no contract of its own: paths are those of the folder where it is
 * called.
 */
export function program(name: string): Caller {
  return { command: `npx ${name}`, contract: undefined };
}
