/**
 * Finds out how long a text a regular expression may be asked with, by counting the ways through it.
 *
 * V8 tries one way through an expression after the other. If two ways match the same text, and lead from one character
 * back to it, as in `^(a+)+$`, then each further character doubles them. If a text can be cut in two at any place, as
 * in `^a*a*$`, then they grow with its length. Otherwise a text takes as many steps as it has characters.
 *
 * 1. The expression becomes an automaton: a state for each character or class, and behind each the states that can come
 *    next. A repetition of up to three times is written out, and every other one becomes a loop, which has more ways.
 * 2. Two walkers start together, and both take the same characters. A pair of states that they can reach shows that a
 *    text has two ways.
 * 3. Walkers that part in a loop and meet again show that the ways double. Walkers that stay in two loops, one behind
 *    the other, show a factor of the length for each of these loops.
 *
 * An expression with a lookaround or a backreference is not an automaton, and counts as one whose ways double. So does
 * one with too many pairs. Nothing here depends on the machine.
 *
 * recheck (../lint/growth.ts) knows more, but it has 60 MB, and takes seconds for some patterns.
 */

/** A text may take V8 this number of steps, which are some 10 ms. */
const maxSteps = 1_000_000;
/** A text of this length is short whatever the expression: 2 ways for each character are 4,096. */
const shortLength = 12;
const maxCopies = 3;
const maxPairs = 20_000;

/** @returns the greatest length of a text if the steps grow with this power of it */
export function maxLengthFor(degree: number): number {
  return Math.round(maxSteps ** (1 / degree));
}

/** @returns how many characters a text may have; infinity if the steps grow no faster than the length */
export function maxLengthOf(expression: RegExp): number {
  const states = automatonOf(expression.source);
  const degree = states && degreeOf(states, expression.flags);
  if (degree === undefined) return shortLength;
  return degree < 2 ? Number.POSITIVE_INFINITY : Math.max(shortLength, maxLengthFor(degree));
}

/** A state without an atom takes no character. */
interface State {
  readonly atom?: string;
  readonly isStartOfText?: boolean;
  readonly next: State[];
}

/** A part of an expression. It makes the states that come before others. */
interface Part {
  readonly isNullable: boolean;
  before(next: State): State;
}

/** The expression is more than an automaton, or so ambiguous that counting is not worth it. */
class DangerousError extends Error {}

const token =
  /\[(?:\\.|[^\]\\])*\]?|\(\?(?::|<[^=!>][^>]*>)?|\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[\da-f]{4}|x[\da-f]{2}|c[a-z]|.)|[*+?]\??|\{\d+(?:,\d*)?\}\??|./gisu;

/** @returns the first state; undefined if the expression is not an automaton */
function automatonOf(source: string): State | undefined {
  const tokens = source.match(token) ?? [];
  try {
    return alternatives(tokens.reverse()).before({ next: [] });
  } catch (error) {
    if (error instanceof DangerousError) return undefined;
    throw error;
  }
}

/** @param rest the tokens that are left, the next one at the end */
function alternatives(rest: string[]): Part {
  const branches = [sequence(rest)];
  while (rest.at(-1) === '|') {
    rest.pop();
    branches.push(sequence(rest));
  }
  return {
    isNullable: branches.some(({ isNullable }) => isNullable),
    before: (next) => ({ next: branches.map((branch) => branch.before(next)) }),
  };
}

function sequence(rest: string[]): Part {
  const parts: Part[] = [];
  for (let first = rest.at(-1); first !== undefined && first !== '|' && first !== ')'; first = rest.at(-1))
    parts.push(repeated(single(rest), rest));
  return joined(parts);
}

function joined(parts: readonly Part[]): Part {
  return {
    isNullable: parts.every(({ isNullable }) => isNullable),
    before: (next) => parts.reduceRight((after, part) => part.before(after), next),
  };
}

function single(rest: string[]): Part {
  const first = rest.pop() ?? '';
  if (first === '(' || first.startsWith('(?')) {
    // What is left of a lookaround or of a modifier stands behind the question mark.
    if (first === '(?') throw new DangerousError();
    const group = alternatives(rest);
    rest.pop();
    return group;
  }
  if (/^\\[1-9k]/.test(first)) throw new DangerousError();
  if (first === '^') return { isNullable: true, before: (next) => ({ isStartOfText: true, next: [next] }) };
  if (['$', '\\b', '\\B'].includes(first)) return joined([]);
  return { isNullable: false, before: (next) => ({ atom: first, next: [next] }) };
}

