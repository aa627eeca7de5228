/**
 * Sends requests with one mistake: each breaks one keyword of a schema, in the body or in a parameter. The
 * rest of the request is valid, so an answer of success shows which keyword the server does not check.
 */

import fc from 'fast-check';
import type { Path } from '../../../../exact-json/index.js';
import type { Operation, Parameter, RequestBody } from '../../document/operations.js';
import type { RuleName } from '../../document/rule-table.js';
import type { Value } from '../../values/json.js';
import { violationsOf } from '../../values/schema.js';
import { sitesOf, withPart } from '../../values/sites.js';
import { plainValue } from '../../values/valid-values.js';
import { attempt } from '../answers/attempt.js';
import { refused } from '../answers/expectations.js';
import { tryGenerated } from '../answers/generate.js';
import { forEach } from '../requests/at-once.js';
import { focusOn, parameterOf, withoutParameter, withParameter } from '../requests/plain-request.js';
import { requestFor } from '../requests/request.js';
import type { Focus, RequestValues } from '../requests/request-values.js';
import { brokenTexts } from '../values/broken-parameter-texts.js';
import { breakSites } from '../values/broken-values.js';
import { canCarry, plainText } from '../values/carried-texts.js';
import { type ProbeRun, preparePlain } from './probe-run.js';

interface InvalidCase {
  readonly title: string;
  /** The case in a few words, for the finding, with what the request has. */
  why(values: RequestValues): string;
  readonly focus: Focus;
  /** The mistake, in words that continue "a request that". */
  readonly request: string;
  readonly path: Path;
  /** The rule beyond OpenAPI and HTTP that it breaks, if it is one. */
  readonly by?: RuleName | undefined;
  change(values: RequestValues): RequestValues;
}

export async function probeInvalidRequests(run: ProbeRun): Promise<void> {
  const cases = run.operations.flatMap((operation) =>
    [...operation.parameters.flatMap(parameterCases), ...(operation.body ? bodyCases(operation.body) : [])]
      .filter(({ by }) => by === undefined || run.description.rules.on.has(by))
      .map((tried) => ({ operation, tried })),
  );
  await forEach(run, cases, async ({ operation, tried }) => {
    await tryInvalid(run, operation, tried);
  });
  for (const operation of run.operations) {
    const { body } = operation;
    if (body === undefined) continue;
    await tryGenerated(run, run.cases, anyDamage(body), (damage) =>
      tryInvalid(run, operation, damagedCase(body, damage)),
    );
  }
}

async function tryInvalid(run: ProbeRun, operation: Operation, tried: InvalidCase): Promise<boolean> {
  const prepared = await preparePlain(run, operation, 'refused', tried.focus);
  if (prepared === undefined) return true;
  const values = tried.change(prepared.values);
  // A damaged value may fit again by chance.
  if (values.body !== undefined && operation.body && tried.focus.part === 'body') {
    if (violationsOf(operation.body.schema, values.body).length === 0) return true;
  }
  return attempt(run, {
    operation,
    title: tried.title,
    description: tried.why(prepared.values),
    request: requestFor(operation, values, run.accounts.first),
    expectation: refused(operation, 'values', tried.request, tried.path),
    by: tried.by,
    prepared,
  });
}

function parameterCases(parameter: Parameter): InvalidCase[] {
  const { name, schema, in: place } = parameter;
  const usual = plainText(parameter);
  const broken = brokenTexts(schema, usual)
    .filter(({ from }) => canCarry(parameter, from(usual)))
    .map(({ from, why, by }) => ({
      by,
      title: `refuses a broken ${name} in the ${place}`,
      why: (values: RequestValues) =>
        `${name} in the ${place}: ${why(parameterOf(values, parameter) ?? usual)}`,
      focus: focusOn(parameter),
      request: `has a broken ${name} in the ${place}`,
      path: schema.path,
      change: (values: RequestValues) =>
        withParameter(values, parameter, from(parameterOf(values, parameter) ?? usual)),
    }));
  return [
    ...broken,
    ...absenceCases(parameter),
    ...broken.slice(0, 1).flatMap((one) => otherLetters(parameter, one)),
  ];
}

function absenceCases(parameter: Parameter): InvalidCase[] {
  const { name, schema, in: place, required } = parameter;
  // Without one of its parameters, it is another path.
  if (!required || place === 'path') return [];
  return [
    {
      title: `refuses a request without ${name} in the ${place}`,
      why: () => `no ${name} in the ${place}`,
      focus: focusOn(parameter),
      request: `lacks the ${name} in the ${place}, which is required`,
      path: schema.path,
      change: (values) => withoutParameter(values, parameter),
    },
  ];
}

/** RFC 9110, section 5.1: header names are case-insensitive, so another spelling is as broken. */
function otherLetters(parameter: Parameter, broken: InvalidCase): InvalidCase[] {
  const { name } = parameter;
  if (parameter.in !== 'header') return [];
  const other = name === name.toLowerCase() ? name.toUpperCase() : name.toLowerCase();
  return [
    {
      ...broken,
      why: (values) => `${broken.why(values)}, its name in other letters`,
      change: (values) => {
        const changed = broken.change(values);
        const text = parameterOf(changed, parameter) ?? '';
        return withParameter(withoutParameter(changed, parameter), { ...parameter, name: other }, text);
      },
    },
  ];
}

function bodyCases({ schema }: RequestBody): InvalidCase[] {
  return breakSites(schema, plainValue([schema])).map(({ pointer, keyword, path, why, apply, by }) => ({
    by,
    title: `refuses a body whose ${pointer === '' ? 'whole' : pointer.slice(1)} breaks "${keyword}"`,
    why: ({ body }) => why(body ?? null),
    focus: { part: 'body', where: pointer },
    request: `breaks "${keyword}" at body${pointer}`,
    path,
    change: (values) => ({ ...values, body: apply(values.body ?? null) }),
  }));
}

interface Damage {
  readonly pointer: string;
  readonly part: Value;
}

/** Replaces some part of the body by other JSON. */
function anyDamage({ schema }: RequestBody): fc.Arbitrary<Damage> {
  const { value } = fc.letrec<{ value: Value }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      fc.constantFrom<Value>(null, true, false),
      fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }),
      fc.string({ unit: 'grapheme', maxLength: 400 }),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.string({ maxLength: 5 }), tie('value'), { maxKeys: 3 }),
    ),
  }));
  return fc.record({
    pointer: fc.constantFrom(...sitesOf([schema]).map(({ pointer }) => pointer)),
    part: value,
  });
}

function damagedCase({ schema }: RequestBody, { pointer, part }: Damage): InvalidCase {
  const [violation] = violationsOf(schema, withPart(plainValue([schema]), pointer, part));
  return {
    title: 'refuses any body that does not fit',
    why: () => `body${pointer} is something else`,
    focus: { part: 'body', where: pointer },
    request: `breaks "${violation?.keyword}" at body${violation?.pointer}`,
    path: violation?.path ?? schema.path,
    change: (values) => ({ ...values, body: withPart(values.body ?? null, pointer, part) }),
  };
}
