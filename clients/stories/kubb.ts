import { createPlant, deletePlant, listPlants } from '../out/kubb/index.js';
import { type Failure, tell } from '../story.js';

await tell((baseURL, token) => {
  // Its fetch sends JSON without saying so.
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const options = { baseURL, headers };
  /** It takes every answer for a success, and types it so; of a 204 it makes an empty object. */
  const read = <Data>(data: Data | Failure): Data | Failure => data;
  const isFailure = (data: unknown): data is Failure =>
    typeof data === 'object' && data !== null && 'error' in data;
  return {
    create: async (plant) => read(await createPlant(plant, options)),
    list: async (limit) => read(await listPlants({ limit }, options)),
    async delete(id) {
      const answer: unknown = await deletePlant(id, options);
      return isFailure(answer) ? answer : undefined;
    },
  };
});
