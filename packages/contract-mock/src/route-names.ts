import type { Operation } from '../../service/layer.js';

/**
 * The router reads names of letters, digits and "_" only. Nobody sends the name of a path's parameter, so the mock
 * takes `{drive_id}` for `{drive-id}`.
 *
 * @returns the name for the router of each parameter of a path
 */
export function routableNames(path: string): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const [, name = ''] of path.matchAll(/\{([^{}]*)\}/g)) {
    let routable = name.replaceAll(/\W/g, '_');
    // Two names may differ only in such a character.
    while ([...names.values()].includes(routable)) routable += '_';
    names.set(name, routable);
  }
  return names;
}

/** @returns the operation as the router gets it */
export function withRoutableNames(operation: Operation): Operation {
  const names = routableNames(operation.path);
  const path = operation.path.replaceAll(/\{([^{}]*)\}/g, (_whole, name: string) => `{${names.get(name)}}`);
  const parameters = operation.parameters.map((one) =>
    one.in === 'path' ? { ...one, name: names.get(one.name) ?? one.name } : one,
  );
  return { ...operation, path, parameters };
}
