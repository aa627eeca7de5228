#!/usr/bin/env bash
# openapi-typescript 7.13.0: of a schema in OpenAPI 3.1, the type lacks what stands beside `$ref`, and the further items
# of a list with `prefixItems`.
#
# Expected: a schema of 3.1 is JSON Schema 2020-12, where `$ref` is a keyword among others (core, 8.2.3.1), and `items` is
# about the items after those of `prefixItems` (core, 10.3.1.2). So `Wider` is Base with a required member, and `Rest` is a
# text followed by any number of integers: `[string, ...number[]]`.
# What happens: `Wider` has the type of Base, so its own member does not exist for the compiler, and `Rest` is `[string]`. No
# warning is printed. The same rules within `allOf` are kept.
# Whom it hurts: whoever moves a contract from 3.0, where `$ref` had to stand alone in `allOf`, to the shorter form of 3.1:
# the generated types lose members that the server demands, and everything compiles.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund openapi-typescript@7.13.0 typescript@5.9.3
cat > contract.yaml <<'YAML'
openapi: 3.1.2
info: { title: Siblings, version: 1.0.0 }
paths: {}
components:
  schemas:
    Base: { type: object, required: [a], properties: { a: { type: string } } }
    Wider: { $ref: '#/components/schemas/Base', required: [b], properties: { b: { type: boolean } } }
    InAllOf: { allOf: [{ $ref: '#/components/schemas/Base' }, { required: [b], properties: { b: { type: boolean } } }] }
    Rest: { type: array, prefixItems: [{ type: string }], items: { type: integer } }
YAML
echo "openapi-typescript $(node -p "require('openapi-typescript/package.json').version"), node $(node --version)"
npx openapi-typescript contract.yaml --output types.ts > told.txt 2>&1
# The members of `schemas`, each on one line.
tr -d ' \n' < types.ts | sed 's/.*schemas:{//; s/;};responses:never.*/;/; s/;\(Wider\|InAllOf\|Rest\):/;\n\1:/g' > members.txt
cat members.txt
grep -qx 'Wider:components\["schemas"\]\["Base"\];' members.txt && grep -qx 'Rest:\[string\];' members.txt && ! grep -qi warn told.txt
