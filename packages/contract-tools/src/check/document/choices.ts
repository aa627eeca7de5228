/** Reads what the user has chosen for a run: the operations that are sent or left out, and further headers. */
import type { Presented } from '../../document/credentials.js';
import { nearestTo } from '../../document/nearest.js';
import type { Operation } from '../../document/operations.js';
import { CannotCheckError } from './cannot-check.js';
import type { Description } from './description.js';
import { leaveOut, type Narrowed } from './leave-out.js';
import type { Rules } from './rules.js';

/**
 * Leaves the operations of `exclude` out, and replaces names such as `POST /plants` in `send` by ids.
 *
 * @throws {CannotCheckError} if the document has no operation of a name
 */
export function withChosen(description: Description): Narrowed {
  const { operations, rules } = description;
  const idsOf = (option: string, names: readonly string[] = []): string[] =>
    names.map((name) => idOf(operations, description, option, name));
  const excluded = idsOf('exclude', rules.exclude);
  const chosen = { ...description, rules: { ...rules, send: idsOf('send', rules.send) } };
  return leaveOut(chosen, ({ id }) => (excluded.includes(id) ? 'the user has excluded it.' : undefined));
}

function idOf(
  operations: readonly Operation[],
  { excluded }: Description,
  option: string,
  name: string,
): string {
  const named = operations.find(({ id, method, path }) => id === name || `${method} ${path}` === name);
  if (named !== undefined) return named.id;
  // It is left out already, because no request of it can be written.
  if (excluded.some(({ id }) => id === name)) return name;
  const meant = nearestTo(
    name,
    operations.flatMap(({ id, method, path }) => [id, `${method} ${path}`]),
  );
  throw new CannotCheckError(
    `There is no operation "${name}", which ${option} names: did you mean ${meant.join(' or ')}?`,
  );
}

/**
 * Reads the lines of `header`. A value may be secret, so that reports have the name of a variable for it.
 *
 * @throws {CannotCheckError} if one is not "Name: value", or has what no header may have (RFC 9110, section 5.5)
 */
export function headersIn({ header = [] }: Rules): Presented[] {
  return header.map((line) => {
    const [, name = '', written = ''] =
      /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):([\t\x20-\x7e\x80-\xff]+)$/.exec(line) ?? [];
    const text = written.trim();
    // The message does not repeat it.
    if (name === '' || text === '')
      throw new CannotCheckError('A header is not "Name: value": correct --header, or the line "header".');
    return { in: 'header', name, text, shell: `$HEADER_${name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}` };
  });
}
