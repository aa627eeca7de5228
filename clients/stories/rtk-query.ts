import { configureStore } from '@reduxjs/toolkit';
import { type Error as Failure, plants } from '../out/rtk-query.js';
import { tell } from '../story.js';
import { caller } from './rtk-query-base.js';

const store = configureStore({
  reducer: { [plants.reducerPath]: plants.reducer },
  middleware: (defaults) => defaults().concat(plants.middleware),
});
const { createPlant, deletePlant, listPlants } = plants.endpoints;

/** The body of an error is `unknown`: the document's type has to be said by hand. */
function failureOf(error: unknown): Failure {
  const isFailure = (data: unknown): data is Failure =>
    typeof data === 'object' && data !== null && 'error' in data && 'message' in data;
  if (typeof error === 'object' && error !== null && 'data' in error && isFailure(error.data))
    return error.data;
  throw error;
}

await tell((url, token) => {
  const connected = () => Object.assign(caller, { url, token });
  return {
    async create(newPlant) {
      connected();
      const { data, error } = await store.dispatch(createPlant.initiate({ newPlant }));
      return data ?? failureOf(error);
    },
    async list(limit) {
      connected();
      // It would answer from its cache.
      const { data, error } = await store.dispatch(listPlants.initiate({ limit }, { forceRefetch: true }));
      return error === undefined && data !== undefined ? data : failureOf(error);
    },
    async delete(id) {
      connected();
      const { error } = await store.dispatch(deletePlant.initiate({ id }));
      return error && failureOf(error);
    },
  };
});
