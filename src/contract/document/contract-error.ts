import { summaryOf } from './fault-summary.js';

/** A sentence for each fault, with its place. */
export class ContractError extends Error {
  override readonly name = 'ContractError';

  constructor(faults: string | readonly string[]) {
    super(typeof faults === 'string' ? faults : summaryOf(faults));
  }
}

/**
 * Notes the faults of one part of the document, so that its other parts are read as well.
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
