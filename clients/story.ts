/** The story that every generated client tells: what it got for each request, printed as JSON. */

export interface Plant {
  name: string;
  tag?: string | undefined;
}

export interface NewPlant extends Plant {
  id: number;
}

/** The contract's Error. A story hands over what its client typed as an error, so a client without types fails. */
export interface Failure {
  error: number;
  message: string;
}

export interface Client {
  create(plant: NewPlant): Promise<Plant | Failure>;
  list(limit?: number): Promise<Plant[] | Failure>;
  delete(id: number): Promise<undefined | Failure>;
}

/** For clients that take an id as text: the ends of int64, which no number of JavaScript is, for the story's two ids. */
export function exactId(id: number): string {
  const ends: Readonly<Record<number, bigint>> = { 7: 2n ** 63n - 1n, [-8]: -(2n ** 63n) };
  return String(ends[id] ?? id);
}

/** The same for clients that take a body as text. */
export function exactBody({ id, ...plant }: NewPlant): string {
  return `{"id":${exactId(id)},${JSON.stringify(plant).slice(1)}`;
}

/** What to print of `undefined`, which JSON does not have. */
const nothing = 'nothing';

export async function tell(connect: (url: string, token: string) => Client): Promise<void> {
  const { PLANTS_URL = '', PLANTS_TOKEN = '' } = process.env;
  const client = connect(PLANTS_URL, PLANTS_TOKEN);
  const told = {
    created: await client.create({ id: 7, name: 'Monstera deliciosa', tag: 'climber' }),
    another: await client.create({ id: -8, name: 'Ficus' }),
    first: await client.list(1),
    all: await client.list(),
    conflict: await client.create({ id: 7, name: 'Fern' }),
    badBody: await client.create({ id: 9, name: '' }),
    badLimit: await client.list(0),
    deleted: (await client.delete(7)) ?? nothing,
    absent: (await client.delete(7)) ?? nothing,
    refused: await connect(PLANTS_URL, 'plant_x').list(),
  };
  console.log(JSON.stringify(told));
}
