/**
 * Prepares the requests of a collection: those that create, and those that list. A create gets an id that
 * nobody uses, or a marker in one of its texts, so that its item is known again and can be removed. What the
 * create has claimed is then looked for where it must show.
 */

import { type Answer, headerValues } from '../../base/http/answer.js';
import type { Operation } from '../../document/operations.js';
import { absencesOf, succeeded, successesOf, successesOrAbsencesOf } from '../../document/statuses.js';
import { listParametersOf } from '../../resources/list-parameters.js';
import { parentNamesOf, shownLayers } from '../../resources/shape.js';
import { isObject, show } from '../../values/json.js';
import { differs } from '../../values/look-alike.js';
import { membersOf } from '../../values/sites.js';
import { brief } from '../answers/check-answer.js';
import type { Breach } from '../answers/findings.js';
import { breachOf } from '../answers/findings.js';
import type { Consequence, Prepared, Purpose } from '../answers/prepared.js';
import type { Focus, RequestValues } from '../requests/request-values.js';
import { explainStored } from './blame.js';
import { withId } from './bodies.js';
import type { ResourceClient } from './client.js';
import type { Content } from './content.js';
import type { Id } from './ids.js';
import { prospects } from './make-item.js';
import { settle } from './readers.js';

/**
 * @returns undefined if the create might change what belongs to others, or make an item that nobody finds
 *   again
 */
export async function prepareCreate(
  client: ResourceClient,
  values: RequestValues,
  purpose: Purpose,
  focus: Focus | undefined,
): Promise<Prepared | undefined> {
  const { identity, own, resource } = client;
  const { create, id: place } = resource;
  // Another parent may be there and have what is not the checker's own.
  const isElsewhere = purpose === 'accepted' && focus?.part === 'path';
  if (!client.identity.knowsOwn || isElsewhere) return undefined;
  const focused = focus?.part === 'body' ? focus.where.slice(1).split('/')[0] : focus?.where;
  const body = client.surroundings.fill('first', isObject(values.body) ? values.body : {}, focused);
  const atId = purpose === 'accepted' && place.in === 'request' && focus?.where === `/${place.member}`;
  const asked = place.in === 'request' ? body[place.member] : undefined;
  const atEdge = atId && client.identity.edges.find((edge) => edge === asked);
  // If others may have an item with the id, only a create that is refused then leaves theirs alone.
  if (atId && (atEdge === undefined || client.exactStore === undefined)) return undefined;
  const sent = typeof atEdge === 'bigint' ? atEdge : identity.ids?.fresh();
  // A broken id is made from this one too, because a lenient server could take "01" for somebody's item "1".
  const path = { ...values.path, ...client.surroundings.pathOf('first'), ...client.pathOfNew(sent) };
  const { markerAt, turn } = { markerAt: focus?.where.slice(1) ?? '', turn: turnOf(focus, sent) };
  const marked = client.markers.put(body, client.markers.fresh(), {
    not: markerAt,
    turn,
    keep: focus === undefined,
  });
  const content = client.reader.contentOf(marked);
  if (typeof atEdge === 'bigint' && own.find('first', atEdge) && resource.remove) {
    await client.item('first', resource.remove, atEdge);
  }
  if (sent !== undefined) own.add({ owner: 'first', id: sent, content });
  const prepared = { values: { ...values, path, body: { ...marked, ...idMember(client, sent) } } };
  if (purpose === 'refused') {
    return { ...prepared, untouched: (answer) => notCreated(client, sent, content, answer) };
  }
  const askedAt = Date.now();
  return {
    ...prepared,
    // Somebody else may have an item at an edge.
    statuses: [
      ...successesOf(create),
      ...(typeof atEdge === 'bigint' ? [409] : []),
      ...absencesAround(client, focused),
    ],
    verify: (answer) => verifyCreate(client, sent, content, askedAt, answer),
    doubt: (answer) => {
      const id = client.reader.idFrom(answer, sent);
      if (id !== undefined) own.doubt('first', id);
    },
    follow: async (_step, answer) => {
      const id = client.reader.idFrom(answer, sent);
      // 202 (RFC 9110, section 15.3.3) promises nothing yet, and only a get is cheap enough to ask each time.
      if (id === undefined || !succeeded(create, answer) || answer.status === 202 || !resource.get)
        return undefined;
      return settle(client, create, { owner: 'first', id, content });
    },
  };
}

/** The statuses of a create that says that its parent is absent, or something that its body refers to. */
function absencesAround({ resource, rules, surroundings }: ResourceClient, focused = ''): number[] {
  const isKnown = surroundings.unreached === undefined && !surroundings.refersAt(focused);
  // Names need not tell all that a body refers to.
  const isCertain = surroundings.hasParents('first') && parentNamesOf(resource).length > 0 && focused === '';
  const isTold = isKnown && (isCertain || rules.on.has('valid-requests-succeed'));
  return isTold ? [] : absencesOf(resource.create);
}

/** Generated texts are tried in each member that could have the marker: the marker changes its place. */
function turnOf(focus: Focus | undefined, id: Id | undefined): number {
  return focus === undefined && typeof id === 'bigint' && id % 2n === 0n ? 1 : 0;
}

function idMember(client: ResourceClient, id: Id | undefined): Content {
  return withId(client.resource, id, {});
}

