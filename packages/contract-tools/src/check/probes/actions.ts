/**
 * Tries whether the second owner can do something with an item of the first by a path below it, such as
 * `POST /jobs/{job}/invoice` or `GET /plants/{id}/photo`. The first owner sends the same request before and
 * after: only what succeeds for the owner tells something if others are refused.
 */
import type { Operation } from '../../document/operations.js';
import { succeeded, successesOr } from '../../document/statuses.js';
import { operationsOf } from '../../resources/shape.js';
import { brief } from '../answers/check-answer.js';
import { breachOf } from '../answers/findings.js';
import { plainRequest } from '../requests/plain-request.js';
import { isSilence } from '../requests/reply.js';
import type { ResourceClient } from '../resources/client.js';
import { makeWhole } from '../resources/make-item.js';
import { denials, judgeDenial } from './denied.js';
import type { ProbeRun } from './probe-run.js';

const title = 'keeps what is below an item from everybody but its owner';

/** The operations below an item, behind credentials, that are sent. */
export function belowItems({ description, meaning }: ProbeRun, { resource }: ResourceClient): Operation[] {
  const known = meaning.collections.flatMap((one) => operationsOf(one.client.resource).map(({ id }) => id));
  return description.operations
    .filter(({ id, path }) => path.startsWith(`${resource.itemPath}/`) && !known.includes(id))
    .filter((operation) => operation.secured && !operation.anonymous)
    .filter((operation) => meaning.heldBack(operation) === undefined);
}

export async function probeActions(run: ProbeRun, client: ResourceClient): Promise<void> {
  const { recorder } = run;
  const { itemPath, parameter } = client.resource;
  const tried: string[] = [];
  for (const operation of belowItems(run, client)) {
    recorder.case(operation.id, title);
    const item = await makeWhole(client, 'of the first owner');
    if (item === undefined) {
      recorder.note(`Isolation of ${itemPath}: not tried below an item, because none was made.`);
      return;
    }
    client.own.doubt('first', item.id);
    const { path, ...values } = plainRequest(operation);
    const ask = (owner: 'first' | 'second') =>
      client.call(
        owner,
        operation,
        { ...values, path: { ...path, ...client.pathTo(item.id), [parameter.name]: String(item.id) } },
        successesOr(operation, denials),
      );
    const theirs = await ask('second');
    const own = await ask('first');
    if (!succeeded(operation, own)) {
      recorder.note(
        `Isolation of ${itemPath}: ${operation.id} (${operation.method}) tells nothing, because its owner was answered ${own.status ?? 'not at all'}.`,
      );
      continue;
    }
    if (!succeeded(operation, theirs)) {
      judgeDenial(run, operation, title, theirs);
      if (denials.includes(theirs.status ?? 0)) tried.push(`${operation.id} (${operation.method})`);
      continue;
    }
    const said = isSilence(theirs.outcome) ? '' : brief(theirs.outcome);
    const did = `the second owner's request was answered ${said} (or the two tokens belong to one owner)`;
    const breach = breachOf(operation, "another owner's item is reached by a path below it", did);
    recorder.find(operation.id, title, 'the second owner', [theirs, own], { ...breach, by: 'isolation' });
  }
  if (tried.length > 0)
    recorder.note(
      `Isolation of ${itemPath}: the second owner tried ${tried.join(', ')} below an item of the first.`,
    );
}
