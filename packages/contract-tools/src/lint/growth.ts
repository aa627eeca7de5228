/**
 * Asks recheck how the time of a regular expression grows with the length of a text.
 *
 * `^([a-z]+)+$` takes twice as long for each further letter of a text that ends otherwise, and nothing interrupts it.
 * recheck finds that by the theory of automata, or by texts of its own if a pattern has lookarounds or large counts. It
 * does not know backreferences and the flag `v`, and gives up a pattern after ten seconds: then nothing is known.
 *
 * recheck may take seconds, so it is asked only if counting (../values/ambiguity.ts) does not show that the time is
 * linear. That leaves one expression in four, and does not depend on how busy the machine is.
 *
 * The package brings a program for most machines, and the same in JavaScript, which takes four times as long.
 */
import { check } from 'recheck';
import { maxLengthFor, maxLengthOf } from '../values/ambiguity.js';

export type Growth =
  | { readonly kind: 'linear' }
  | { readonly kind: 'unknown'; readonly why: string }
  /** A text of up to `maxLength` characters takes a few milliseconds. */
  | { readonly kind: 'polynomial'; readonly degree: number; readonly maxLength: number }
  /** The example is an expression of JavaScript, such as `'a'.repeat(31) + '\x00'`. */
  | { readonly kind: 'exponential'; readonly example: string };

/** Calls come one after the other: recheck starts its program again for each call that does not find it running. */
export async function growthOf(source: string, flags: string): Promise<Growth> {
  if (isLinear(source, flags)) return { kind: 'linear' };
  const found = await diagnose(source, flags);
  if (found.status === 'safe') return { kind: 'linear' };
  if (found.status === 'unknown') {
    const why = 'message' in found.error ? found.error.message : found.error.kind;
    return { kind: 'unknown', why };
  }
  if (found.complexity.type === 'exponential') return { kind: 'exponential', example: found.attack.pattern };
  const { degree } = found.complexity;
  return { kind: 'polynomial', degree, maxLength: maxLengthFor(degree) };
}

/** Whether counting shows it. It does not know the syntax of the flag `v`, nor the `^` of the flag `m`. */
function isLinear(source: string, flags: string): boolean {
  try {
    return !/[mv]/.test(flags) && maxLengthOf(new RegExp(source, flags)) === Number.POSITIVE_INFINITY;
  } catch {
    // JavaScript cannot read it.
    return false;
  }
}

/**
 * A text of recheck's own that takes long by the clock counts as an attack, which is so on a busy machine. Without these
 * two, only its steps are counted.
 */
const withoutClock = { attackTimeout: null, incubationTimeout: null } as const;

/** By itself, recheck would start Java on a machine for which it brings no program. */
async function diagnose(source: string, flags: string): ReturnType<typeof check> {
  process.env['RECHECK_BACKEND'] ??= 'native';
  try {
    return await check(source, flags, withoutClock);
  } catch (error) {
    if (process.env['RECHECK_BACKEND'] !== 'native') throw error;
    process.env['RECHECK_BACKEND'] = 'worker';
    return diagnose(source, flags);
  }
}
