import type { TypeName } from './shape-types.js';

export const allTypes: readonly TypeName[] = [
  ...(['null', 'boolean', 'integer', 'fraction', 'string', 'array', 'object'] as const),
];

export function isNumber(name: TypeName): boolean {
  return name === 'integer' || name === 'fraction';
}