function repeated(part: Part, rest: string[]): Part {
  const [min, max] = countsOf(rest.at(-1) ?? '');
  if (min === 1 && max === 1) {
    if (/^\{1(?:,1)?\}/.test(rest.at(-1) ?? '')) rest.pop();
    return part;
  }
  rest.pop();
  // Each round could take nothing, in as many ways as there are rounds.
  if (part.isNullable && max > 1) throw new DangerousError();
  const optional: Part = { isNullable: true, before: (next) => ({ next: [part.before(next), next] }) };
  if (max <= maxCopies)
    return joined(Array.from({ length: max }, (_, index) => (index < min ? part : optional)));
  const loop: Part = {
    isNullable: true,
    before(next) {
      const again: State = { next: [] };
      again.next.push(part.before(again), next);
      return again;
    },
  };
  return min === 0 ? loop : joined([part, loop]);
}

function countsOf(quantifier: string): readonly [min: number, max: number] {
  const [, sign, min = '', upTo] = /^(?:([*+?])|\{(\d+)(,\d*)?\})\??$/.exec(quantifier) ?? [];
  if (sign !== undefined) return [sign === '+' ? 1 : 0, sign === '?' ? 1 : Number.POSITIVE_INFINITY];
  if (min === '') return [1, 1];
  if (upTo === undefined) return [Number(min), Number(min)];
  return [Number(min), upTo === ',' ? Number.POSITIVE_INFINITY : Number(upTo.slice(1))];
}

/**
 * @returns the power of a text's length with which the steps grow at most; undefined if they grow faster
 */
function degreeOf(first: State, flags: string): number | undefined {
  const nextOf = new Map<State, readonly State[]>();
  const after = (state: State): readonly State[] => {
    const known = nextOf.get(state) ?? state.next.flatMap((next) => takersFrom(next, false));
    nextOf.set(state, known);
    return known;
  };
  // An expression is looked for at each place of the text, so any text may stand in front of it.
  const anywhere = takersFrom(first, false);
  const front: State = { atom: '[^]', next: [] };
  const starts = takersFrom(first, true);
  if (anywhere.length > 0) {
    nextOf.set(front, [front, ...anywhere]);
    starts.push(front);
  }
  const loops = cyclesOf(starts, after);
  if (loops !== undefined && [...loops.keys()].every((state) => state === front)) return 1;
  const share = sharing(flags);
  const pairs = new Pairs();
  const pairsOf = (left: readonly State[], right: readonly State[]): Pair[] =>
    left.flatMap((a) => right.filter((b) => share(a, b)).map((b) => pairs.of(a, b)));
  const cycles = cyclesOf(pairsOf(starts, starts), ([a, b]) => pairsOf(after(a), after(b)));
  if (cycles === undefined || loops === undefined) return undefined;

  for (const [state, loop] of loops) {
    const inside = after(state).filter((next) => loops.get(next) === loop);
    if (new Set(inside).size < inside.length) return undefined;
  }
  const meeting = new Set(Array.from(cycles, ([[a, b], cycle]) => (a === b ? cycle : undefined)));
  const behind = new Map<number, Set<number>>();
  for (const [[a, b], cycle] of cycles) {
    if (a === b) continue;
    if (meeting.has(cycle)) return undefined;
    for (const [from, to] of [[a, b] as const, [b, a] as const]) {
      const [before, last] = [loops.get(from), loops.get(to)];
      if (before === undefined || last === undefined || before === last || !leadsTo(from, to, after))
        continue;
      behind.set(before, (behind.get(before) ?? new Set()).add(last));
    }
  }
  const loopsFrom = (loop: number): number =>
    1 + Math.max(0, ...[...(behind.get(loop) ?? [])].map(loopsFrom));
  return Math.max(1, ...[...behind.keys()].map(loopsFrom));
}

