/**
 * Calculates with decimal numbers of any length: doubles cannot tell 9223372036854775807 from …806, nor say
 * whether 0.3 is a multiple of 0.1.
 */

/** The number `digits` / 10^`scale`; the scale is never below 0. */
export interface Decimal {
  readonly digits: bigint;
  readonly scale: number;
}

const form = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i;

/**
 * Reads the output of `String(number)`, or an integer of any length. An exponent of n costs n digits of
 * memory.
 *
 * @throws {RangeError} if the text is not a decimal number, such as "NaN" or "Infinity"
 */
export function decimal(text: string): Decimal {
  const [, sign = '', whole, fraction = '', exponent = '0'] = form.exec(text) ?? [];
  if (whole === undefined) throw new RangeError(`"${text}" is not a decimal number.`);
  const scale = fraction.length - Number(exponent);
  const digits = BigInt(sign + whole + fraction);
  return scale < 0 ? { digits: digits * 10n ** BigInt(-scale), scale: 0 } : trimmed({ digits, scale });
}

/** @returns -1, 0 or 1 */
export function compareDecimals(a: Decimal, b: Decimal): number {
  const [left, right] = aligned(a, b);
  return left < right ? -1 : Number(left > right);
}

/** Whether a number is a multiple of another one. Nothing is a multiple of 0. */
export function isMultiple(a: Decimal, of: Decimal): boolean {
  const [left, right] = aligned(a, of);
  return right !== 0n && left % right === 0n;
}

/** @throws {RangeError} if both numbers are 0 */
export function leastCommonMultiple(a: Decimal, b: Decimal): Decimal {
  const [left, right, scale] = aligned(a, b);
  return trimmed({ digits: (left / greatestCommonDivisor(left, right)) * right, scale });
}

/** Rounds down to an integer. */
export function floor({ digits, scale }: Decimal): Decimal {
  const unit = 10n ** BigInt(scale);
  const rest = ((digits % unit) + unit) % unit;
  return { digits: (digits - rest) / unit, scale: 0 };
}

export function negated({ digits, scale }: Decimal): Decimal {
  return { digits: -digits, scale };
}

/** Writes all digits, without an exponent. */
export function decimalText({ digits, scale }: Decimal): string {
  const text = String(digits < 0n ? -digits : digits).padStart(scale + 1, '0');
  const point = text.length - scale;
  const fraction = scale === 0 ? '' : `.${text.slice(point)}`;
  return `${digits < 0n ? '-' : ''}${text.slice(0, point)}${fraction}`;
}

function aligned(a: Decimal, b: Decimal): [bigint, bigint, number] {
  const scale = Math.max(a.scale, b.scale);
  return [a.digits * 10n ** BigInt(scale - a.scale), b.digits * 10n ** BigInt(scale - b.scale), scale];
}

function trimmed({ digits, scale }: Decimal): Decimal {
  return scale > 0 && digits % 10n === 0n
    ? trimmed({ digits: digits / 10n, scale: scale - 1 })
    : { digits, scale };
}

function greatestCommonDivisor(a: bigint, b: bigint): bigint {
  return b === 0n ? a : greatestCommonDivisor(b, a % b);
}
