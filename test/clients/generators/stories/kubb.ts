import { createPlant, deletePlant, listPlants } from '../out/kubb/index.js';
import { type Failure, tell } from '../story.js';

await tell((baseURL, token) => {
  // Its fetch sends JSON without saying so.
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const options = { baseURL, headers };
  /** It takes every answer for a success, and types it so. */
  const read = <Data>(data: Data | Failure): Data | Failure => data;
  return {
    create: async (plant) => read(await createPlant(plant, options)),
    list: async (limit) => read(await listPlants({ limit }, options)),
    delete: (id) => deletePlant(id, options),
  };
}, Number);
