/** What comes back for a request: an answer, or nothing that is HTTP. */
import type { Answer } from '../../base/http/answer.js';
import { readJson, type Value } from '../../values/json.js';

/** A request got no answer, or an answer that is not HTTP. */
export class Silence {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

export type Reply = Answer | Silence;

export function isSilence(reply: Reply): reply is Silence {
  return reply instanceof Silence;
}

/** @returns the body as JSON; null if there is no answer, or if its body is not JSON */
export function bodyOf(reply: Reply): Value {
  if (isSilence(reply)) return null;
  try {
    return readJson(reply.body);
  } catch {
    // The comparison with the document has already reported a body that is not JSON.
    return null;
  }
}