/** The states that take the next character. One to which two ways lead is there twice. */
function takersFrom(state: State, isAtStart: boolean): State[] {
  const visits = new Map<State, number>();
  const found: State[] = [];
  const visit = (one: State): void => {
    const count = visits.get(one) ?? 0;
    if (count === 2 || (one.isStartOfText && !isAtStart)) return;
    visits.set(one, count + 1);
    if (one.atom === undefined) one.next.forEach(visit);
    else found.push(one);
  };
  visit(state);
  return found;
}

type Pair = readonly [State, State];

/** Makes one object for two states, in whichever order they come. */
class Pairs {
  readonly #known = new Map<State, Map<State, Pair>>();

  of(a: State, b: State): Pair {
    const other = this.#known.get(b)?.get(a);
    if (other !== undefined) return other;
    const ofFirst = this.#known.get(a) ?? new Map<State, Pair>();
    const pair = ofFirst.get(b) ?? ([a, b] as const);
    this.#known.set(a, ofFirst.set(b, pair));
    return pair;
  }
}

/** Every character that most classes know: the basic plane without surrogates, and the first one beyond it. */
let characters = '';

function allCharacters(): string {
  if (characters === '') {
    const codes = Array.from({ length: 0x2_0000 }, (_, code) => code);
    characters = codes
      .filter((code) => code < 0xd800 || code > 0xdfff)
      .map((code) => String.fromCodePoint(code))
      .join('');
  }
  return characters;
}

/** An atom that takes no other character, such as `a` or `\.`. */
const oneCharacter = /^(?:\\[^\w\s]|[^\\.[])$/u;

/** @returns a function that says whether two states can take the same character */
function sharing(flags: string): (a: State, b: State) => boolean {
  const known = new Map<string, boolean>();
  return ({ atom: a = '' }, { atom: b = '' }) => {
    if (a === b) return true;
    const key = JSON.stringify(a < b ? [a, b] : [b, a]);
    const [one, other] = oneCharacter.test(a) ? [a, b] : [b, a];
    const texts = () => (oneCharacter.test(one) ? one.slice(one.startsWith('\\') ? 1 : 0) : allCharacters());
    const answer = known.get(key) ?? new RegExp(`(?=${one})(?:${other})`, flags).test(texts());
    known.set(key, answer);
    return answer;
  };
}

/**
 * @returns the nodes that can be reached again from themselves, each with the number of its cycles: nodes with one
 *   number lead to each other. Undefined if there are too many nodes
 */
function cyclesOf<Item>(
  starts: readonly Item[],
  after: (node: Item) => readonly Item[],
): ReadonlyMap<Item, number> | undefined {
  // Kosaraju: those from which a node can be reached are looked for in the reverse order of their ends.
  const before = new Map<Item, Item[]>(starts.map((start) => [start, []]));
  const ended: Item[] = [];
  const open = [...before.keys()].map((node) => ({ node, waiting: undefined as Item[] | undefined }));
  const begun = new Set<Item>();
  for (let last = open.at(-1); last !== undefined; last = open.at(-1)) {
    if (last.waiting === undefined) {
      if (begun.has(last.node)) {
        open.pop();
        continue;
      }
      begun.add(last.node);
      if (begun.size > maxPairs) return undefined;
      last.waiting = [...after(last.node)];
      for (const next of last.waiting) {
        const known = before.get(next);
        if (known === undefined) before.set(next, [last.node]);
        else known.push(last.node);
      }
    }
    const next = last.waiting.pop();
    if (next === undefined) ended.push(last.node);
    if (next === undefined) open.pop();
    else if (!begun.has(next)) open.push({ node: next, waiting: undefined });
  }
  const cycles = new Map<Item, number>();
  const taken = new Set<Item>();
  for (const end of ended.reverse()) {
    if (taken.has(end)) continue;
    const members = [end];
    taken.add(end);
    // The list grows while it is walked.
    for (const member of members)
      for (const one of before.get(member) ?? []) {
        if (taken.has(one)) continue;
        taken.add(one);
        members.push(one);
      }
    const isCycle = members.length > 1 || before.get(end)?.includes(end) === true;
    if (isCycle) for (const member of members) cycles.set(member, taken.size);
  }
  return cycles;
}

/** Whether one state can be reached from another. */
function leadsTo(from: State, to: State, after: (state: State) => readonly State[]): boolean {
  const found = new Set([from]);
  // The set grows while it is walked.
  for (const state of found) for (const next of after(state)) found.add(next);
  return found.has(to);
}
