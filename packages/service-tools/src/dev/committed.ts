/**
 * Reads the contract at HEAD of git, with which each verdict compares. It asks git at each save, because
 * there may be a new commit, and parses the text only if it has changed.
 */
import { relative } from 'node:path';
import { NotInGitError, textAt } from '../../../contract-tools/diff.js';
import { type ApiDocument, readDocument } from '../../../contract-tools/index.js';
import { ContractError } from '../../../exact-json/index.js';

/** The contract at HEAD of git, or a sentence that says why there is none. */
export type AtHead = ApiDocument | string;

export class Committed {
  readonly #file: string;
  #text: string | undefined;
  #known: AtHead = '';

  constructor(file: string) {
    this.#file = file;
  }

  async read(): Promise<AtHead> {
    const name = relative(process.cwd(), this.#file);
    try {
      const text = await textAt('HEAD', this.#file);
      if (text !== this.#text) this.#known = readDocument(text, `HEAD:${name}`);
      this.#text = text;
      return this.#known;
    } catch (error) {
      if (!(error instanceof NotInGitError || error instanceof ContractError)) throw error;
      this.#text = undefined;
      return `not compared with HEAD of git: ${error.message.split('\n')[0]}`;
    }
  }
}
