/**
 * Lists the ways to fit schemas that leave a choice: one for each branch of `anyOf` and `oneOf`, and one for
 * each side of `if`. A value is made by one of the ways, and then judged by all schemas.
 */
import type { Node } from '../document/node.js';
import { allLayersOf, branchesOf, identityOf } from './layers.js';

/** Schemas with several choices have many ways to fit them: these are enough to find one. */
const maxVariants = 16;

/** @returns the layers of each way, at least one */
export function variantsOf(
  layers: readonly Node[],
  done: ReadonlySet<unknown> = new Set(),
): (readonly Node[])[] {
  const chooser = layers.find((layer) => !done.has(identityOf(layer)) && waysOf(layer).length > 0);
  if (chooser === undefined) return [layers];
  const nowDone = new Set([...done, identityOf(chooser)]);
  const variants: (readonly Node[])[] = [];
  for (const way of waysOf(chooser)) {
    if (variants.length >= maxVariants) break;
    variants.push(...variantsOf(allLayersOf([...layers, ...way]), nowDone));
  }
  return variants.slice(0, maxVariants);
}

/** What a value may have to fit besides the schema itself. */
function waysOf(layer: Node): Node[][] {
  const branches = branchesOf(layer).map((branch) => [branch]);
  const condition = layer.at('if');
  if (condition === undefined) return branches;
  const below = (key: string): Node[] => [layer.at(key) ?? []].flat();
  const sides = [[condition, ...below('then')], below('else')];
  return branches.length === 0
    ? sides
    : branches.flatMap((branch) => sides.map((side) => [...branch, ...side]));
}
