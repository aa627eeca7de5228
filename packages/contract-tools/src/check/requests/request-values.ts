/** What a request says, before it is written. */

import type { Value } from '../../values/json.js';
import type { Text } from '../values/parameter-text.js';

/** The parts of a request before it is written. Text is not yet percent-encoded. */
export interface RequestValues {
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, Text>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly cookies: Readonly<Record<string, string>>;
  readonly body: Value | undefined;
}

/** The part of a request that a case is about; a meaning must not change it. */
export interface Focus {
  readonly part: 'body' | 'path' | 'query' | 'header' | 'cookie';
  /** A JSON pointer into the body, or a parameter's name. */
  readonly where: string;
}
