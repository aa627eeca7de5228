import { show } from '../json.js';
import { type Call, contentOf, type PlantsClient, plantsOf } from './client.js';
import { edges, type Owner, type OwnPlant, type OwnPlants } from './own-plants.js';

/** Deletes all that may have been created. @returns what is left, a sentence each */
export async function cleanUp(client: PlantsClient, own: OwnPlants): Promise<readonly string[]> {
  await Promise.all(own.all.map((plant) => remove(client, own, plant)));
  const left = (
    await Promise.all((['first', 'second'] as const).map((owner) => leftOf(client, own, owner)))
  ).flat();
  return left;
}

async function remove(client: PlantsClient, own: OwnPlants, plant: OwnPlant): Promise<void> {
  // At an edge a create that answered 200 shows that the plant is ours: then this one changes nothing. Where
  // somebody else's is there it is refused.
  if (edges.includes(plant.id)) {
    const call = await client.create(plant.owner, plant.id, plant.content, [200, 409]);
    if (call.status !== 200) return own.remove(plant.owner, plant.id, 'refused');
  }
  const { status } = await client.remove(plant.owner, plant.id, [204, 404]);
  if (status === 204 || status === 404) own.remove(plant.owner, plant.id, 'deleted');
}

/** A server that took what it should have refused may have put it anywhere; lists have no ids, so some are guessed. */
async function leftOf(client: PlantsClient, own: OwnPlants, owner: Owner): Promise<string[]> {
  const isOurs = (content: { name: string }): boolean => own.markOf(content) !== undefined;
  const call = await listOf(client, owner);
  if (call === undefined) return [];
  for (const content of plantsOf(call).filter(isOurs)) {
    const former = own.former(own.markOf(content) ?? '');
    if (former !== undefined && own.owns(former.id)) await client.remove(owner, former.id, [204, 404]);
  }
  for (const content of plantsOf((await listOf(client, owner)) ?? call).filter(isOurs)) {
    for (const id of [...edges, 1n]) {
      // Answered 200 where this very plant has the id, or nobody; a 409 leaves somebody else's alone.
      const again = await client.create(owner, id, content, [200, 409]);
      if (again.status === 200) await client.remove(owner, id, [204]);
    }
  }
  const rest = (await listOf(client, owner)) ?? call;
  return plantsOf(rest)
    .filter(isOurs)
    .map(
      (content) =>
        `The plant ${show({ ...contentOf({ ...content }) })} could not be removed: its id is not known.`,
    );
}

async function listOf(client: PlantsClient, owner: Owner): Promise<Call | undefined> {
  const call = await client.list(owner);
  return call.status === 200 ? call : undefined;
}
