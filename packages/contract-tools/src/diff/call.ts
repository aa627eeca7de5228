/**
 * Compares what the service sends by itself: webhooks, and the callbacks of an operation.
 *
 * The directions are the other way round. Consumers read what a call sends, so its body and its parameters are
 * compared as those of a response; and what they answer is compared as a request. For example, a member that is
 * added to the body of a webhook breaks nobody, and an enum in it that gets a value breaks its readers. What is
 * not compared part by part, such as the security of a call, breaks them if it changes at all.
 */
import type { Node } from '../document/node.js';
import { operationsOfItem } from '../document/operations.js';
import type { FoundChange } from './change.js';
import { compareEntries } from './entries.js';
import { compareContent } from './media.js';
import { compareIds, type PathOperation } from './operations.js';
import { compareParameter, compareWriting, parametersOf, partOf } from './parameter.js';
import { coverOf, headersOf, kindOf, partOfHeader } from './response.js';
import { fingerprint } from './schema/fingerprint.js';
import { eitherAt, namedAt } from './values.js';

type Word = 'callback' | 'webhook';

interface Call extends PathOperation {
  /** The callback or the webhook, which may have several operations. */
  readonly named: Node;
  /** How a report names it: ``webhook `granted` ``. */
  readonly part: string;
}

/** @param base the operation that has the callbacks, or the document that has the webhooks */
export function compareCalls(base: Node, next: Node, word: Word): FoundChange[] {
  return compareEntries<Call, FoundChange>(callsOf(base, word), callsOf(next, word), {
    both: (old, now) => compareCall(old, now, word),
    removed: ({ part, named }) => [{ part, id: `${word}-removed`, at: named.use, what: 'removed' }],
    added: ({ part, named }) => [{ part, id: `${word}-added`, adds: true, at: named.use, what: 'added' }],
  });
}

/** @returns the calls by their names, methods and, if they are callbacks, the expressions of their addresses */
function callsOf(node: Node, word: Word): Map<string, Call> {
  const calls = [...namedAt(node, `${word}s`)].flatMap(([name, named]) => {
    const items = word === 'webhook' ? [['', named] as const] : named.members();
    return items.flatMap(([path, item]) =>
      operationsOfItem(item).map(({ method, node: operation }): [string, Call] => [
        JSON.stringify([name, path, method]),
        { ...{ path, method, item, operation, named }, part: `${word} \`${name}\`` },
      ]),
    );
  });
  return new Map(calls);
}

function compareCall(old: Call, now: Call, word: Word): FoundChange[] {
  const { part } = now;
  const [base, next] = [old.operation, now.operation];
  const breaking = (at: Node, what: string): FoundChange => ({ part, id: `${word}-changed`, at, what });
  const harmless = (at: Node, what: string): FoundChange => ({
    ...{ part, id: `${word}-changed-compatibly`, at, what },
  });
  const others = ['security', 'servers', 'callbacks'].filter(
    (key) => saidAt(base, key) !== saidAt(next, key),
  );
  return [
    ...compareIds(base, next).map((change) => ({ ...change, part })),
    ...compareBodies(base, next, { part, breaking, harmless }),
    ...compareParameters(old, now, breaking),
    ...compareAnswers(base, next, { part, breaking, harmless }),
    ...others.map((key) => breaking(eitherAt(base, next, key), `${key} changed`)),
  ];
}

function saidAt(node: Node, key: string): string {
  const at = node.at(key);
  return at === undefined ? '' : fingerprint(at);
}

/** How the changes of a call are told that only calls can have. */
interface Telling {
  readonly part: string;
  readonly breaking: (at: Node, what: string) => FoundChange;
  readonly harmless: (at: Node, what: string) => FoundChange;
}

function compareBodies(base: Node, next: Node, { part, breaking, harmless }: Telling): FoundChange[] {
  const before = base.at('requestBody');
  const after = next.at('requestBody');
  if (after === undefined) return before === undefined ? [] : [breaking(before.use, 'body removed')];
  if (before === undefined) return [harmless(after.use, 'body added')];
  const at = eitherAt(before, after, 'required');
  const need = after.flag('required')
    ? harmless(at, 'body required now')
    : breaking(at, 'body no longer required');
  return [
    ...(before.flag('required') === after.flag('required') ? [] : [need]),
    // Nobody says in a request for the call which media types it reads, so a further one breaks its readers.
    ...compareContent(before, after, { part, subject: 'response-body' }).map((change) =>
      change.id === 'response-body-media-type-added' || change.id === 'response-body-media-type-widened'
        ? breaking(change.at, change.what)
        : change,
    ),
  ];
}

function compareParameters(old: Call, now: Call, breaking: Telling['breaking']): FoundChange[] {
  const within = (parameter: Node) => {
    const { part, name } = partOf(parameter);
    return { part: `${now.part}, ${part}`, name };
  };
  return compareEntries<Node, FoundChange>(parametersOf(old), parametersOf(now), {
    both: (before, after) => [
      ...compareWriting(before, after).map(({ at, what }) => ({ ...breaking(at, what), ...within(after) })),
      ...compareParameter(before, after, { ...within(after), subject: 'response-header' }),
    ],
    removed: (before) => [
      { ...within(before), id: 'response-header-removed', at: before.use, what: 'removed' },
    ],
    added: (after) => [
      { ...within(after), id: 'response-header-added', adds: true, at: after.use, what: 'added' },
    ],
  });
}

/** A service takes an unknown error for the first of its class, so only statuses of success matter to it. */
function compareAnswers(base: Node, next: Node, { part, breaking, harmless }: Telling): FoundChange[] {
  const [before, after] = [namedAt(base, 'responses'), namedAt(next, 'responses')];
  const within = (status: string) => `${part}, answer ${status}`;
  return compareEntries<Node, FoundChange>(before, after, {
    both: (old, now, status) => compareAnswer(old, now, within(status)),
    removed: (old, status) => {
      const covering = coverOf(status, after);
      if (covering !== undefined) return compareAnswer(old, covering, within(status));
      const told = kindOf(status) === 'success-status' ? breaking : harmless;
      return [told(old.use, `answer ${status} removed`)];
    },
    added: (now, status) => {
      const covering = coverOf(status, before);
      if (covering !== undefined) return compareAnswer(covering, now, within(status));
      return [harmless(now.use, `answer ${status} added`)];
    },
  });
}

function compareAnswer(base: Node, next: Node, part: string): FoundChange[] {
  const within = (header: Node) => {
    const { part: own, name } = partOfHeader(header);
    return { part: `${part}, ${own}`, name };
  };
  return [
    ...compareEntries<Node, FoundChange>(headersOf(base), headersOf(next), {
      both: (old, now) => compareParameter(old, now, { ...within(now), subject: 'request-parameter' }),
      removed: (old) => [{ ...within(old), id: 'request-parameter-removed', at: old.use, what: 'removed' }],
      added: (now) => {
        const id = now.flag('required') ? 'request-parameter-added-required' : 'request-parameter-added';
        return [{ ...within(now), id, adds: true, at: now.use, what: 'added' }];
      },
    }),
    ...compareContent(base, next, { part, subject: 'request-body' }),
  ];
}
