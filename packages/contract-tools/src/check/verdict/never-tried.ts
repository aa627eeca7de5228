/**
 * Names what a run has seen and not compared: a list without an item says nothing about items, a length that
 * nobody compared may be any number, and a `readOnly` member that no request had may be taken from anybody.
 */
import type { Operation } from '../../document/operations.js';
import { successesOf } from '../../document/statuses.js';
import { isLength, isLengthHeader } from '../../resources/lengths.js';
import { answerLayers, listOf, shownLayers } from '../../resources/shape.js';
import { typeOf } from '../../values/bounds.js';
import { layersOf } from '../../values/layers.js';
import { type Member, membersOf } from '../../values/sites.js';
import type { ProbeRun } from '../probes/probe-run.js';

/** @returns sentences for the end of the report */
export function neverTriedOf(run: ProbeRun): string[] {
  const { description, recorder } = run;
  const seen = description.operations.filter(({ id }) => recorder.answersOf(id).fulfilled);
  return [
    ...said(
      'Only ever seen without an item, so nothing was proved of what they list',
      seen.filter((operation) => isList(operation) && !recorder.hasTried(operation.id, 'an item')),
      ({ id }) => id,
    ),
    ...said(
      'Nobody compared these lengths with what the list has',
      seen.flatMap((operation) => lengthsOf(run, operation)),
      (length) => length,
    ),
    ...said(
      'No request had these readOnly members, which a client must not decide',
      seen.flatMap((operation) => readOnlyOf(run, operation)),
      (member) => member,
    ),
  ];
}

function said<Item>(what: string, items: readonly Item[], nameOf: (item: Item) => string): string[] {
  const names = new Set(items.map(nameOf));
  return names.size === 0 ? [] : [`${what}: ${[...names].join(', ')}.`];
}

/** Whether an operation shows a list: an array, or an object with one array of objects. */
function isList(operation: Operation): boolean {
  if (operation.method !== 'GET') return false;
  const list = listOf(operation);
  return list !== undefined && (list.member === undefined || membersOf(list.items).length > 0);
}

function lengthsOf({ recorder }: ProbeRun, operation: Operation): string[] {
  const { id, responses } = operation;
  const headers = successesOf(operation).flatMap((status) => responses.get(status)?.headers ?? []);
  const members = isList(operation) ? membersOf(answerLayers(operation)) : [];
  const lengths = [
    ...headers.flatMap(({ name }) => (isLengthHeader(name) ? [name] : [])),
    ...members.flatMap((member) => [member, ...membersOf(layersIn(member))]).flatMap(lengthIn),
  ];
  return lengths
    .filter((name) => !recorder.hasTried(id, `the length ${name.toLowerCase()}`))
    .map((name) => `${name} of ${id}`);
}

function lengthIn(member: Member): string[] {
  return isLength(member.name) && typeOf(layersIn(member)) === 'integer' ? [member.name] : [];
}

/** The members that only the server decides, of what an operation takes, or of the item that it changes. */
function readOnlyOf({ meaning, recorder }: ProbeRun, operation: Operation): string[] {
  const { body, id } = operation;
  if (body === undefined) return [];
  const written = body.node.at('content', body.mediaType, 'schema');
  const members = written === undefined ? [] : membersOf(layersOf(written));
  const shown = meaning.collections.flatMap(({ client: { resource } }) => {
    const { create, get, replace, modify } = resource;
    const isOfItem = [create, replace, modify].includes(operation);
    return get !== undefined && isOfItem ? membersOf(shownLayers(get, resource)) : [];
  });
  const ids = meaning.collections.flatMap(({ client, operations }) =>
    operations.includes(operation) ? client.identity.names : [],
  );
  const names = [...members, ...shown].filter(isReadOnly).map(({ name }) => name);
  return [...new Set(names)]
    .filter((name) => !ids.includes(name) && !recorder.hasTried(id, `the member ${name}`))
    .map((name) => `${name} of ${id}`);
}

function isReadOnly(member: Member): boolean {
  return layersIn(member).some((layer) => layer.flag('readOnly'));
}

function layersIn({ schemas }: Member) {
  return schemas.flatMap(layersOf);
}
