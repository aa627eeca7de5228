/**
 * Sends requests with one mistake: each breaks one keyword of a schema, in the body or in a parameter. The
 * rest of the request is valid, so an answer of success shows which keyword the server does not check.
 */

import fc from 'fast-check';
import type { Operation, Parameter, RequestBody } from '../../document/operations.js';
import type { Value } from '../../values/json.js';
import { violationsOf } from '../../values/schema.js';
import { sitesOf, withPart } from '../../values/sites.js';
import { plainValue } from '../../values/valid-values.js';
import { refused } from '../answers/expectations.js';
import { tryGenerated } from '../answers/generate.js';
import { focusOn, parameterOf, withoutParameter, withParameter } from '../requests/plain-request.js';
import type { RequestValues } from '../requests/request-values.js';
import { isCondition } from '../resources/conditions.js';
import { brokenTexts } from '../values/broken-parameter-texts.js';
import { breakSites } from '../values/broken-values.js';
import { canCarry, plainText } from '../values/carried-texts.js';
import type { Text } from '../values/parameter-text.js';
import type { RowTrial } from './trial.js';
import { tryVariant, tryVariants, type Variant } from './variants.js';

export async function probeInvalidRequests(trial: RowTrial): Promise<void> {
  const { run } = trial;
  await tryVariants(trial, (operation) => [
    ...operation.parameters.flatMap((parameter) => parameterCases(operation, parameter)),
    ...(operation.body ? bodyCases(operation, operation.body) : []),
  ]);
  for (const operation of run.operations) {
    const { body } = operation;
    if (body === undefined) continue;
    await tryGenerated(run, run.cases, anyDamage(body), (damage) =>
      tryVariant(trial, damagedCase(operation, body, damage)),
    );
  }
}

function parameterCases(operation: Operation, parameter: Parameter): Variant[] {
  const { name, schema, in: place } = parameter;
  const usual = plainText(parameter);
  const textIn = (values: RequestValues): Text => parameterOf(values, parameter) ?? usual;
  const broken = brokenTexts(schema, usual).filter(({ from }) => canCarry(parameter, from(usual)));
  const common = {
    operation,
    title: `refuses a broken ${name} in the ${place}`,
    focus: focusOn(parameter),
    expectation: refused(operation, 'values', `has a broken ${name} in the ${place}`, schema.path),
  };
  // RFC 9110, section 5.1: header names are case-insensitive, so another spelling is as broken.
  const [first] = place === 'header' ? broken : [];
  const respelt = { ...parameter, name: inOtherLetters(name) };
  return [
    ...broken.map(({ from, why, by }) => ({
      ...common,
      by,
      description: (values: RequestValues) => `${name} in the ${place}: ${why(textIn(values))}`,
      values: (values: RequestValues) => withParameter(values, parameter, from(textIn(values))),
    })),
    ...absenceCases(operation, parameter),
    ...(first === undefined
      ? []
      : [
          {
            ...common,
            by: first.by,
            description: (values: RequestValues) =>
              `${name} in the ${place}: ${first.why(textIn(values))}, its name in other letters`,
            values: (values: RequestValues) =>
              withParameter(withoutParameter(values, parameter), respelt, first.from(textIn(values))),
          },
        ]),
  ];
}

function inOtherLetters(name: string): string {
  return name === name.toLowerCase() ? name.toUpperCase() : name.toLowerCase();
}

function absenceCases(operation: Operation, parameter: Parameter): Variant[] {
  const { name, schema, in: place, required } = parameter;
  // Without one of its parameters, it is another path.
  if (!required || place === 'path') return [];
  const request = `lacks the ${name} in the ${place}, which is required`;
  const refusal = place === 'header' && isCondition(name.toLowerCase()) ? 'condition' : 'values';
  return [
    {
      operation,
      title: `refuses a request without ${name} in the ${place}`,
      description: `no ${name} in the ${place}`,
      focus: focusOn(parameter),
      expectation: refused(operation, refusal, request, schema.path),
      values: (values) => withoutParameter(values, parameter),
    },
  ];
}

function bodyCases(operation: Operation, body: RequestBody): Variant[] {
  const { schema } = body;
  return breakSites(schema, plainValue([schema])).map(({ pointer, keyword, path, why, apply, by }) => ({
    operation,
    by,
    title: `refuses a body whose ${pointer === '' ? 'whole' : pointer.slice(1)} breaks "${keyword}"`,
    description: ({ body: plain }) => why(plain ?? null),
    focus: { part: 'body', where: pointer },
    expectation: refused(operation, 'values', `breaks "${keyword}" at body${pointer}`, path),
    values: (values) => withDamaged(body, values, apply(values.body ?? null)),
  }));
}

/** @returns undefined if the damaged body fits again by chance */
function withDamaged({ schema }: RequestBody, values: RequestValues, body: Value): RequestValues | undefined {
  return violationsOf(schema, body).length === 0 ? undefined : { ...values, body };
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

function damagedCase(operation: Operation, body: RequestBody, { pointer, part }: Damage): Variant {
  const { schema } = body;
  const [violation] = violationsOf(schema, withPart(plainValue([schema]), pointer, part));
  const request = `breaks "${violation?.keyword}" at body${violation?.pointer}`;
  return {
    operation,
    description: `body${pointer} is something else`,
    focus: { part: 'body', where: pointer },
    expectation: refused(operation, 'values', request, violation?.path ?? schema.path),
    values: (values) => withDamaged(body, values, withPart(values.body ?? null, pointer, part)),
  };
}