function verifyCreate(
  client: ResourceClient,
  sent: Id | undefined,
  content: Content,
  askedAt: number,
  answer: Answer,
): Breach[] {
  const { own, resource } = client;
  const { create, id: place } = resource;
  if (!succeeded(create, answer)) {
    if (sent !== undefined) own.remove('first', sent, 'refused');
    return [];
  }
  const id = client.reader.idFrom(answer, sent);
  const found = (rule: string, did: string): Breach[] => [breachOf(create, rule, `${brief(answer)} ${did}`)];
  if (id === undefined) {
    if (!mayOmitId(client, answer)) {
      return found('the answer does not say the id', place.in === 'location' ? 'without a Location' : '');
    }
    client.note(
      `${create.id} answered ${answer.status} without the id of what it made, which the document allows: that was not read, changed or removed.`,
    );
    return [];
  }
  own.add({ owner: 'first', id, content, created: true, ...prospects(client, content, askedAt, answer) });
  const body = client.reader.shownBy(create, answer);
  const member = client.reader.difference(create, content, body, answer.status);
  return member === undefined
    ? []
    : found(
        'the answer is not what was sent',
        `after ${show(content)} was sent: ${differs(member, content, body)}`,
      );
}

/** Whether an answer leaves out the id, and its status documents none, or none that is required. */
function mayOmitId(client: ResourceClient, answer: Answer): boolean {
  const { create, id } = client.resource;
  if (id.in === 'location') {
    const { headers = [] } = create.responses.get(answer.status) ?? {};
    const isRequired = headers.some(({ name, required }) => required && name.toLowerCase() === 'location');
    return !isRequired && headerValues(answer, 'location').length === 0;
  }
  const shown = client.reader.shownBy(create, answer);
  const isRequired = membersOf(shownLayers(create, client.resource, answer.status)).some(
    ({ name, required }) => required && name === id.member,
  );
  return !isRequired && !(isObject(shown) && Object.hasOwn(shown, id.member));
}

/** Whether a refused create has left nothing; if it succeeded, the item is recorded as the checker's. */
async function notCreated(
  client: ResourceClient,
  sent: Id | undefined,
  content: Content,
  answer: Answer,
): Promise<Consequence | undefined> {
  const { own, resource } = client;
  const { create, remove } = resource;
  const id = client.reader.idFrom(answer, sent);
  if (succeeded(create, answer) && sent === undefined) {
    // The content is that of the plain request, and not what the server made of the broken one.
    if (id !== undefined) own.add({ owner: 'first', id, content, created: true, doubtful: true });
    return undefined;
  }
  if (sent === undefined) {
    // The item shows in the list, if anywhere.
    own.forget({ owner: 'first', id: undefined, content, why: 'refused' });
    return undefined;
  }
  const isTold = client.rules.on.has('deletes-once') && remove !== undefined && absencesOf(remove).length > 0;
  if (!isTold) {
    own.remove('first', sent, 'refused');
    const wanted = { owner: 'first', id: sent, content: undefined } as const;
    const fault = resource.get && (await settle(client, create, wanted));
    if (fault && remove) await client.item('first', remove, sent);
    return fault;
  }
  const call = await client.item('first', remove, sent, successesOrAbsencesOf(remove));
  own.remove('first', sent, 'refused');
  return succeeded(remove, call) ? explainStored(client, call, sent) : undefined;
}

export function prepareList(
  client: ResourceClient,
  list: Operation,
  values: RequestValues,
  focus: Focus | undefined,
): Prepared {
  const limit = limitOf(client, values);
  const path = {
    ...values.path,
    ...client.surroundings.pathOf('first'),
    ...(focus?.part === 'path' && { [focus.where]: values.path[focus.where] ?? '' }),
  };
  // A server makes the cursors, and may refuse one that it has not made.
  const { cursor } = client.paging ?? {};
  const isMadeUp = cursor !== undefined && values.query[cursor.name] !== undefined;
  const refusals = [400, 404, 410, 422].filter((status) => isMadeUp && list.responses.has(status));
  // Some servers answer 404 to a filter by what nobody has.
  const { filters, others } = listParametersOf(list);
  const asksForSome = [...filters.map(({ parameter }) => parameter), ...others].some(
    ({ name }) => values.query[name] !== undefined,
  );
  const mayBeAbsent = focus?.part === 'path' || asksForSome || !client.surroundings.hasParents('first');
  return {
    values: { ...values, path },
    statuses: [...successesOf(list), ...refusals, ...(mayBeAbsent ? absencesOf(list) : [])],
    verify: (answer) => {
      const count = client.reader.itemsOf({ outcome: answer }).length;
      if (count <= limit) return [];
      return [
        breachOf(list, 'the list is longer than limit', `it has ${count} items, and limit is ${limit}`),
      ];
    },
  };
}

/** The most items that a request for a list asks for; absent, its parameter has its default. */
function limitOf({ exactStore, paging, rules }: ResourceClient, { query }: RequestValues): number {
  const parameter = exactStore?.limit ?? (rules.on.has('pages') ? paging?.size : undefined);
  if (parameter === undefined) return Number.POSITIVE_INFINITY;
  const asked = query[parameter.name] ?? parameter.schema.number('default');
  return asked === undefined ? Number.POSITIVE_INFINITY : Number(asked);
}
