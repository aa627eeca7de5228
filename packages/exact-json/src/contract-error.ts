/**
 * The error of a document that is not valid, or that this server cannot serve. Its author should see all
 * faults at once, so parts of a document are read one by one, and the faults of each are collected.
 */
import { summaryOf } from './fault-summary.js';
import { visible } from './visible.js';

/**
 * What is wrong with the document. The message has a line for each fault: its place in the YAML, and a
 * sentence. If there are many, it names the first ones, and counts the others (fault-summary.ts).
 */
export class ContractError extends Error {
  override readonly name = 'ContractError';

  /**
   * @param faults one sentence, or a list of them. They may repeat what the document says, so each is made
   * visible (visible.ts), and takes one line
   * @param together makes the message of the sentences; by default, many are summed up
   */
  constructor(
    faults: string | readonly string[],
    together: (sentences: readonly string[]) => string = summaryOf,
  ) {
    super(together([faults].flat().map((sentence) => visible(sentence))));
  }
}

/**
 * Reads one part of the document. If it is wrong, its faults are added to `faults`, so that the other parts
 * are read as well, and the author sees all faults at once.
 *
 * @returns undefined if there were faults
 * @throws {Error} what `read` throws, unless it is a ContractError
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

/** @returns all sentences, each on a line, for faults that are few and differ */
export function inFull(sentences: readonly string[]): string {
  return sentences.join('\n');
}

export function messageOf(error: unknown): string {
  // Our libraries throw only Errors.
  return (error as Error).message;
}
