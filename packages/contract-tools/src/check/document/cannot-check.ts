import { visible } from '../../../../exact-json/index.js';

/** The check cannot find anything out. The message is one line, which may repeat what the server answered. */
export class CannotCheckError extends Error {
  override readonly name = 'CannotCheckError';

  constructor(message: string) {
    super(visible(message));
  }
}
