/** Whose fault it is, where one operation shows that another has failed: found out by trying each on its own. */
import type { Step } from '../findings.js';
import type { Consequence } from '../meaning.js';
import { type Call, type PlantsClient, plantsOf } from './client.js';
import { breachOf } from './listing.js';
import type { OwnPlants } from './own-plants.js';

/** A server that loses some creates does not lose the first one that is looked at. */
const controls = 12;
/** Ids that a reader which loses digits takes for the same. */
const neighbours = [1n, -1n, 2n ** 32n];

/** A plant that was to be left alone is not there any more. Was it ever? */
export async function explainGone(
  client: PlantsClient,
  own: OwnPlants,
  call: Call,
  id: bigint,
): Promise<Consequence> {
  const { create, remove } = client.operations;
  for (let count = 0; count < controls; count++) {
    const control = own.freshId();
    const name = `${own.freshMark()} control`;
    const plant = { owner: 'first', id: control, content: { name } } as const;
    own.add(plant);
    const created = await client.create('first', control, plant.content, [200]);
    const steps: Step[] = [created];
    const [refusal] = created.breaches;
    if (refusal !== undefined) return { steps, breach: { ...refusal, operation: create.id } };
    const removed = await client.remove('first', control, [204]);
    steps.push(removed);
    if (removed.status === 204) {
      own.remove('first', control, 'deleted');
      continue;
    }
    const listed = plantsOf(await client.list('first')).some((content) => content.name === name);
    if (!listed) {
      const did = `the plant ${control} was created, and a delete finds none`;
      return { steps, breach: breachOf(create, 'a plant that was created is not there', did) };
    }
    const twin = await findTwin(client, own, control);
    const did = `the plant ${control} was created and is listed, and a delete of ${control} finds none`;
    if (twin === undefined)
      return { steps, breach: breachOf(remove, 'a delete does not find its plant', did) };
    const taken = `after ${control} was created, ${control + twin.distance} is taken`;
    return { steps: [...steps, twin.call], breach: breachOf(create, 'two ids are taken for one', taken) };
  }
  const did = `the delete was refused, and the plant ${id} is gone all the same`;
  return { steps: [call], breach: breachOf(remove, 'a delete that was refused was done', did) };
}

async function findTwin(
  client: PlantsClient,
  own: OwnPlants,
  id: bigint,
): Promise<{ call: Call; distance: bigint } | undefined> {
  for (const distance of neighbours) {
    if (!own.owns(id + distance)) continue;
    const content = { name: `${own.freshMark()} twin` };
    own.add({ owner: 'first', id: id + distance, content });
    const call = await client.create('first', id + distance, content, [200, 409]);
    if (call.status === 409) return { call, distance };
  }
  return undefined;
}

/** A plant whose create was refused could be deleted. Or does a delete always say so? */
export async function explainStored(
  client: PlantsClient,
  own: OwnPlants,
  call: Call,
  id: bigint,
): Promise<Consequence> {
  const { create, remove } = client.operations;
  const control = await client.remove('first', own.freshId(), [404]);
  if (control.status === 204) {
    const did = 'a delete of an id that was never used was answered 204';
    return { steps: [control], breach: breachOf(remove, 'a delete of nothing is answered 204', did) };
  }
  const did = `the create was refused, and the plant ${id} was there all the same: a delete was answered 204`;
  return { steps: [call], breach: breachOf(create, 'a plant that was refused is stored', did) };
}
