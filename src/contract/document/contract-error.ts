import { summaryOf } from './fault-summary.js';

/**
 * What is wrong with the document. The message has a line for each fault: its place in the YAML, and a
 * sentence.
 */
export class ContractError extends Error {
  override readonly name = 'ContractError';

  constructor(faults: string | readonly string[]) {
    super(typeof faults === 'string' ? faults : summaryOf(faults));
  }
}

/**
 * Reads one part of the document. If it is wrong, its faults are added to `faults`, so that the other parts
 * are read as well, and the author sees all faults at once.
 *
 * @returns undefined if there were faults
 */
export function readPart<Part>(faults: string[], read: () => Part): Part | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ContractError)) throw error;
    faults.push(...error.message.split('\n'));
    return undefined;
  }
}

export function messageOf(error: unknown): string {
  // Our libraries throw only Errors.
  return (error as Error).message;
}
