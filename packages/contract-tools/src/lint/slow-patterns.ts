/**
 * Judges the patterns of a document before anything asks them. A pattern whose time explodes would hold the service,
 * and before that the linters and codegen, which compare the examples with it.
 */
import { ContractError } from '../../../exact-json/index.js';
import { isReference, walk } from '../document/grammar.js';
import type { Node } from '../document/node.js';
import { type Growth, growthOf } from './growth.js';
import { type Problem, problemAt } from './problem.js';

const rule = 'slow-pattern';

interface WrittenPattern {
  readonly text: string;
  readonly place: string;
  readonly maxLength: number;
  /** How its author can bound the texts, such as `"maxLength" beside it`. */
  readonly bound: string;
}

/**
 * @param root the top of a document, which need not be valid
 * @returns an error for each pattern that a text can hold up, and a note for each of which nothing is known
 */
export async function slowPatterns(root: Node): Promise<Problem[]> {
  const growths = new Map<string, Growth>();
  const problems: Problem[] = [];
  for (const pattern of patternsOf(root)) {
    const growth = growths.get(pattern.text) ?? (await growthOf(pattern.text, 'u'));
    growths.set(pattern.text, growth);
    problems.push(...problemsOf(pattern, growth));
  }
  return problems;
}

/** @throws {ContractError} with a sentence for each pattern that a text can hold up */
export async function refuseSlowPatterns(root: Node): Promise<void> {
  const errors = (await slowPatterns(root)).filter(({ severity }) => severity === 'error');
  if (errors.length > 0)
    throw new ContractError(
      errors.map(({ file, line, column, message }) => `${file}:${line}:${column}: ${message}`),
    );
}

function* patternsOf(root: Node): Generator<WrittenPattern> {
  for (const { kind, path, value } of walk(root.value)) {
    const schema = kind !== 'schema' || isReference(value) ? undefined : root.at(...path);
    if (schema === undefined) continue;
    const pattern = schema.at('pattern');
    if (typeof pattern?.value === 'string')
      yield {
        text: pattern.value,
        place: pattern.place,
        maxLength: Number(schema.number('maxLength') ?? Number.POSITIVE_INFINITY),
        bound: '"maxLength" beside it',
      };
    for (const [text, { place }] of schema.at('patternProperties')?.members() ?? [])
      yield {
        text,
        place,
        maxLength: Number(schema.at('propertyNames')?.number('maxLength') ?? Number.POSITIVE_INFINITY),
        bound: '"propertyNames" with "maxLength" beside "patternProperties"',
      };
  }
}

function problemsOf({ place, maxLength, bound }: WrittenPattern, growth: Growth): Problem[] {
  switch (growth.kind) {
    case 'linear':
      return [];
    case 'unknown':
      return [
        {
          ...problemAt(place, rule, `Nobody knows how long a text can take this pattern: ${growth.why}.`),
          severity: 'info',
        },
      ];
    case 'exponential':
      return [
        problemAt(
          place,
          rule,
          `Each further character can double the time that a text takes this pattern, as with ${growth.example}: write it so that no two ways through it match the same text, such as "^[a-z]+$" instead of "^([a-z]+)+$".`,
        ),
      ];
    case 'polynomial':
      if (maxLength <= growth.maxLength) return [];
      return [
        problemAt(
          place,
          rule,
          `The time that a text takes this pattern grows with the length to the power of ${growth.degree}: write ${bound} of at most ${growth.maxLength}, or the pattern so that no two repetitions match the same characters.`,
        ),
      ];
  }
}
