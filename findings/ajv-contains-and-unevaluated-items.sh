#!/usr/bin/env bash
# ajv 8.20.0 (Ajv2020): `contains` changes what its neighbours mean, in two ways that JSON Schema 2020-12 does not.
#
# Expected: a list must have an item that fits `contains`, whatever `prefixItems` says of its first items (core, 10.3.1.3);
# and only the items that fit `contains` count as evaluated for `unevaluatedItems` (core, 11.2).
# What happens: beside a `prefixItems` with a rule, the empty list is valid, though it contains nothing. And beside
# `contains`, every item counts as evaluated, so `unevaluatedItems: false` refuses nothing at all.
# Whom it hurts: whoever writes "a list of this form that has at least one …" in OpenAPI 3.1, and validates with Ajv:
# the request is taken, and no strict mode warns.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund ajv@8.20.0
cat > run.cjs <<'JS'
const { Ajv2020 } = require('ajv/dist/2020.js');
const cases = [
  // what, schema, value, what the standard says, what was seen
  ['contains alone', { type: 'array', contains: { type: 'string' } }, [], false, false],
  ['contains, prefixItems', { type: 'array', contains: { type: 'string' }, prefixItems: [{ type: 'string' }] }, [], false, true],
  ['prefixItems, contains in allOf', { type: 'array', prefixItems: [{ type: 'string' }], allOf: [{ type: 'array', contains: { type: 'string' } }] }, [], false, false],
  ['unevaluatedItems alone', { type: 'array', unevaluatedItems: false }, ['a', 1], false, false],
  ['unevaluatedItems, contains', { type: 'array', contains: { type: 'string' }, unevaluatedItems: false }, ['a', 1], false, true],
];
console.log(`ajv ${require('ajv/package.json').version}, node ${process.versions.node}`);
let changed = false;
for (const [what, schema, value, expected, seen] of cases) {
  const found = new Ajv2020({ strict: true, strictTuples: false }).compile(schema)(value);
  console.log(`${what}: ${JSON.stringify(value)} is ${found ? 'valid' : 'refused'}; the standard: ${expected ? 'valid' : 'refused'}`);
  changed ||= found !== seen;
}
process.exitCode = changed ? 1 : 0;
JS
node run.cjs
