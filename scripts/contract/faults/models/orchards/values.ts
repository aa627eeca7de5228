/**
 * Validates values for the handlers of the orchards, with the habits of other frameworks, written by hand.
 */
import { Decimal, isObject, type Value } from '../../../check/values/json.js';

export class Refusal extends Error {
  readonly status: number;

  constructor(status: number) {
    super();
    this.status = status;
  }
}

export function require(fits: boolean): void {
  if (!fits) throw new Refusal(422);
}

/** Refuses members that it does not know. */
export function known(body: Value, names: readonly string[]): Record<string, Value> {
  if (!isObject(body) || Object.keys(body).some((name) => !names.includes(name))) throw new Refusal(422);
  return { ...body };
}

export function knownQuery(query: URLSearchParams, names: readonly string[]): void {
  for (const name of query.keys()) require(names.includes(name) && query.getAll(name).length === 1);
}

/** Takes every spelling that JavaScript takes for the number. */
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

/** The double 0.29 is not a multiple of the double 0.01. */
export function isHundredth(value: Value): boolean {
  return Number.isInteger(Number(numberOf(value)) / 0.01);
}

/** The same instant in another form, as databases give it back. */
export function instantOf(value: Value | undefined): string {
  return new Date(String(value)).toISOString();
}

export function isWellName(value: Value | undefined): value is string {
  return isText(value, 1, 40) && /^[\w\-.~ ]+$/.test(value);
}

export function isMoment(value: Value | undefined): value is string {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) && !Number.isNaN(Date.parse(value));
}

/** JavaScript and JSON Schema's later drafts take 12.0 for an integer. */
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
