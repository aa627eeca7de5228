/** Says whose items the load creates, lists and deletes: those of the plant store, or of examples/gardens. */
import { join } from 'node:path';
import { contractFile, projectFolder } from '../../../kit/index.js';
import { newPlantText } from '../plants.js';
import type { Item } from './items.js';

export interface Subject {
  /** The absolute path of its YAML. */
  readonly contractFile: string;
  readonly table: string;
  /** The path of the list of all items. */
  readonly path: string;
  readonly operations: { readonly create: string; readonly list: string; readonly delete: string };
  readonly hasNegativeIds: boolean;
  /** The member that an item may lack. `values` has its value in each variant. */
  readonly optional: string;
  readonly values: readonly unknown[];
  /** @returns the JSON of the body of a create */
  json(id: bigint, item: Item): string;
}

const tags = [undefined, '', 'Zimmerpflanze 🪴'] as const;
const areas = [undefined, 1, 1_000_000] as const;

export const plants: Subject = {
  contractFile,
  table: 'plants',
  path: '/plants',
  operations: { create: 'createPlant', list: 'listPlants', delete: 'deletePlant' },
  hasNegativeIds: true,
  optional: 'tag',
  values: tags,
  json: (id, { name, variant }) => newPlantText({ id, name, tag: tags[variant] }),
};

export const gardens: Subject = {
  contractFile: join(projectFolder, 'examples', 'gardens', 'openapi', 'gardens.yaml'),
  table: 'gardens',
  path: '/gardens',
  operations: { create: 'createGarden', list: 'listGardens', delete: 'deleteGarden' },
  hasNegativeIds: false,
  optional: 'area',
  values: areas,
  // The id is written by hand, because JSON.stringify throws an error at a bigint.
  json: (id, { name, variant }) => `{"id":${id},${JSON.stringify({ name, area: areas[variant] }).slice(1)}`,
};

/** @returns the item that an answer shows; undefined if the value is not one */
export function readItemOf({ optional, values }: Subject, value: unknown): Item | undefined {
  if (typeof value !== 'object' || value === null || !('name' in value)) return undefined;
  const { name } = value;
  if (typeof name !== 'string') return undefined;
  const member: unknown = Object.entries(value).find(([key]) => key === optional)?.[1];
  return { name, variant: values.indexOf(member) };
}
