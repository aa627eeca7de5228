import type { Problem } from './contract-linters.js';

/** Rules that report the same fault. The first rule of a row has the best message. */
const sameFault: readonly (readonly string[])[] = [
  ['redocly/struct', 'spectral/oas3-schema'],
  ['redocly/no-unresolved-refs', 'spectral/invalid-ref'],
  ['redocly/no-path-trailing-slash', 'spectral/path-keys-no-trailing-slash'],
  [
    'redocly/no-invalid-media-type-examples',
    'redocly/no-invalid-parameter-examples',
    'spectral/oas3-valid-media-example',
  ],
  ['redocly/no-invalid-schema-examples', 'spectral/oas3-valid-schema-example'],
  [
    'redocly/security-defined',
    'redocly/rule/bearer-token',
    'spectral/oas3-operation-security-defined',
    'spectral/owasp:api2:2023-write-restricted',
    'spectral/owasp:api2:2023-read-restricted',
  ],
];

const rankOf = new Map(
  sameFault.flatMap((rules) => rules.map((rule, rank) => [rule, { rules, rank }] as const)),
);

/** How good the rule's message is, among the rules that report the same fault: 0 is best. */
export function rankOfRule(rule: string): number {
  return rankOf.get(rule)?.rank ?? 0;
}

/**
 * One problem for each fault. Drops Spectral's repeated reports of a schema (one for each reference, without
 * a place). If several rules report the same fault of a line, keeps the best message.
 */
export function onePerFault(problems: readonly Problem[]): Problem[] {
  const placed = problems.filter(hasPlace);
  const unplaced = problems.filter(
    (problem) => !hasPlace(problem) && !placed.some((other) => saysSame(other, problem)),
  );
  return [...unplaced, ...placed].filter((problem, index, all) =>
    all.every((other, at) => at === index || !isToldBy(problem, other, at < index)),
  );
}

/** Linters report a problem without a place at the beginning of the document. */
function hasPlace({ line, column }: Problem): boolean {
  return line > 1 || column > 1;
}

function saysSame(one: Problem, other: Problem): boolean {
  return one.rule === other.rule && one.message === other.message;
}

function isToldBy(problem: Problem, other: Problem, isBefore: boolean): boolean {
  if (problem.line !== other.line) return false;
  if (problem.rule === other.rule && problem.column === other.column) {
    // "… is missing x." and "… is missing x.y.": the second follows from the first.
    const [own, others] = [problem, other].map(({ message }) => message.replace(/\.$/, ''));
    return own === others ? isBefore : String(own).startsWith(String(others));
  }
  const [own, others] = [rankOf.get(problem.rule), rankOf.get(other.rule)];
  return own !== undefined && own.rules === others?.rules && others.rank < own.rank;
}
