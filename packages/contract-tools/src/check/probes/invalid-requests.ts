/**
 * Sends requests with one mistake: each breaks one keyword of a schema, in the body or in a parameter. The
 * rest of the request is valid, so an answer of success shows which keyword the server does not check.
 */

import type { Operation, Parameter, RequestBody } from '../../document/operations.js';
import { violationsOf } from '../../values/schema.js';
import { plainValue } from '../../values/valid-values.js';
import { absencesAt, refused } from '../answers/expectations.js';
import { focusOn, parameterOf, withoutParameter, withParameter } from '../requests/plain-request.js';
import type { RequestValues } from '../requests/request-values.js';
import { carries } from '../requests/write-body.js';
import { isCondition } from '../resources/conditions.js';
import { brokenTexts } from '../values/broken-parameter-texts.js';
import { breakSites } from '../values/broken-values.js';
import { canCarry, plainText } from '../values/carried-texts.js';
import type { Text } from '../values/parameter-text.js';
import type { RowTrial } from './trial.js';
import { tryVariants, type Variant } from './variants.js';

export async function probeInvalidRequests(trial: RowTrial): Promise<void> {
  await tryVariants(trial, (operation) => [
    ...operation.parameters.flatMap((parameter) => parameterCases(operation, parameter)),
    ...(operation.body ? bodyCases(operation, operation.body) : []),
  ]);
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
    others: place === 'path' ? absencesAt(operation) : [],
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
    values: (values) => {
      const broken = apply(values.body ?? null);
      // It may fit again by chance, or be what no request can say.
      const isWrong = violationsOf(schema, broken).length > 0 && carries(body, broken);
      return isWrong ? { ...values, body: broken } : undefined;
    },
  }));
}
