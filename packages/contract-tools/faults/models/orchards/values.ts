/**
 * Validates values for the handlers of the orchards, with the habits of other frameworks, written by hand.
 */
import { Decimal, isObject, type Value } from '../../../src/values/json.js';

/** The request is refused with this status. The server answers it. */
export class Refusal extends Error {
  readonly status: number;

  constructor(status: number) {
    super();
    this.status = status;
  }
}

/** @throws {Refusal} with 422, if a value does not fit */
export function require(fits: boolean): void {
  if (!fits) throw new Refusal(422);
}

/**
 * Returns the members of a body.
 *
 * @throws {Refusal} with 422, if it is not an object, or has a member that is not among `names`
 */
export function known(body: Value, names: readonly string[]): Record<string, Value> {
  if (!isObject(body) || Object.keys(body).some((name) => !names.includes(name))) throw new Refusal(422);
  return { ...body };
}

/** @throws {Refusal} with 422, if there is a parameter that is not among `names`, or one that comes twice */
export function knownQuery(query: URLSearchParams, names: readonly string[]): void {
  for (const name of query.keys()) require(names.includes(name) && query.getAll(name).length === 1);
}

/**
 * Reads a whole number, in every spelling that JavaScript takes for it.
 *
 * @returns undefined if the parameter is absent, empty or blank
 * @throws {Refusal} with 422, if it is not a whole number from `least` to `most`
 */
export function numberIn(
  query: URLSearchParams,
  name: string,
  least: number,
  most: number,
): number | undefined {
  const text = query.get(name);
  // Like many, it takes an empty value for none.
  if (text === null || text.trim() === '') return undefined;
  const number = Number(text);
  require(text.trim() !== '' && Number.isInteger(number) && number >= least && number <= most);
  return number;
}

export function isText(value: Value | undefined, least: number, most: number): value is string {
  return typeof value === 'string' && [...value].length >= least && [...value].length <= most;
}

/**
 * Whether a text has no control characters. The document does not forbid them, but this server refuses them.
 */
export function isPlainText(value: Value | undefined, least: number, most: number): boolean {
  return isText(value, least, most) && !/\p{Cc}/u.test(value);
}

export function isDay(value: Value): boolean {
  // Its form is a date's, whether a calendar has it or not.
  return isText(value, 10, 10) && /^\d{4}-\d\d-\d\d$/.test(value);
}

/**
 * Whether a double is a multiple of 0.01 to this server. 0.29 is not, because 0.29 / 0.01 is not whole as a
 * double.
 */
export function isHundredth(value: Value): boolean {
  return Number.isInteger(Number(numberOf(value)) / 0.01);
}

/** Writes an instant in the form in which databases give it back. */
export function instantOf(value: Value | undefined): string {
  return new Date(String(value)).toISOString();
}

export function isWellName(value: Value | undefined): value is string {
  return isText(value, 1, 40) && /^[\w\-.~ ]+$/.test(value);
}

export function isMoment(value: Value | undefined): value is string {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) && !Number.isNaN(Date.parse(value));
}

/**
 * Whether a value is an integer to this server. 12.0 is one, as in JavaScript and in later drafts of JSON
 * Schema.
 */
export function isInteger(value: Value | undefined, least: bigint, most: bigint): boolean {
  if (typeof value === 'bigint') return value >= least && value <= most;
  return (
    value instanceof Decimal &&
    Number.isInteger(Number(value.text)) &&
    isNumber(value, Number(least), Number(most))
  );
}

export function isNumber(value: Value | undefined, least: number, most: number): boolean {
  const number =
    typeof value === 'bigint' ? Number(value) : value instanceof Decimal ? Number(value.text) : Number.NaN;
  return number >= least && number <= most;
}

export function numberOf(value: Value | undefined): bigint | number {
  return typeof value === 'bigint' ? value : Number(value instanceof Decimal ? value.text : value);
}
