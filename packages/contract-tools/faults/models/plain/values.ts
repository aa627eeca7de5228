/**
 * Checks values as the plain servers do it: by hand, without the document, so that a misreading of the
 * document by the checker is not shared by the servers.
 */

/** Says what is wrong with a value; undefined if nothing is. */
export type Check = (value: unknown) => string | undefined;
export type Members = Readonly<Record<string, unknown>>;

export function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Checks the number of characters, which are code points as in JSON Schema. */
export function text(least: number, most: number, pattern?: RegExp): Check {
  return (value) => {
    if (typeof value !== 'string') return 'must be a text';
    const { length } = [...value];
    if (length < least || length > most) return `must have ${least} to ${most} characters`;
    return pattern === undefined || pattern.test(value) ? undefined : `must match ${pattern.source}`;
  };
}

export function oneOf(...texts: readonly string[]): Check {
  return (value) => (texts.some((one) => one === value) ? undefined : `must be one of ${texts.join(', ')}`);
}

export function integer(least: number, most: number): Check {
  return (value) =>
    Number.isInteger(value) && Number(value) >= least && Number(value) <= most
      ? undefined
      : `must be an integer from ${least} to ${most}`;
}

export const boolean: Check = (value) => (typeof value === 'boolean' ? undefined : 'must be true or false');

const uuidPattern = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
export const uuid: Check = (value) =>
  typeof value === 'string' && uuidPattern.test(value) ? undefined : 'must be a UUID';

/** A full-date of RFC 3339, which has to be in the calendar: 2026-02-30 is none. */
export const date: Check = (value) => {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(value)) return 'must be a date';
  const day = new Date(`${value}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(value)
    ? undefined
    : 'must be a date of the calendar';
};

export function nullable(check: Check): Check {
  return (value) => (value === null ? undefined : check(value));
}

export function listOf(check: Check, least: number, most: number): Check {
  return (value) => {
    if (!Array.isArray(value)) return 'must be a list';
    if (value.length < least || value.length > most) return `must have ${least} to ${most} items`;
    return firstOf(value.map((item, index) => at(String(index), check(item))));
  };
}

interface Shape {
  readonly required?: readonly string[];
  readonly members: Readonly<Record<string, Check>>;
  /** Whether other members are refused. */
  readonly isClosed?: boolean;
}

export function object({ required = [], members, isClosed = false }: Shape): Check {
  return (value) => {
    if (!isMembers(value)) return 'must be an object';
    return firstOf([
      ...required.map((name) => (Object.hasOwn(value, name) ? undefined : `${name} is missing`)),
      ...Object.entries(value).map(([name, member]) => {
        const check = Object.hasOwn(members, name) ? members[name] : undefined;
        return check ? at(name, check(member)) : isClosed ? `${name} is not known` : undefined;
      }),
    ]);
  };
}

function at(name: string, wrong: string | undefined): string | undefined {
  return wrong === undefined ? undefined : `${name} ${wrong}`;
}

function firstOf(wrongs: readonly (string | undefined)[]): string | undefined {
  return wrongs.find((wrong) => wrong !== undefined);
}
