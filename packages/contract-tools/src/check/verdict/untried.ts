/**
 * Says what a run has not tried of an operation that it called, and why. A report that says nothing of a
 * thing means that the thing was tried.
 */

import type { Node } from '../../document/node.js';
import type { Operation } from '../../document/operations.js';
import { isSafe } from '../../document/operations.js';
import { successesOf } from '../../document/statuses.js';
import { misshapenOf, operationsOf, parentNamesOf } from '../../resources/shape.js';
import { maxMade, typesOf } from '../../values/bounds.js';
import { hasUnknownFormat } from '../../values/formats.js';
import { branchesOf } from '../../values/layers.js';
import { patternOf } from '../../values/patterns.js';
import { deepest, sitesOf } from '../../values/sites.js';
import type { Description } from '../document/description.js';
import type { ProbeRun } from '../probes/probe-run.js';
import type { ResourceClient } from '../resources/client.js';
import { neverTriedOf } from './never-tried.js';

/** @returns sentences for the end of the report */
export function untriedOf(run: ProbeRun): string[] {
  const { description, meaning, recorder } = run;
  const { operations, rules } = description;
  const known = new Set(
    meaning.collections.flatMap(({ client: { resource } }) => operationsOf(resource).map(({ id }) => id)),
  );
  const outside = operations.filter(({ id }) => !known.has(id));
  // probes/actions.ts tries those, and says of which it knows something.
  const isBelowItem = (path: string): boolean =>
    meaning.collections.some(({ client }) => path.startsWith(`${client.resource.itemPath}/`));
  const unsafe = operations.filter((operation) => !isSafe(operation));
  const hasSucceeded = (operation: Operation): boolean =>
    successesOf(operation).some((status) => recorder.answersOf(operation.id).statuses.has(status));
  return [
    ...said(
      'Isolation was not tried, because no collection was recognised around them',
      rules.on.has('isolation')
        ? outside
            .filter(({ secured, anonymous, path }) => secured && !anonymous && !isBelowItem(path))
            .filter(({ id }) => !recorder.hasTried(id, 'isolation'))
        : [],
    ),
    ...said(
      'Not tried without a token, because nobody could remove what they change',
      unsafe.filter(({ secured, anonymous }) => secured && anonymous),
    ),
    ...said(
      'They succeeded, and nothing says how to undo what they did',
      unsafe.filter((operation) => outside.includes(operation) && hasSucceeded(operation)),
    ),
    ...outsideCollections(description),
    ...meaning.collections.flatMap(({ client }) => idsNotTried(client)),
    ...operations.flatMap(partsNotTried),
    ...operations.flatMap(answersNotJudged),
    ...neverTriedOf(run),
  ];
}

function said(what: string, operations: readonly Operation[]): string[] {
  const names = new Set(operations.map(({ id, method }) => `${id} (${method})`));
  return names.size === 0 ? [] : [`${what}: ${[...names].join(', ')}.`];
}

/** A note begins with this if it names paths whose items nobody knows how to make. */
export const notTaken = 'Not taken for a collection';

/** Names the paths whose operations were tried one by one, but not for what they mean together. */
function outsideCollections(description: Description): string[] {
  const paths = new Map<string, string[]>();
  for (const { path, why } of misshapenOf(description)) paths.set(why, [...(paths.get(why) ?? []), path]);
  return Array.from(paths, ([why, those]) => `${notTaken}, because ${why}: ${those.join(', ')}.`);
}

function idsNotTried({ exactStore, resource }: ResourceClient): string[] {
  // A create that is repeated shows whose an item is.
  if (exactStore !== undefined) return [];
  const { create, id, replace, modify, remove } = resource;
  const choosesIds = id.in === 'request' || id.in === 'path' || parentNamesOf(resource).length > 0;
  const changing = new Set(
    [replace, modify, remove, ...(choosesIds ? [create] : [])].flatMap((operation) => operation?.id ?? []),
  );
  if (changing.size === 0) return [];
  return [
    `Ids of ${resource.collectionPath} that may be somebody else's were not tried with ${[...changing].join(', ')}.`,
  ];
}

/** Names the parts of a request whose bounds no case tries. */
function partsNotTried({ id, parameters, body }: Operation): string[] {
  const parts = [
    ...parameters.map(({ name, schema }) => ({ name, schema })),
    ...(body === undefined ? [] : [{ name: 'body', schema: body.schema }]),
  ];
  const untried = parts.flatMap(({ name, schema }) =>
    sitesOf([schema]).flatMap(({ pointer, layers }) => {
      const why = whyUntried(layers, pointer);
      return why === undefined ? [] : [`${name}${pointer} (${why})`];
    }),
  );
  return untried.length === 0
    ? []
    : [`${id}: only a few values were tried of ${[...new Set(untried)].join(', ')}.`];
}

/** Names the patterns of answers for which a text was too long. */
function answersNotJudged({ id, responses }: Operation): string[] {
  const schemas = new Set([...responses.values()].flatMap(({ content }) => [...content.values()]));
  const slow = [...schemas]
    .flatMap((schema) => (schema === undefined ? [] : sitesOf([schema])))
    .flatMap(({ layers }) => skippedBy(layers) ?? []);
  return [...new Set(slow)].map((pattern) => `${id}: its answers are compared with ${pattern}.`);
}

/** Names a pattern for which a text was too long, because it could take hours (../../values/patterns.ts). */
function skippedBy(layers: readonly Node[]): string | undefined {
  const patterns = layers.flatMap((layer) => {
    const node = layer.at('pattern');
    const pattern = typeof node?.value === 'string' ? patternOf(node.value) : undefined;
    return pattern?.hasSkipped
      ? [`the pattern at ${node?.place} only up to ${pattern.maxLength} characters`]
      : [];
  });
  return patterns[0];
}

/** From these bounds on, no value is made that is greater than the bound. */
const maxBounds = [
  ['maxLength', maxMade.characters],
  ['maxItems', maxMade.items],
  ['maxProperties', maxMade.items],
] as const;

function whyUntried(layers: readonly Node[], pointer: string): string | undefined {
  const skipped = skippedBy(layers);
  if (skipped !== undefined) return `texts are compared with ${skipped}`;
  const has = (keyword: string): boolean => layers.some((layer) => layer.at(keyword) !== undefined);
  const [format] = layers.flatMap((layer) => layer.text('format') ?? []);
  if (typesOf(layers).includes('string') && hasUnknownFormat(layers)) {
    return `the format ${format} is unknown`;
  }
  for (const [keyword, max] of maxBounds) {
    const bound = layers.map((layer) => layer.number(keyword)).find((one) => one !== undefined && one >= max);
    if (bound !== undefined) return `more than ${keyword} ${bound} is never sent`;
  }
  // A list of minItems is in the plainest request, whatever its length.
  const most = layers
    .map((layer) => layer.number('maxItems'))
    .find((one) => Number(one) > maxMade.itemsAtBound);
  if (most !== undefined) return `no list of maxItems ${most} is sent`;
  if (layers.some((layer) => branchesOf(layer).length > 0)) return 'it has one of several schemas';
  if (layers.some((layer) => typeof layer.at('additionalProperties')?.value === 'object'))
    return 'it has members of any name';
  const isCut = pointer.split('/').length > deepest && (has('properties') || has('items'));
  return isCut ? 'it is too deep' : undefined;
}
