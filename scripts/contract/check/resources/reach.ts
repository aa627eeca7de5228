/** Makes the first item of a resource: a valid create can fail as documented, because of what is around it. */
import type { Operation } from '../description.js';
import { fromYaml, isObject, type Value } from '../json.js';
import { makeItem } from './blame.js';
import { type ResourceClient, succeeded } from './client.js';
import type { Content } from './content.js';
import type { Owner } from './own-items.js';
import { failuresOf, successesOf } from './shape.js';

/** Keeps the first item that could be made, for others to refer to, or says that there is none. */
export async function reach(client: ResourceClient, owner: Owner): Promise<void> {
  const { own, resource, surroundings } = client;
  const { create } = resource;
  if (!client.knowsOwn) return;
  const statuses = new Set<number>();
  for (const { content, isPlain } of candidatesOf(client, owner)) {
    const { call, id } = await makeItem(client, content, owner, [
      ...successesOf(create),
      ...failuresOf(create),
    ]);
    if (id !== undefined) {
      surroundings.keep(owner, id);
      if (!isPlain) surroundings.base ??= content;
      return;
    }
    if (succeeded(create, call)) return;
    if (call.status !== undefined) statuses.add(call.status);
    for (const item of own.all) if (!item.created) own.remove(item.owner, item.id, 'refused');
  }
  if ([...statuses].every((status) => !failuresOf(create).includes(status))) return;
  const answers = [...statuses].join(' and ');
  surroundings.unreached = `every attempt of ${create.id} was answered ${answers}, which is documented`;
}

/** The plainest content, the document's examples, and the content with all optional members. */
function candidatesOf(
  client: ResourceClient,
  owner: Owner,
): { readonly content: Content; readonly isPlain: boolean }[] {
  const examples = examplesOf(client.resource.create).map((example) => {
    const content = client.surroundings.fill(owner, client.contentOf(example));
    return { content: client.marked(content, client.own.freshMark()), isPlain: false };
  });
  return [
    { content: client.plainContent('to be kept', 'without', owner), isPlain: true },
    ...examples,
    { content: client.plainContent('to be kept', 'with', owner), isPlain: false },
  ];
}

function examplesOf({ body }: Operation): Value[] {
  const media = body?.node.list('content') ?? [];
  const nodes = media.flatMap((one) => [
    one.at('example'),
    ...one.list('examples').map((example) => example.at('value')),
    one.at('schema', 'example'),
  ]);
  return nodes.flatMap((node) => (node === undefined ? [] : [fromYaml(node.value)])).filter(isObject);
}
